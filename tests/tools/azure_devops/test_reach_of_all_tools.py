"""Every tool within a reach, and out of it: whatever it asks for, and whatever it is answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote
from uuid import NAMESPACE_URL, uuid5

import pytest
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.azure_devops.service import Elsewhere
from tests.fakes.serving import serving_locally
from tests.tools.azure_devops.calling import TOOLS, consenting
from tests.tools.azure_devops.golden import Case, cases
from tests.tools.azure_devops.reaching import reaching
from tools.azure_devops.shared.answers import UNTRUSTED

pytestmark = pytest.mark.anyio

NAMES: Final = ("Web", "Depot", "Vault")
IDS: Final = {name: str(uuid5(NAMESPACE_URL, name)) for name in NAMES}
BY_NAME: Final = {tool.name: tool for tool in TOOLS}
CASES: Final = [case for case in cases() if case.answer is not None]
FIRST: Final = {case.tool: case for case in reversed(CASES)}
# They tell of people, who belong to the organization.
OF_PEOPLE: Final = {"get_current_user", "search_users", "get_user"}


@dataclass
class Organization:
    """Three projects; everything that a case is about belongs to Web, which is told to whoever asks for that."""

    case: Case
    sent: list[str] = field(default_factory=list)
    left: list[Mapping[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = list(self.case.exchanges)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path, content = unquote(request.raw_path.partition("?")[0]), await request.read()
        is_json = "json" in request.headers.get("Content-Type", "")
        body = json.loads(content) if content and is_json else None
        if path.endswith("/_apis/projects") and request.query.get("$top") == "1000":
            return web.json_response({"value": [{"id": IDS[name], "name": name} for name in NAMES]})
        if isinstance(body, dict) and body.get("fields") == ["System.TeamProject"]:
            owned = [{"id": number, "fields": {"System.TeamProject": "Web"}} for number in body["ids"]]
            return web.json_response({"value": owned})
        line = f"{request.method} {request.headers['Host']}{path}".replace(IDS["Web"], "Web").lower()
        expected = next((exchange for exchange in self.left if exchange["request"].lower() == line), None)
        if expected is None and path.endswith("/git/repositories"):
            return web.json_response({"value": list(self._repositories())})
        self.sent.append(line)
        if expected is None:
            return web.json_response({"id": 1, "project": {"id": IDS["Web"], "name": "Web"}})
        self.left.remove(expected)
        return _reply(expected)

    def _repositories(self) -> Iterator[dict[str, Any]]:
        for name in {str(self.case.arguments.get("repository")), *_repositories_in(self.case.exchanges)}:
            yield {"id": name, "name": name, "project": {"id": IDS["Web"], "name": "Web"}}


def _repositories_in(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(found := value.get("repository"), Mapping) and "id" in found:
            yield str(found["id"])
        if isinstance(value.get("repositoryId"), str):
            yield value["repositoryId"]
        for inner in value.values():
            yield from _repositories_in(inner)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _repositories_in(entry)


def _reply(exchange: Mapping[str, Any]) -> web.Response:
    reply, status, headers = exchange.get("reply"), exchange.get("status", 200), exchange.get("reply_headers", {})
    if isinstance(reply, bytes):
        return web.Response(body=reply, status=status, headers=headers)
    if isinstance(reply, str):
        return web.Response(text=reply, status=status, headers=headers)
    if reply is None:
        return web.Response(status=status, headers=headers)
    return web.json_response(_belonging(reply), status=status, headers=headers)


def _belonging(value: Any) -> Any:
    """The reply, in which what would say to which project it belongs says so."""
    if isinstance(value, list):
        return [_belonging(entry) for entry in value]
    if not isinstance(value, Mapping):
        return value
    found = {name: _belonging(inner) for name, inner in value.items()}
    if isinstance(found.get("project"), Mapping) and found["project"].get("name") in NAMES:
        found["project"] = {**found["project"], "id": IDS[found["project"]["name"]]}
    if isinstance(found.get("fields"), Mapping) and "id" in found:
        found["fields"] = {"System.TeamProject": "Web", **found["fields"]}
    return found


async def played(case: Case, **settings: str) -> tuple[Organization, dict[str, Any]]:
    organization = Organization(case)
    tool, given = BY_NAME[case.tool], dict(case.arguments)
    if "project" in tool.parameter_names and not tool.name.endswith(("feeds", "feed", "package", "packages")):
        given.setdefault("project", "Web")
    async with serving_locally(organization.handle) as url, reaching(Elsewhere(f"{url}/acme"), **settings) as caller:
        return organization, await caller.call(case.tool, **consenting(tool, given))


async def test_within_reach_most_tools_answer_as_ever() -> None:
    others = []
    for case in FIRST.values():
        _, result = await played(case, ADO_ALLOWED_PROJECTS="Web")
        assert "Incident" not in json.dumps(result), case.name
        if result.get("structuredContent") != {"untrusted": UNTRUSTED, **(case.answer or {})}:
            others.append(case.name)
    # What some cases tell belongs to other projects, or says nothing of where it belongs.
    assert len(others) < len(FIRST) / 4, others


@pytest.mark.parametrize("case", FIRST.values(), ids=lambda case: case.name)
async def test_out_of_reach_a_tool_asks_for_nothing_and_tells_nothing(case: Case) -> None:
    organization, result = await played(case, ADO_ALLOWED_PROJECTS="Depot")
    assert [line for line in organization.sent if "/web/" in line or IDS["Web"] in line] == []
    if case.tool not in OF_PEOPLE:
        told = json.dumps(result)
        assert [text for text in _texts([exchange.get("reply") for exchange in case.exchanges]) if text in told] == []


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(FIRST)), st.sets(st.sampled_from([*NAMES, "web", "Nowhere", IDS["Depot"]]), min_size=1))
async def test_no_request_leaves_a_lock(tool: str, lock: set[str]) -> None:
    organization, result = await played(FIRST[tool], ADO_ALLOWED_PROJECTS=",".join(lock))
    is_within = not {"Web", "web"}.isdisjoint(lock)
    assert is_within or not [line for line in organization.sent if "/web/" in line]
    assert "Incident" not in json.dumps(result)


def _texts(value: Any) -> Iterator[str]:
    """What in a reply nobody could have known."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _texts(entry)
    elif isinstance(value, str) and len(value) > 5 and " " in value:
        yield value
