"""Containers and blobs, as Microsoft's emulator and our fake have them."""

from __future__ import annotations

import gzip
import ssl
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import ClientSession
from azure.core.credentials import AccessToken
from azure.storage.blob import BlobServiceClient
from yarl import URL

from clients.azure.messages import AzureRequest
from tests.fakes.azurite import secured_azurite
from tests.sweeps import Sweep
from tests.tools.azure.storage.place import Place, azurite_place, token

NAMES = (
    "a/b.txt",
    "a//c",
    "a/../d",
    "a/./d",
    "x%20y",
    "x%2Fy",
    "ünï ☃.log",
    "a?b#c",
    "a+b&c=d",
    "/lead",
    "end.",
    "with 'quotes\" and <tags>",
)


async def test_folders_come_before_what_is_in_them(place: Place) -> None:
    for name in ("logs/2026/one.log", "logs/two.log", "readme.md"):
        await place.put(name, b"hello")
    found = await place.call("list_blobs", container=place.name)
    assert found["folders"] == ["logs/"]
    assert [(blob["name"], blob["size"]) for blob in found["items"]] == [("readme.md", 5)]
    below = await place.call("list_blobs", container=place.name, prefix="logs/")
    assert (below["folders"], [blob["name"] for blob in below["items"]]) == (["logs/2026/"], ["logs/two.log"])
    every = await place.call("list_blobs", container=place.name, recursive=True)
    assert [blob["name"] for blob in every["items"]] == ["logs/2026/one.log", "logs/two.log", "readme.md"]


async def test_a_list_goes_on_where_it_ended(place: Place) -> None:
    names = [f"{number:02}" for number in range(7)]
    for name in names:
        await place.put(name, b"")
    found, following = [], None
    while True:
        page = await place.call("list_blobs", container=place.name, max_results=3, next=following)
        found += [blob["name"] for blob in page["items"]]
        assert len(page["items"]) <= 3
        if not (following := page.get("next")):
            break
    assert found == names


@Sweep("name", NAMES, every=3, start=1)
async def test_any_name_is_listed_read_and_shown_as_it_is(place: Place, name: str) -> None:
    await place.put(name, name.encode())
    listed = await place.call("list_blobs", container=place.name, recursive=True)
    assert [blob["name"] for blob in listed["items"]] == [name]
    assert (await place.call("download_blob", container=place.name, blob=name))["text"] == name
    assert (await place.call("show_blob", container=place.name, blob=name))["size"] == len(name.encode())


async def test_properties_and_metadata_are_shown(place: Place) -> None:
    await place.put("a.json", b"{}", "application/json", x_ms_meta_owner="mill", x_ms_access_tier="Cool")
    found = await place.call("show_blob", container=place.name, blob="a.json")
    assert (found["content_type"], found["tier"]) == ("application/json", "Cool")
    assert found["metadata"] == {"owner": "mill"}
    assert found["modified"].endswith("Z")
    assert "type" not in found


async def test_metadata_and_snapshots_are_listed_where_they_are_asked_for(place: Place) -> None:
    await place.put("a", b"old", x_ms_meta_owner="mill")
    values = {"container": place.name, "blob": "a"}
    when = (await place.ask("blob", AzureRequest("PUT /{container}/{blob}", values, {"comp": "snapshot"})))[
        "x-ms-snapshot"
    ]
    await place.put("a", b"new", x_ms_meta_owner="oven")
    listed = await place.call("list_blobs", container=place.name, include=["metadata", "snapshots"])
    assert [blob.get("snapshot") for blob in listed["items"]] == [when, None]
    assert [blob["metadata"]["owner"] for blob in listed["items"]] == ["mill", "oven"]
    assert (await place.call("download_blob", container=place.name, blob="a", snapshot=when))["text"] == "old"
    assert (await place.call("show_blob", container=place.name, blob="a", snapshot=when))["metadata"]["owner"] == "mill"


async def test_an_empty_blob_and_an_empty_container_are_no_failure(place: Place) -> None:
    assert (await place.call("list_blobs", container=place.name))["count"] == 0
    await place.put("empty", b"")
    assert (await place.call("download_blob", container=place.name, blob="empty"))["text"] == ""
    assert (await place.call("download_blob", container=place.name, blob="empty", last_lines=5))["text"] == ""


async def test_a_large_text_comes_in_parts_that_make_the_whole(place: Place) -> None:
    text = "".join(f"{number} käse ☃ 🥐\n" for number in range(100))
    await place.put("large.txt", text.encode())
    parts: list[str] = []
    start: int | None = 0
    while start is not None:
        found = await place.call("download_blob", container=place.name, blob="large.txt", start=start, length=333)
        parts.append(found["text"])
        start = found.get("next_start")
    assert "".join(parts) == text
    assert len(parts) > 3


async def test_the_last_lines_are_whole_and_say_where_they_begin(place: Place) -> None:
    lines = [f"{number} käse\n" for number in range(500)]
    await place.put("a.log", "".join(lines).encode())
    found = await place.call("download_blob", container=place.name, blob="a.log", last_lines=3)
    assert found["text"] == "".join(lines[-3:])
    assert found["start"] == len("".join(lines[:-3]).encode())
    few = await place.call("download_blob", container=place.name, blob="a.log", last_lines=100, length=40)
    assert few["text"] in {"".join(lines[-count:]) for count in (2, 3, 4)}


async def test_a_later_part_of_utf_16_is_known_by_how_the_blob_begins(place: Place) -> None:
    text = "".join(f"{number} käse\r\n" for number in range(100))
    await place.put("a.csv", "\ufeff".encode("utf-16-le") + text.encode("utf-16-le"))
    first = await place.call("download_blob", container=place.name, blob="a.csv", length=100)
    rest = await place.call("download_blob", container=place.name, blob="a.csv", start=first["next_start"])
    assert first["text"] + rest["text"] == text
    assert rest["charset"] == "utf-16-le"
    last = await place.call("download_blob", container=place.name, blob="a.csv", last_lines=2, length=100)
    assert last["text"] == "98 käse\r\n99 käse\r\n"


async def test_a_charset_that_the_type_names_is_read(place: Place) -> None:
    await place.put(
        "a.txt",
        "naïve".encode("shift_jis", errors="ignore") + "チーズ".encode("shift_jis"),
        "text/plain; charset=shift_jis",
    )
    found = await place.call("download_blob", container=place.name, blob="a.txt")
    assert (found["text"], found["charset"]) == ("nave" + "チーズ", "shift_jis")


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0\0", gzip.compress(b"hello", mtime=0), bytes(range(256))])
async def test_what_is_no_text_is_told_and_not_shown(place: Place, content: bytes) -> None:
    await place.put("a.bin", content, "image/png")
    found = await place.call("download_blob", container=place.name, blob="a.bin")
    assert (found["binary"], found["size"], found["content_type"]) == (True, len(content), "image/png")
    assert "text" not in found


async def test_what_was_stored_compressed_is_unpacked(place: Place) -> None:
    lines = [f"{number} käse\n" for number in range(500)]
    packed = gzip.compress("".join(lines).encode())
    await place.put("a.log", packed, x_ms_blob_content_encoding="gzip")
    found = await place.call("download_blob", container=place.name, blob="a.log", length=100)
    assert found["text"] == "".join(lines).encode()[:100].decode(errors="ignore")
    assert (found["content_encoding"], found["size"]) == ("gzip", len(packed))
    rest = await place.call("download_blob", container=place.name, blob="a.log", start=found["next_start"], length=100)
    assert "".join(lines).startswith(found["text"] + rest["text"])
    last = await place.call("download_blob", container=place.name, blob="a.log", last_lines=2)
    assert last["text"] == "".join(lines[-2:])
    assert (await place.call("show_blob", container=place.name, blob="a.log"))["size"] == len(packed)


async def test_what_cannot_be_unpacked_is_told(place: Place) -> None:
    await place.put("a.log", b"hello", x_ms_blob_content_encoding="br")
    assert "stored as br" in await place.told("download_blob", container=place.name, blob="a.log")


async def test_beyond_its_end_there_is_nothing(place: Place) -> None:
    await place.put("a", b"hello")
    told = await place.told("download_blob", container=place.name, blob="a", start=5)
    assert "only 5 bytes" in told


async def test_what_is_not_there_says_where_to_look(place: Place) -> None:
    assert "404 BlobNotFound" in await place.told("download_blob", container=place.name, blob="none")
    assert "list_blobs" in await place.told("show_blob", container=place.name, blob="none")
    assert "list_containers" in await place.told("list_blobs", container="nothing-here")
    assert "404 ContainerNotFound" in await place.told("show_blob", container="nothing-here", blob="none")


async def test_containers_are_found_by_how_they_begin(place: Place) -> None:
    found = await place.call("list_containers", prefix=place.name[:20])
    assert [one["name"] for one in found["items"]] == [place.name]


async def test_a_leased_blob_is_read_all_the_same(place: Place) -> None:
    await place.put("a", b"hello")
    values, headers = {"c": place.name, "b": "a"}, {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1"}
    await place.ask("blob", AzureRequest("PUT /{c}/{b}", values, {"comp": "lease"}, headers=headers))
    assert (await place.call("download_blob", container=place.name, blob="a"))["text"] == "hello"
    assert (await place.call("show_blob", container=place.name, blob="a"))["lease"] == "leased"


@Sweep("name", NAMES, every=3)
async def test_a_link_opens_one_blob_and_nothing_else(place: Place, name: str) -> None:
    await place.put(name, b"for you")
    await place.put("other", b"not for you")
    found = await place.call("create_blob_link", container=place.name, blob=name, minutes=5)
    assert await _fetched(found["link"]) == (200, b"for you")
    address, _, query = found["link"].partition("?")
    other = address[: address.index(place.name)] + f"{place.name}/other"
    assert (await _fetched(f"{other}?{query}"))[0] == 403
    given = parse_qs(query)
    assert (given["sp"], given["spr"], given["sr"]) == (["r"], ["https"], ["b"])
    assert given["se"] == [found["until"]] == given["ske"]
    assert (await _fetched(found["link"].replace("sp=r", "sp=rw")))[0] == 403


async def test_there_is_no_link_to_what_is_not_there(place: Place) -> None:
    assert "BlobNotFound" in await place.told("create_blob_link", container=place.name, blob="none")


async def test_microsofts_client_reads_the_same() -> None:
    async with azurite_place() as place:
        for name in NAMES:
            await place.put(name, name.encode(), x_ms_meta_of=str(len(name)))
        listed = await place.call("list_blobs", container=place.name, recursive=True, include=["metadata"])
        container = _client().get_container_client(place.name)
        theirs = {blob.name: (blob.size, blob.metadata) for blob in container.list_blobs(include=["metadata"])}
        assert {blob["name"]: (blob["size"], blob["metadata"]) for blob in listed["items"]} == theirs
        for name in NAMES:
            if "/." in name:
                continue  # their client asks for another blob then
            ours = await place.call("download_blob", container=place.name, blob=name)
            assert ours["text"].encode() == container.download_blob(name).readall()


def _client() -> BlobServiceClient:
    class Signed:
        def get_token(self, *_scopes: str, **_options: object) -> AccessToken:
            return AccessToken(token(), 2**40)

    found = secured_azurite()
    return BlobServiceClient(found.endpoints["blob"], Signed(), connection_verify=str(found.certificate))


async def _fetched(link: str) -> tuple[int, bytes]:
    secured = urlsplit(link).scheme == "https"
    trust = ssl.create_default_context(cafile=secured_azurite().certificate) if secured else False
    async with ClientSession() as session, session.get(URL(link, encoded=True), ssl=trust) as response:
        return response.status, await response.read()
