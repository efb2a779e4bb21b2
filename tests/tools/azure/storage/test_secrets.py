"""What of an account is a secret: what blobs and messages hold by mistake, and links."""

from __future__ import annotations

import json
import logging
from typing import Final
from urllib.parse import parse_qs

import pytest

from tests.fakes.azure.stored.service import FakeStorage
from tests.tools.azure.calling import TOOLS
from tests.tools.azure.storage.place import Place

KEY: Final = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
CONNECTION: Final = f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={KEY};EndpointSuffix=core.windows.net"


async def test_keys_are_withheld_wherever_they_stand(invented: Place) -> None:
    await invented.put("app.log", f"one\nconnecting by {CONNECTION}\nthree".encode(), x_ms_meta_connection=CONNECTION)
    await invented.add_message(CONNECTION)
    await invented.add_entity(PartitionKey="a", RowKey="1", Setting=CONNECTION)
    where = {"container": invented.name}
    told = [
        await invented.call("download_blob", **where, blob="app.log"),
        await invented.call("download_blob", **where, blob="app.log", last_lines=2),
        await invented.call("show_blob", **where, blob="app.log"),
        await invented.call("list_blobs", **where, include=["metadata"]),
        await invented.call("peek_storage_queue", queue=invented.name),
        await invented.call("query_storage_table", table=invented.name),
    ]
    assert [answer for answer in told if KEY in str(answer) or "[withheld]" not in str(answer)] == []
    assert told[0]["text"].startswith("one\n")
    assert told[0]["text"].endswith("\nthree")


async def test_no_record_and_no_log_holds_a_link(invented: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await invented.put("a", b"x")
    found = await invented.call("create_blob_link", container=invented.name, blob="a")
    signature = parse_qs(found["link"].partition("?")[2])["sig"][0]
    assert "create_blob_link" in caplog.text
    assert signature not in caplog.text
    assert found["link"] not in caplog.text


async def test_the_key_of_a_link_is_asked_for_no_longer_than_it_works(invented: Place, storage: FakeStorage) -> None:
    await invented.put("a", b"x")
    found = await invented.call("create_blob_link", container=invented.name, blob="a", minutes=60)
    key = next(asked for asked in storage.asked if asked.query.get("comp") == "userdelegationkey")
    assert f"<Expiry>{found['until']}</Expiry>".encode() in key.content
    assert "less than or equal to 60" in await invented.told(
        "create_blob_link", container=invented.name, blob="a", minutes=61
    )


async def test_links_end_where_the_user_may_not_read(invented: Place, storage: FakeStorage) -> None:
    await invented.put("a", b"x")
    storage.accounts["bakeryshop"].is_closed = True
    assert "403" in await invented.told("create_blob_link", container=invented.name, blob="a")


def test_what_lets_others_in_takes_more_than_to_read() -> None:
    own = [tool for tool in TOOLS if tool.toolset == "storage" and tool.gives_secret]
    assert [(tool.name, tool.access.label) for tool in own] == [("create_blob_link", "write")]


async def test_no_tool_that_reads_asks_azure_to_change_anything(invented: Place, storage: FakeStorage) -> None:
    await invented.put("a", b"x")
    storage.asked.clear()
    where = {"container": invented.name}
    for tool in ("show_blob", "download_blob", "create_blob_link"):
        await invented.call(tool, **where, blob="a")
    await invented.call("list_blobs", **where)
    await invented.call("peek_storage_queue", queue=invented.name)
    await invented.call("query_storage_table", table=invented.name)
    posts = [(asked.method, asked.query.get("comp")) for asked in storage.asked if asked.method not in {"GET", "HEAD"}]
    assert posts == [("POST", "userdelegationkey")]
    peeked = [asked for asked in storage.asked if asked.path.endswith("messages")]
    assert [asked.query["peekonly"] for asked in peeked] == ["true"]


async def test_the_record_of_a_link_says_that_it_is_a_secret(invented: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="audit")
    await invented.put("a", b"x")
    await invented.call("create_blob_link", container=invented.name, blob="a")
    await invented.call("download_blob", container=invented.name, blob="a")
    records = [json.loads(record.getMessage().partition(" ")[2]) for record in caplog.records if record.name == "audit"]
    assert [(record["tool"], record.get("secret")) for record in records] == [
        ("create_blob_link", True),
        ("download_blob", None),
    ]
