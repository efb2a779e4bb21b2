"""What goes wrong between an account and whoever asks it, in words, and without harm."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest
from aiohttp import web

from tests.fakes.azure.stored.asked import Asked, StorageError
from tests.fakes.azure.stored.service import FakeStorage
from tests.tools.azure.storage.place import Place, fake_place

Trouble = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

_NOTHING: Final = Asked("GET", "", {}, {}, b"", "")
_BOMB: Final = (
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
    "<EnumerationResults><Blobs><Blob><Name>&c;</Name></Blob></Blobs></EnumerationResults>"
)
_FILE: Final = (
    '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    "<EnumerationResults><Blobs><Blob><Name>&a;</Name></Blob></Blobs></EnumerationResults>"
)


def failing(status: int, code: str, **headers: str) -> Trouble:
    async def befall(request: web.BaseRequest) -> web.StreamResponse:
        reply = StorageError(status, code, "It is so.").reply(_NOTHING)
        own = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(body=reply.content, status=status, headers={**reply.headers, **own})

    return befall


def answering(body: bytes, **headers: str) -> Trouble:
    async def befall(_: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=body, headers={"Content-Type": "application/xml", **headers})

    return befall


async def cut(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/xml", "Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b"<EnumerationResults>")
    if request.transport:
        request.transport.abort()
    return response


async def endless(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/xml", "Content-Range": "bytes 0-9/10"})
    await response.prepare(request)
    while request.transport and not request.transport.is_closing():
        await response.write(b"<EnumerationResults>" * 5000)
        await asyncio.sleep(0)
    return response


@pytest.mark.parametrize("body", [_BOMB, _FILE, "<a>", "<html><body>Sign in</body>", "", '{"error": {}}'])
async def test_what_is_no_plain_xml_is_refused(invented: Place, storage: FakeStorage, body: str) -> None:
    storage.places["/blob/"] = answering(body.encode())
    assert "answer is not XML" in await invented.told("list_blobs", container="logs")


async def test_xml_of_too_many_parts_is_not_read(invented: Place, storage: FakeStorage) -> None:
    storage.places["/blob/"] = answering(b"<a>" + b"<b/>" * 200_000 + b"</a>")
    assert "is too large" in await invented.told("list_blobs", container="logs")


@pytest.mark.parametrize("trouble", [cut, endless])
async def test_a_list_that_does_not_come_whole_is_told(invented: Place, storage: FakeStorage, trouble: Trouble) -> None:
    storage.places["/blob/"] = trouble
    told = await invented.told("list_blobs", container="logs")
    assert "response was incomplete" in told or "is too large" in told


async def test_of_a_blob_that_never_ends_only_what_was_asked_for_is_read(invented: Place, storage: FakeStorage) -> None:
    await invented.put("a", b"x" * 100)
    known = storage.accounts["bakeryshop"].blob.containers[invented.name].blobs["a"]
    storage.troubles.append(answering(b"", **{**known.headers, "Content-Length": "100"}))
    storage.troubles.append(endless)
    found = await invented.call("download_blob", container=invented.name, blob="a", length=16)
    assert found["text"] == "<EnumerationResu"


@pytest.mark.parametrize("tool", ["list_blobs", "list_containers", "list_storage_queues"])
async def test_a_list_that_goes_in_circles_is_left(invented: Place, storage: FakeStorage, tool: str) -> None:
    page = b"<EnumerationResults><Blobs/><NextMarker>again</NextMarker></EnumerationResults>"
    storage.places["bakeryshop"] = answering(page)
    arguments = {"container": "logs"} if tool == "list_blobs" else {}
    assert "keeps returning the same page" in await invented.told(tool, **arguments)


async def test_a_table_that_goes_in_circles_is_left(invented: Place, storage: FakeStorage) -> None:
    async def same(_: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({"value": []}, headers={"x-ms-continuation-NextPartitionKey": "again"})

    storage.places["/table/"] = same
    assert "keeps returning the same page" in await invented.told("query_storage_table", table="Orders")


async def test_a_list_of_empty_pages_ends_and_says_where_it_goes_on(invented: Place, storage: FakeStorage) -> None:
    asked = iter(range(1000))

    async def empty(_: web.BaseRequest) -> web.StreamResponse:
        text = f"<EnumerationResults><Blobs/><NextMarker>{next(asked)}</NextMarker></EnumerationResults>"
        return web.Response(body=text.encode(), headers={"Content-Type": "application/xml"})

    storage.places["/blob/"] = empty
    found = await invented.call("list_blobs", container="logs")
    assert (found["count"], found["next"]) == (0, "19")


@pytest.mark.parametrize(("status", "code"), [(503, "ServerBusy"), (429, "TooManyRequests"), (500, "InternalError")])
async def test_a_busy_account_is_asked_again(invented: Place, storage: FakeStorage, status: int, code: str) -> None:
    storage.troubles.append(failing(status, code))
    assert (await invented.call("list_blobs", container=invented.name))["count"] == 0


async def test_a_busy_account_says_when_to_come_again(invented: Place, storage: FakeStorage) -> None:
    storage.places["/blob/"] = failing(503, "ServerBusy", Retry_After="600")
    told = await invented.told("list_blobs", container=invented.name)
    assert "503 ServerBusy" in told
    assert "Try again in 600 seconds" in told


@pytest.mark.parametrize(
    ("tool", "arguments", "role"),
    [
        ("list_containers", {}, "Storage Blob Data Reader"),
        ("list_storage_tables", {}, "Storage Table Data Reader"),
        ("peek_storage_queue", {"queue": "orders"}, "Storage Queue Data Reader"),
        ("create_blob_link", {"container": "logs", "blob": "a"}, "Storage Blob Data Reader"),
    ],
)
async def test_who_lacks_a_role_for_data_is_told_which(tool: str, arguments: dict[str, Any], role: str) -> None:
    storage = FakeStorage()
    async with fake_place(storage) as place:
        for kind in ("blob", "table", "queue"):
            storage.places[f"/{kind}/"] = failing(403, "AuthorizationPermissionMismatch")
        told = await place.told(tool, **arguments)
    assert f"{role} on bakeryshop" in told
    assert "Owner and Contributor grant no access" in told


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"publicNetworkAccess": "Disabled"}, "Public network access is disabled"),
        ({"networkAcls": {"defaultAction": "Deny"}}, "firewall admits only selected networks"),
        ({}, "You may be missing the role Storage Blob Data Reader"),
    ],
)
async def test_who_is_kept_out_by_the_network_is_told_so(properties: dict[str, Any], expected: str) -> None:
    storage = FakeStorage()
    async with fake_place(storage, **properties) as place:
        storage.account("bakeryshop").is_closed = True
        assert expected in await place.told("list_containers")
        assert expected in await place.told("show_blob", container="logs", blob="a")


async def test_an_archived_blob_is_shown_and_not_read(invented: Place) -> None:
    await invented.put("a", b"old", x_ms_access_tier="Archive")
    assert (await invented.call("show_blob", container=invented.name, blob="a"))["tier"] == "Archive"
    told = await invented.told("download_blob", container=invented.name, blob="a")
    assert "409 BlobArchived" in told
    assert "archive tier" in told


async def test_a_deleted_blob_is_found_where_it_is_asked_for(invented: Place, storage: FakeStorage) -> None:
    await invented.put("a", b"gone")
    kept = storage.accounts["bakeryshop"].blob.containers[invented.name]
    kept.deleted["a"] = kept.blobs.pop("a")
    assert (await invented.call("list_blobs", container=invented.name))["count"] == 0
    found = await invented.call("list_blobs", container=invented.name, include=["deleted"])
    assert found["items"][0]["deleted"] == "true"
    assert "include=deleted" in await invented.told("download_blob", container=invented.name, blob="a")


async def test_a_part_that_was_not_asked_for_is_not_shown(invented: Place, storage: FakeStorage) -> None:
    await invented.put("a", b"x" * 100)
    known = storage.accounts["bakeryshop"].blob.containers[invented.name].blobs["a"]
    storage.troubles.append(answering(b"", **{**known.headers, "Content-Length": "100"}))
    storage.troubles.append(answering(b"y" * 100))
    told = await invented.told("download_blob", container=invented.name, blob="a", start=10)
    assert "different part" in told


@pytest.mark.parametrize(
    "key", ["<a/>", "<UserDelegationKey><SignedOid>a</SignedOid><Value>not base64!</Value></UserDelegationKey>"]
)
async def test_without_a_key_there_is_no_link(invented: Place, storage: FakeStorage, key: str) -> None:
    await invented.put("a", b"x")
    known = storage.accounts["bakeryshop"].blob.containers[invented.name].blobs["a"]
    storage.troubles.append(answering(b"", **{**known.headers, "Content-Length": "1"}))
    storage.troubles.append(answering(key.encode()))
    assert "no key" in await invented.told("create_blob_link", container=invented.name, blob="a")


async def test_names_that_xml_lacks_come_as_they_are(invented: Place) -> None:
    await invented.put("bell\x07\ufffe.txt", b"x")
    listed = await invented.call("list_blobs", container=invented.name)
    assert [blob["name"] for blob in listed["items"]] == ["bell\x07\ufffe.txt"]


@pytest.mark.parametrize("name", [".", ".."])
async def test_a_name_that_is_no_place_is_refused(invented: Place, name: str) -> None:
    assert "must name a single item" in await invented.told("download_blob", container=invented.name, blob=name)


@pytest.mark.parametrize("container", ["../x", "a/b", "A", "a--b", "-a", "$other", "x" * 64, "ab", "a?b"])
async def test_a_container_has_a_name_that_containers_can_have(invented: Place, container: str) -> None:
    assert "container" in await invented.told("list_blobs", container=container)
