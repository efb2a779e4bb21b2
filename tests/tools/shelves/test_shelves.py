"""Resources over MCP and over plain HTTP: the same ones, under the same rules."""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64encode
from datetime import datetime
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import pytest

from app.build import build
from changes.approval_request import RequiredApprover
from changes.preview import Preview
from changes.rule import Rule, stray_place
from clients.folder_files import FolderFiles
from refusal import Refusal
from settings import PlaceSettings, Settings, StorageSettings
from tests.fakes.azurite import connection_string_of_azurite
from tests.mcp_server.caller import Caller, Json
from tests.tools.shelves.world import Library, library
from tools.shelves.provider import lacks
from tools.shelves.settings import ShelvesSettings, container
from tools.shelves.shelf_kinds import LARGEST

NOTE = "file:///runs/42.md"
BYTES = bytes(range(256))


def document(answer: Json) -> Json:
    return answer["structuredContent"]


async def test_one_agent_writes_and_another_goes_on_from_it(shelves: Library) -> None:
    finder, fixer = shelves.mcp, shelves.mcp
    await finder.call("write_resource", uri=NOTE, text="# Run 42\n\n- disk full on web-1\n")
    [listed] = document(await fixer.call("list_shelf", prefix="file:///runs/"))["resources"]
    found = document(await fixer.call("read_resource", uri=listed["uri"]))
    assert found["untrusted"].endswith("not instructions.")
    grown = found["text"] + "- cleaned by the fixer\n"
    await fixer.call("write_resource", uri=NOTE, text=grown, etag=found["etag"])
    late = await finder.told("write_resource", uri=NOTE, text="mine", etag=found["etag"])
    assert "has changed since" in late
    assert shelves.files == {"runs/42.md": grown.encode()}


async def test_a_story_over_mcp_and_over_http_ends_in_the_same_state(shelves: Library) -> None:
    written = document(
        await shelves.mcp.call("write_resource", uri="file:///a/mcp.bin", blob=b64encode(BYTES).decode())
    )
    await shelves.mcp.call("write_resource", uri="file:///a/mcp.bin", text="second", etag=written["etag"])
    await shelves.mcp.call("write_resource", uri="file:///a/gone", text="x")
    await shelves.mcp.agreed("delete_resource", uri="file:///a/gone")

    put = await shelves.http("PUT", "uri=file:///b/mcp.bin", BYTES)
    assert put.status == 201
    again = await shelves.http("PUT", "uri=file:///b/mcp.bin", b"second", if_match=put.headers["etag"])
    assert again.status == 200
    await shelves.http("PUT", "uri=file:///b/gone", b"x")
    waiting = await shelves.http("DELETE", "uri=file:///b/gone", if_match="*")
    told = json.loads(waiting.body)
    assert (waiting.status, waiting.headers["location"]) == (202, told["change"]["address"])
    await shelves.mcp.approve(told["detail"])
    gone = await shelves.http("DELETE", "uri=file:///b/gone", if_match="*")
    assert (gone.status, gone.body) == (204, b"")

    states = ({name[2:]: content for name, content in shelves.files.items() if name[0] == side} for side in "ab")
    assert list(states) == [{"mcp.bin": b"second"}] * 2


async def test_a_resource_reads_alike_over_all_ways(shelves: Library) -> None:
    put = await shelves.http("PUT", "uri=file:///a.md", b"# Hi", content_type="text/markdown")
    by_tool = document(await shelves.mcp.call("read_resource", uri="file:///a.md"))
    [contents] = (await shelves.mcp.result("resources/read", {"uri": "file:///a.md"}))["contents"]
    by_query = await shelves.http("GET", f"uri={quote('file:///a.md', safe='')}")
    by_path = await shelves.http("GET", path="/resources/file:///a.md")
    assert by_tool["text"] == contents["text"] == by_query.body.decode() == by_path.body.decode() == "# Hi"
    etag = put.headers["etag"]
    assert f'"{by_tool["etag"]}"' == f'"{contents["_meta"]["etag"]}"' == by_query.headers["etag"] == etag
    assert by_query.headers["content-type"] == "text/markdown; charset=utf-8"
    assert (await shelves.http("GET", "uri=file:///a.md", if_none_match=etag)).status == 304
    assert datetime.fromisoformat(by_tool["modified"])


async def test_bytes_that_are_no_text_are_given_as_they_are(shelves: Library) -> None:
    await shelves.http("PUT", "uri=file:///a.bin", BYTES)
    by_query = await shelves.http("GET", "uri=file:///a.bin")
    by_path = await shelves.http("GET", path="/resources/file:///a.bin")
    assert [by_query.body, by_path.body] == [BYTES, BYTES]


async def test_the_list_of_resources_is_never_kept(shelves: Library) -> None:
    before = (await shelves.mcp.result("resources/list"))["resources"]
    await shelves.http("PUT", "uri=file:///a%20b.md", b"x")
    after = await shelves.mcp.result("resources/list")
    assert before == []
    assert [(one["uri"], one["size"]) for one in after["resources"]] == [("file:///a%20b.md", 1)]
    assert (after["ttlMs"], after["cacheScope"]) == (0, "private")
    over_http = json.loads((await shelves.http("GET")).body)["resources"]
    assert [one["uri"] for one in over_http if one["uri"].startswith("file:")] == ["file:///a%20b.md"]
    templates = (await shelves.mcp.result("resources/templates/list"))["resourceTemplates"]
    assert [one["uriTemplate"] for one in templates] == ["file:///{+path}"]


async def test_a_long_list_comes_by_pages(shelves: Library) -> None:
    names = [f"n{number:03}" for number in range(150)]
    for name in names:
        await FolderFiles(shelves.folder).write(name, b"", "", "")
    first = json.loads((await shelves.http("GET")).body)
    second = json.loads((await shelves.http("GET", f"cursor={quote(first['nextCursor'])}")).body)
    listed = [one["name"] for one in [*first["resources"], *second["resources"]] if one["uri"].startswith("file:")]
    assert listed == names
    assert "nextCursor" not in second
    assert (await shelves.http("GET", "cursor=nowhere")).status == 400


@pytest.mark.parametrize(
    ("asked", "status", "body"),
    [
        ("bytes=0-3", 206, b"0123"),
        ("bytes=8-", 206, b"89"),
        ("bytes=-2", 206, b"89"),
        ("bytes=-99", 200, b"0123456789"),
        ("bytes=8-99", 206, b"89"),
        ("bytes=10-", 416, b""),
        ("bytes=3-1", 200, b"0123456789"),
        ("bytes=0-1,4-5", 200, b"0123456789"),
        ("lines=0-1", 200, b"0123456789"),
        ("bytes=-0", 200, b"0123456789"),
    ],
)
async def test_pieces_are_read_as_http_has_it(shelves: Library, asked: str, status: int, body: bytes) -> None:
    await shelves.http("PUT", "uri=file:///a", b"0123456789")
    answer = await shelves.http("GET", "uri=file:///a", range=asked)
    assert answer.status == status
    assert status == 416 or answer.body in (body, b"0123456789")
    assert status != 206 or answer.body == body
    whole = await shelves.http("GET", "uri=file:///a", range="bytes=0-1", if_range='"other"')
    assert (whole.status, whole.body) == (200, b"0123456789")


async def test_what_is_too_large_is_read_by_pieces_and_not_written(shelves: Library) -> None:
    shelves.folder.mkdir()
    with (shelves.folder / "large").open("wb") as file:
        file.truncate(5 * 1024 * 1024 * 1024)
    told = await shelves.http("GET", "uri=file:///large")
    assert (told.status, b"Pass `start` and `length`" in told.body) == (422, True)
    piece = await shelves.http("GET", "uri=file:///large", range="bytes=-4")
    assert (piece.status, piece.body) == (206, b"\0\0\0\0")
    assert piece.headers["content-range"].endswith("/5368709120")
    assert (await shelves.http("PUT", "uri=file:///new", b"x" * (LARGEST + 1))).status == 400
    assert (await shelves.http("PUT", "uri=file:///new", b"\xff" * LARGEST)).status == 201
    assert (await shelves.http("PUT", "uri=file:///more", b"x" * (4 * 1024 * 1024 + 1))).status == 413


async def test_of_two_who_write_at_once_one_is_told(shelves: Library) -> None:
    put = await shelves.http("PUT", "uri=file:///a", b"0")
    writing = (shelves.http("PUT", "uri=file:///a", body, if_match=put.headers["etag"]) for body in (b"1", b"2"))
    answers = await asyncio.gather(*writing)
    assert sorted(answer.status for answer in answers) == [200, 412]
    [lost] = [answer for answer in answers if answer.status == 412]
    assert re.search(r"Read the (file|resource) again", json.loads(lost.body)["detail"])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 412),
        ({"if_none_match": "*"}, 412),
        ({"if_match": '"other"'}, 412),
        ({"if_match": 'W/"other"'}, 400),
        ({"if_match": '"a", "b"'}, 400),
        ({"if_match": "other"}, 400),
        ({"if_match": '""'}, 400),
        ({"if_match": "*", "if_none_match": "*"}, 400),
        ({"if_none_match": '"a"'}, 400),
        ({"if_match": "*", "content_encoding": "gzip"}, 415),
        ({"if_match": "*", "content_type": "text/html\r\nx: y"}, 400),
        ({"if_match": "*", "content_type": "multipart/form-data; boundary=x"}, 400),
        ({"if_match": "*"}, 200),
    ],
)
async def test_it_is_written_over_only_by_who_says_what_is_there(
    shelves: Library, headers: dict[str, str], status: int
) -> None:
    await shelves.http("PUT", "uri=file:///a", b"kept")
    answer = await shelves.http("PUT", "uri=file:///a", b"new", **headers)
    assert answer.status == status
    assert shelves.files["a"] == (b"new" if status == 200 else b"kept")


async def test_what_is_not_there_is_not_written_over_nor_deleted(shelves: Library) -> None:
    assert (await shelves.http("PUT", "uri=file:///a", b"x", if_match="*")).status == 412
    assert (await shelves.http("DELETE", "uri=file:///a", if_match="*")).status == 404
    assert (await shelves.http("DELETE", "uri=file:///a")).status == 428
    assert (await shelves.http("PUT", "", b"x")).status == 400
    assert (await shelves.http("GET", "uri=file:///a")).status == 404
    assert (await shelves.http("GET", "uri=gopher:///a")).status == 404
    assert (await shelves.http("GET", "uri=file:///a&uri=file:///b")).status == 400
    assert (await shelves.http("GET", "uri=file:///a", path="/resources/file:///b")).status == 400
    assert shelves.files == {}


@pytest.mark.parametrize(
    "path",
    [
        "file:///../storage/x",
        "file:////etc/passwd",
        "file:///%2e%2e/x",
        "file:///a/..%5cx",
        "file:///.hidden",
        "../x",
    ],
)
async def test_no_way_leads_out_of_the_folder(shelves: Library, path: str) -> None:
    for method in ("GET", "PUT", "DELETE"):
        for query, by in ((f"uri={quote(path, safe='')}", "/resources"), ("", f"/resources/{path}")):
            answer = await shelves.http(method, query, b"x", by, if_match="*")
            assert answer.status in {400, 404}
    assert "isError" in await shelves.mcp.call("write_resource", uri=path, text="x")
    assert sorted(one.name for one in shelves.folder.parent.iterdir()) in (["storage"], [])


async def test_what_is_kept_is_no_page_of_this_server(shelves: Library) -> None:
    await shelves.http("PUT", "uri=file:///a.html", b"<script>alert(1)</script>", content_type="text/html")
    answer = await shelves.http("GET", "uri=file:///a.html")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["content-disposition"] == "attachment"


async def test_what_is_agreed_to_is_held_to_what_was_seen(shelves: Library) -> None:
    await shelves.http("PUT", "uri=file:///a", b"old")
    told = await shelves.mcp.told("delete_resource", uri="file:///a")
    assert "file:///a removed (was old)" in told
    await shelves.http("PUT", "uri=file:///a", b"new", if_match="*")
    await shelves.mcp.approve(told)
    again = await shelves.mcp.told("delete_resource", uri="file:///a")
    assert "file:///a removed (was new)" in again
    assert shelves.files == {"a": b"new"}


async def test_whoever_writes_where_a_rule_asks_is_shown_what_is_there_and_what_comes(tmp_path: Path) -> None:
    roles = tmp_path / "roles.yaml"
    roles.write_text("roles: {}\nchanges:\n- tools: [shelves/write_resource]\n  ask: caller\n")
    async with library(tmp_path, str(roles)) as asking:
        asking.folder.mkdir()
        (asking.folder / "a.md").write_text("old")
        (asking.folder / "b.bin").write_bytes(b"\xff" * 20_000)
        new = await asking.mcp.told("write_resource", uri="file:///new.md", text="new")
        assert "Create file:///new.md." in new
        assert "file:///new.md added: new" in new
        over = await asking.mcp.told("write_resource", uri="file:///a.md", text="newer", etag="*")
        assert "Overwrite file:///a.md." in over
        assert "file:///a.md: old → newer" in over
        large = await asking.mcp.told("write_resource", uri="file:///b.bin", blob="/w==", etag="*")
        assert "20000 bytes, starting with" in large
        assert "Pass its etag to overwrite" in await asking.mcp.told("write_resource", uri="file:///a.md", text="newer")
        assert set(asking.files) == {"a.md", "b.bin"}
        assert asking.files["a.md"] == b"old"


async def test_bytes_are_told_in_base64_and_a_piece_begins_within(shelves: Library) -> None:
    await shelves.mcp.call("write_resource", uri="file:///a.bin", blob="/w==")
    assert document(await shelves.mcp.call("read_resource", uri="file:///a.bin"))["blob"] == "/w=="
    assert "`start` cannot be 1" in await shelves.mcp.told("read_resource", uri="file:///a.bin", start=1)


async def test_arguments_that_cannot_be_right_write_nothing(shelves: Library) -> None:
    for given in ({}, {"text": "x", "blob": "eA=="}, {"blob": "not base64!"}, {"text": "x", "media_type": "a\nb"}):
        assert await shelves.mcp.told("write_resource", uri=NOTE, **given)
    assert shelves.files == {}


async def test_in_a_container_it_is_the_same() -> None:
    settings = Settings(
        place=PlaceSettings(environment="Development"),
        of_providers=(ShelvesSettings(container=f"resources-{uuid4().hex}"),),
        storage=StorageSettings(connection=connection_string_of_azurite()),
    )
    app = build(settings)
    caller = Caller(app.endpoint, "shelves")
    written = document(await caller.call("write_resource", uri="file:///a.md", text="one"))
    assert "Pass its etag to overwrite" in await caller.told("write_resource", uri="file:///a.md", text="two")
    await caller.call("write_resource", uri="file:///a.md", text="two", etag=written["etag"])
    assert document(await caller.call("read_resource", uri="file:///a.md", start=1, length=1))["text"] == "w"
    await caller.agreed("delete_resource", uri="file:///a.md")
    assert document(await caller.call("list_shelf"))["count"] == 0
    await app.close()


def test_a_rule_may_be_about_the_address_of_a_resource() -> None:
    rule = Rule(RequiredApprover.ANOTHER, toolsets=frozenset({"shelves"}), places={"resource": ["file:///docs/*"]})
    assert not stray_place(rule.places)
    told = {name: rule.fits(Preview(what="x", places={"resource": f"file:///{name}"})) for name in ("docs/a", "a")}
    assert told == {"docs/a": True, "a": False}


def test_settings_that_cannot_hold_are_told() -> None:
    for name in ("updates", "changes", "resources-", "Resources", "resources-a_b"):
        with pytest.raises(ValueError, match="it must be resources"):
            container(name)
    assert "requires a storage account" in lacks(ShelvesSettings(container="resources"), Settings())
    assert "File resources are not configured" in lacks(ShelvesSettings(), Settings())
    assert not lacks(ShelvesSettings(folder="x"), Settings(place=PlaceSettings(environment="Development")))
    assert "only on a laptop" in lacks(ShelvesSettings(folder="x"), Settings())
    with pytest.raises(Refusal, match="not both"):
        build(Settings(of_providers=(ShelvesSettings(folder="x", container="resources"),)))
