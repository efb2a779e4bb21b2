"""A sentence of the operator on everything that is no answer of a tool: health, directions and files."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.build import App
from app.pages import AppPages
from mcp_server.http.messages import HttpRequest
from refusal import Refusal
from settings import Settings
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline
from updates.showing.invented import NOTICE

pytestmark = pytest.mark.anyio

SENTENCE = 'This is a trial -- say "invented" <first>; and decide nothing by it.'


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    made = app_of({**offline(tmp_path), "MCP_NOTICE": SENTENCE})
    yield made
    await made.close()


async def page(app: App, path: str) -> str:
    request = HttpRequest("GET", path, {"host": "localhost:7071"}, b"", "limit=1", "192.0.2.7")
    pages = AppPages(app)
    asked = {"/health": pages.health, "/": pages.directions}
    name = path.rpartition(".")[2]
    answer = await (asked[path](request) if path in asked else pages.updates(request, name))
    assert answer.status == 200, answer.body
    return answer.body.decode()


async def test_health_and_the_root_say_it(app: App) -> None:
    assert json.loads(await page(app, "/health"))["notice"] == SENTENCE
    assert (await page(app, "/")).startswith(f"{SENTENCE}\n\nThis is Azure Team MCP")


async def test_files_say_it_where_they_say_that_updates_are_invented(app: App) -> None:
    assert f"{SENTENCE} {NOTICE}".replace('"', '""') in await page(app, "/updates.csv")
    calendar = (await page(app, "/updates.ics")).replace("\r\n ", "")
    assert r"X-WR-CALDESC:This is a trial -- say \"invented\" <first>\; and".replace(r"\"", '"') in calendar
    feed = await page(app, "/updates.rss")
    assert '<description>This is a trial -- say "invented" &lt;first&gt;; and decide' in feed
    assert "--" not in feed.partition("<!--")[2].partition("-->")[0]


async def test_the_notice_of_the_sample_follows_it_in_tools(app: App) -> None:
    result = await Caller(app.endpoint).call("search_azure_updates", limit=1)
    assert result["structuredContent"]["notice"] == f"{SENTENCE} {NOTICE}"


@pytest.mark.parametrize("wrong", ["two\nlines", "x" * 501])
def test_what_is_no_sentence_is_refused_at_the_start(wrong: str) -> None:
    with pytest.raises(Refusal, match="MCP_NOTICE"):
        Settings.from_environment({"MCP_NOTICE": wrong}, [])
