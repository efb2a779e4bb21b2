"""Blobs are changed as they were shown, in Azurite and in our fake alike; nothing is overwritten by accident."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final

import pytest
from aiohttp import web

from clients.azure.messages import AzureRequest
from clients.azure.storage.data import XML
from tests.fakes.azure import troubles
from tests.fakes.azure.stored.asked import StorageError
from tests.fakes.azure.stored.service import FakeStorage
from tests.fakes.azure.troubles import Accident, Trouble
from tests.sweeps import Sweep, pairs
from tests.tools.azure.storage.place import Place

LOST: Final = [troubles.cut_connection, troubles.cut_body, troubles.broken, troubles.gateway_timeout]


async def text_of(place: Place, blob: str) -> str:
    return str((await place.call("download_blob", container=place.name, blob=blob))["text"])


async def test_a_text_is_uploaded_and_never_overwritten_unasked(place: Place) -> None:
    here = {"container": place.name, "blob": "a/prices.csv"}
    done = await place.call("upload_blob", **here, text="bread,3\n", content_type="text/csv")
    assert (done["size"], done["status"]) == (8, "done")
    assert "Pass `overwrite`" in await place.told("upload_blob", **here, text="bread,4\n")
    assert await text_of(place, "a/prices.csv") == "bread,3\n"
    assert (await place.call("upload_blob", **here, text="bread,5\n", overwrite=True))["replaced"] is True
    assert await text_of(place, "a/prices.csv") == "bread,5\n"


async def test_bytes_are_uploaded_as_they_are(place: Place) -> None:
    content = bytes(range(256))
    here = {"container": place.name, "blob": "all bytes"}
    await place.call("upload_blob", **here, base64=b64encode(content).decode())
    assert (await place.call("show_blob", **here))["size"] == 256


@Sweep("blob", ["ü/ö.txt", "a b+c%20d.txt", "x" * 1000, "a//b", "q?r#s"], every=3, start=2)
async def test_any_name_that_a_blob_may_have_is_written_and_deleted(place: Place, blob: str) -> None:
    here = {"container": place.name, "blob": blob}
    await place.call("upload_blob", **here, text="it")
    assert await text_of(place, blob) == "it"
    await place.call("delete_blob", **here)
    assert "BlobNotFound" in await place.told("show_blob", **here) or "404" in await place.told("show_blob", **here)


async def test_what_was_changed_meanwhile_is_neither_overwritten_nor_deleted(place: Place) -> None:
    here = {"container": place.name, "blob": "shared.txt"}
    await place.call("upload_blob", **here, text="one")
    seen = (await place.call("show_blob", **here))["etag"]
    await place.call("upload_blob", **here, text="two", overwrite=True)
    for tool, more in (("upload_blob", {"text": "three", "overwrite": True}), ("delete_blob", {})):
        told = await place.told(tool, **here, **more, etag=seen)
        assert "412" in told
        assert "nothing was done" in told
    assert await text_of(place, "shared.txt") == "two"


async def test_a_blob_with_snapshots_is_deleted_with_them_only_when_asked(place: Place) -> None:
    here = {"container": place.name, "blob": "snapped.txt"}
    await place.call("upload_blob", **here, text="one")
    values = {"container": place.name, "blob": "snapped.txt"}
    await place.ask("blob", AzureRequest("PUT /{container}/{blob}", values, {"comp": "snapshot"}, accept=XML, body=b""))
    assert "with_snapshots" in await place.told("delete_blob", **here)
    await place.call("delete_blob", **here, with_snapshots=True)


async def test_a_blob_is_moved_to_the_archive_and_takes_long_to_leave_it(place: Place) -> None:
    here = {"container": place.name, "blob": "old.txt"}
    await place.call("upload_blob", **here, text="one")
    assert "is not readable in Archive" in (await place.call("set_blob_tier", **here, tier="Archive"))["meaning"]
    back = await place.call("set_blob_tier", **here, tier="Hot")
    assert (back["status"], "up to 15 hours" in back["meaning"]) == ("under way", True)
    assert "show_blob" in back["look_again"]


async def test_a_deleted_blob_comes_back(invented: Place) -> None:
    here = {"container": invented.name, "blob": "gone.txt"}
    await invented.call("upload_blob", **here, text="one")
    await invented.call("delete_blob", **here)
    assert (await invented.call("undelete_blob", **here))["undeleted"] == "gone.txt"
    assert await text_of(invented, "gone.txt") == "one"


async def test_what_is_not_kept_is_not_said_to_be_back(invented: Place) -> None:
    told = await invented.told("undelete_blob", container=invented.name, blob="never")
    assert "Nothing was restored" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "Pass either `text` or `base64`."),
        ({"text": "a", "base64": "YQ=="}, "Pass either `text` or `base64`."),
        ({"base64": "not base64!"}, "must be valid base64"),
        ({"base64": "YQ"}, "must be valid base64"),
        ({"text": "ü" * 600_000}, "at most 1048576 are allowed"),
        ({"text": "x" * 1_100_000}, "text: "),
        ({"text": "a", "content_type": "text/plain\r\nx-ms-evil: 1"}, "content_type: "),
        ({"text": "a", "content_type": "no type"}, "content_type: "),
        ({"text": "a", "overwrite": True, "etag": '"0x1"\r\nx: y'}, "etag: "),
    ],
)
async def test_what_cannot_be_uploaded_is_refused_before_anything_is_sent(
    invented: Place, storage: FakeStorage, arguments: dict[str, Any], words: str
) -> None:
    storage.asked.clear()
    told = await invented.told("upload_blob", container=invented.name, blob="x", **arguments)
    assert words in told
    assert storage.asked == []


# Whatever goes wrong in the middle

_HERE: Final = {"blob": "in-the-middle.txt"}
CHANGES: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "upload_blob": ({"text": "one"}, "PUT"),
    "upload_blob over another": ({"text": "two", "overwrite": True}, "PUT"),
    "delete_blob": ({}, "DELETE"),
    "undelete_blob": ({}, "PUT"),
    "set_blob_tier": ({"tier": "Cool"}, "PUT"),
}


async def _prepared(place: Place, storage: FakeStorage, case: str) -> dict[str, Any]:
    here = {"container": place.name, **_HERE}
    if case != "upload_blob":
        await place.call("upload_blob", **here, text="one")
    if case == "undelete_blob":
        await place.call("delete_blob", **here)
    storage.asked.clear()
    return here


def _written(storage: FakeStorage) -> list[str]:
    return [one.method for one in storage.asked if one.method not in {"GET", "HEAD"}]


@Sweep(("case", "trouble"), pairs(CHANGES, LOST), every=len(LOST))
@pytest.mark.parametrize("is_done", [True, False])
async def test_a_lost_answer_is_found_out_and_nothing_is_sent_again(
    invented: Place, storage: FakeStorage, case: str, trouble: Trouble, is_done: bool
) -> None:
    more, method = CHANGES[case]
    here = await _prepared(invented, storage, case)
    storage.accidents.append(Accident(method, "in-the-middle", trouble, is_done=is_done))
    tool = case.split(maxsplit=1)[0]
    if is_done:
        assert (await invented.call(tool, **here, **more))["status"] == "done" or tool == "undelete_blob"
    else:
        assert "most likely not applied" in await invented.told(tool, **here, **more)
    assert len(_written(storage)) == 1


REFUSALS: Final = {403: "AuthorizationPermissionMismatch", 409: "Conflict", 412: "No"}


@Sweep(("case", "status"), pairs(CHANGES, REFUSALS), every=len(REFUSALS))
async def test_what_the_account_refuses_is_told(invented: Place, storage: FakeStorage, case: str, status: int) -> None:
    more, method = CHANGES[case]
    here = await _prepared(invented, storage, case)

    async def befall(_: web.BaseRequest) -> web.StreamResponse:
        reply = StorageError(status, REFUSALS[status], "It is so.").reply(storage.asked[-1])
        return web.Response(body=reply.content, status=status, headers=reply.headers)

    storage.accidents.append(Accident(method, "in-the-middle", befall))
    told = await invented.told(case.split(maxsplit=1)[0], **here, **more)
    assert f"{status} {REFUSALS[status]}" in told
    assert ("Storage Blob Data Contributor" in told) == (status == 403)
    assert len(_written(storage)) == 1
