"""Attacks by the arguments of Azure DevOps tools: at another host, at another organization, and at places inside."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from aiohttp import web

from app.build import App
from tests.attacks.hostile_service import SIGNED, Hostile, reached
from tests.attacks.place import gains_nothing, tells_nothing_of_the_inside
from tests.fakes.serving import serving_locally
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline
from tests.sweeps import Sweep

pytestmark = pytest.mark.anyio

CLOUD = "dev.azure.com"
ELSEWHERE = {
    "another organization by a climb": "../other",
    "another organization by two climbs": "../../other/_apis/projects",
    "a climb that is encoded": "%2e%2e%2fother",
    "a climb that is encoded twice": "%252e%252e%252fother",
    "a climb by the other slash": "..\\other",
    "a climb with a parameter": "..;/other",
    "a climb of wide letters": "\uff0e\uff0e\uff0fother",
    "a climb of one letter": "\u2025/other",
    "here": ".",
    "here, encoded": "%2e",
    "above, encoded": "%2e%2e",
    "another host": "//evil.example.com",
    "another host by an address": "https://evil.example.com/acme",
    "another host as a user": "@evil.example.com",
    "another host with our name": "dev.azure.com.evil.example.com",
    "another port": ":8080",
    "a query": "x?api-version=1.0&$expand=all",
    "a query that is encoded": "x%3Fapi-version=1.0",
    "a fragment": "x#y",
    "a parameter more": "x&destroy=true",
    "a line": "x\r\nHost: evil.example.com\r\n\r\n",
    "a line that is encoded": "x%0d%0aHost:%20evil.example.com",
    "a nul": "x\0y",
    "a tab": "x\ty",
    "a template": "{project}{organization}{0.__class__}",
    "a place of the service": "_apis",
    "an address inside": "http://169.254.169.254/metadata/instance",
    "a path of a machine": "/etc/passwd",
    "a share": "\\\\evil.example.com\\share",
    "what turns around": "\u202egro.elpmaxe.live//",
    "ten thousand letters": "x" * 10_000,
    "ten thousand slashes": "/" * 10_000,
}
PLACES: dict[str, tuple[str, dict[str, Any]]] = {
    "project": ("list_builds", {}),
    "repository": ("get_repository", {}),
    "wikiId": ("get_wiki", {}),
    "team": ("get_boards", {}),
    "feedId": ("get_feed", {}),
    "userId": ("get_user", {}),
    "attachmentId": ("get_work_item_attachment", {}),
    "artifactName": ("get_build_artifact", {"buildId": 1}),
}


@pytest.fixture
async def hostile() -> Hostile:
    return Hostile(lambda _: web.json_response({"id": "1", "name": "x", "value": [], "count": 0}))


@pytest.fixture
async def caller(hostile: Hostile) -> AsyncIterator[Caller]:
    async with reached(hostile) as someone:
        yield someone


@Sweep("text", ELSEWHERE.values(), ids=ELSEWHERE, every=2)
async def test_no_name_leads_to_another_place(hostile: Hostile, caller: Caller, text: str) -> None:
    for name, (tool, more) in PLACES.items():
        hostile.asked.clear()
        answer = await caller.send("tools/call", {"name": tool, "arguments": {name: text, **more}})
        assert answer.status == 200, name
        tells_nothing_of_the_inside(answer)
        assert len(answer.body) <= 64 * 1024, name
        assert SIGNED.encode() not in answer.body, name
        for request in hostile.asked:
            path = request.raw_path.partition("?")[0]
            assert request.headers["Host"].removesuffix(CLOUD) in {
                "",
                "vsrm.",
                "feeds.",
                "pkgs.",
                "vssps.",
                "vsaex.",
            }, name
            assert path.startswith("/acme/"), name
            assert not {".", ".."} & {*map(unquote, path.split("/"))}, name
            assert "destroy" not in request.query, name
            assert request.query.getall("api-version") in (
                ["7.1"],
                ["7.1-preview.1"],
                ["7.1-preview.3"],
                ["7.1-preview.4"],
            ), name


NUMBERS: dict[str, Any] = {
    "nothing": 0,
    "below nothing": -1,
    "beyond what a service counts": 2**63,
    "of five hundred digits": 10**500,
    "a fraction": 1.5,
    "a fraction that is whole": 1.0,
    "true": True,
    "a text": "1",
    "a text with more": "1; DROP TABLE x",
    "a text that climbs": "1/../../other",
    "a text of other digits": "\u0661",
    "a text with an underscore": "1_0",
    "a text with an exponent": "1e3",
    "a list": [1],
    "an object": {"$gt": 0},
    "beyond all": 1e308,
}


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
async def test_a_number_is_a_number_in_the_address_or_nothing_is_sent(
    hostile: Hostile, caller: Caller, number: Any
) -> None:
    for tool, name in {"get_build": "buildId", "get_work_item": "id", "get_test_plan": "planId"}.items():
        answer = await caller.send("tools/call", {"name": tool, "arguments": {name: number}})
        gains_nothing(answer, 200, 400)
    for request in hostile.asked:
        last = request.path.rpartition("/")[2]
        assert last == str(int(last))


@pytest.mark.parametrize("limit", [0, -1, 10**9, 2**63, "all", True, 1.5, None, []])
async def test_no_limit_brings_more_than_the_most(hostile: Hostile, caller: Caller, limit: Any) -> None:
    hostile.say = lambda _: web.json_response({"value": [{"id": 1, "name": "x"}] * 100, "count": 100})
    answer = await caller.send("tools/call", {"name": "list_projects", "arguments": {"maxResults": limit}})
    tells_nothing_of_the_inside(answer)
    result = json.loads(answer.body).get("result", {})
    assert len(result.get("structuredContent", {}).get("items", [])) <= 1000
    assert len(hostile.asked) <= 20


URLS = [
    "http://files.example.com/a",
    "https://169.254.169.254/metadata/instance",
    "https://168.63.129.16/machine",
    "https://localhost/a",
    "https://[::1]/a",
    "https://[::ffff:169.254.169.254]/a",
    "https://0x7f.1/a",
    "https://2130706433/a",
    "https://files.example.com:8443/a",
    "https://files.example.com@evil.example.com/a",
    "https://evil.example.com/files.example.com",
    "https://files.example.com.evil.example.com/a",
    "https://evil-files.example.com/a",
    "https://FILES.example.com.\u2024evil/a",
    "https://files.example.com\\@evil.example.com/a",
    "https://files.example.com%2f@evil.example.com/a",
    "https://files.example.com\r\nHost: evil.example.com/a",
    "//files.example.com/a",
    "file:///etc/passwd",
    "ftp://files.example.com/a",
    "gopher://127.0.0.1:6379/_x",
    "data:text/plain,x",
    "javascript:alert(1)",
    "https:files.example.com/a",
    "https://",
    "",
    "https://files.example.com/" + "a" * 100_000,
]


@pytest.fixture
async def app(tmp_path: Path, hostile: Hostile) -> AsyncIterator[App]:
    own = {"ADO_PAT": "x" * 52, "ADO_ATTACHMENT_HOSTS": "files.example.com"}
    async with serving_locally(hostile.answer) as url:
        built = app_of(offline(tmp_path) | own | {"ADO_ORG_URL": f"{url}/acme"})
        yield built
        await built.close()


@pytest.mark.parametrize("url", URLS, ids=lambda text: ascii(text)[:60])
async def test_no_file_is_attached_from_where_it_must_not_be_read(app: App, url: str) -> None:
    arguments = {"id": 1, "url": url, "fileName": "a.txt"}
    call = {"name": "add_work_item_attachment_from_url", "arguments": arguments}
    answer = await Caller(app.endpoint, "devops-attachments").send("tools/call", call)
    gains_nothing(answer, 200, largest=4096)
    result = json.loads(answer.body)["result"]
    assert result["isError"]
    assert "x" * 52 not in answer.body.decode()
    told = result["content"][0]["text"]
    assert "The address must look like" in told or "is not allowed. Allowed hosts" in told
