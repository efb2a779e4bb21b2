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
from tests.sweeps import Sweep, examples, share
from tests.tools.azure_devops.calling import TOOLS
from tests.tools.azure_devops.golden import Case, cases
from tests.tools.azure_devops.reaching import reaching
from tools.azure_devops.shared.answers import UNTRUSTED

pytestmark = pytest.mark.anyio

NAMES: Final = ("Web", "Depot", "Vault")
IDS: Final = {name: str(uuid5(NAMESPACE_URL, name)) for name in NAMES}
EVERY: Final = "*"
PROJECTS: Final[dict[str, Any]] = {"value": [{"id": IDS[name], "name": name} for name in NAMES]}
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
        if looked_up := _looked_up(request, path, body):
            return web.json_response(looked_up)
        line = f"{request.method} {request.headers['Host']}{path}".replace(IDS["Web"], "Web").lower()
        expected = next((exchange for exchange in self.left if exchange["request"].lower() == line), None)
        if expected is None and path.endswith("/git/repositories"):
            return web.json_response({"value": list(self._repositories())})
        self.sent.append(line)
        if expected is None and path.endswith("/_apis/projects"):
            return web.json_response(PROJECTS)
        if expected is None:
            return web.json_response({"id": 1, "project": {"id": IDS["Web"], "name": "Web"}})
        # What is read last stays, for whoever reads it once more.
        if [exchange["request"].lower() for exchange in self.left].count(line) > 1 or request.method != "GET":
            self.left.remove(expected)
        return _reply(expected)

    def _repositories(self) -> Iterator[dict[str, Any]]:
        yield {"id": IDS["Vault"], "name": "safe", "project": {"id": IDS["Vault"], "name": "Vault"}}
        for name in {str(self.case.arguments.get("repository")), *_repositories_in(self.case.exchanges)}:
            yield {"id": name, "name": name, "project": {"id": IDS["Web"], "name": "Web"}}


def _looked_up(request: web.BaseRequest, path: str, body: Any) -> dict[str, Any] | None:
    """What is answered to the confinement itself."""
    if path.endswith("/_apis/projects") and request.query.get("$top") == "1000":
        return PROJECTS
    if isinstance(body, dict) and body.get("fields") == ["System.TeamProject"]:
        return {"value": [{"id": number, "fields": {"System.TeamProject": "Web"}} for number in body["ids"]]}
    if numbers := request.query.get("buildIds"):
        return {"value": [_build(number) for number in numbers.split(",")]}
    return None


def _build(number: str) -> dict[str, Any]:
    return {"id": int(number), "project": PROJECTS["value"][0], "repository": {"id": "oven", "type": "TfsGit"}}


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


async def played(case: Case, scope: str = "Web", **settings: Any) -> tuple[Organization, dict[str, Any]]:
    """Call a tool as a case does; with the scope `*` in all projects, and in all of their repositories."""
    organization = Organization(case)
    tool, given = BY_NAME[case.tool], dict(case.arguments)
    if scope == EVERY and "project" in tool.parameter_names:
        given = {name: value for name, value in given.items() if name != "repository"} | {"project": EVERY}
    if "project" in tool.parameter_names and not tool.name.endswith(("feeds", "feed", "package", "packages")):
        given.setdefault("project", "Web")
    async with serving_locally(organization.handle) as url, reaching(Elsewhere(f"{url}/acme"), **settings) as caller:
        return organization, await caller.call(case.tool, **given)


async def test_within_reach_most_tools_answer_as_ever() -> None:
    others, cases = [], share([*FIRST.values()], every=4)
    for case in cases:
        _, result = await played(case, ADO_ALLOWED_PROJECTS="Web")
        assert "Incident" not in json.dumps(result), case.name
        if result.get("structuredContent") != {"untrusted": UNTRUSTED, **(case.answer or {})}:
            others.append(case.name)
    # What some cases tell belongs to other projects, or says nothing of where it belongs.
    assert len(others) < len(cases) / 4, others


@Sweep("case", FIRST.values(), every=5, ids=lambda case: case.name)
@pytest.mark.parametrize("scope", ["Web", EVERY])
async def test_out_of_reach_a_tool_asks_for_nothing_and_tells_nothing(case: Case, scope: str) -> None:
    organization, result = await played(case, scope, ADO_ALLOWED_PROJECTS="Depot")
    assert strays(organization, {"Depot"}) == []
    if case.tool not in OF_PEOPLE:
        told = json.dumps(result)
        assert [text for text in _texts([exchange.get("reply") for exchange in case.exchanges]) if text in told] == []


def strays(organization: Organization, within: set[str]) -> list[str]:
    """What was asked of projects that are not within."""
    names = {name for name in NAMES if name not in within}
    segments = {f"/{name.lower()}/" for name in names} | {f"/{IDS[name]}" for name in names}
    return [line for line in organization.sent if any(segment in f"{line}/" for segment in segments)]


@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    tool=st.sampled_from(sorted(FIRST)),
    lock=st.sets(st.sampled_from([*NAMES, "web", "Nowhere", IDS["Depot"]]), min_size=1),
    repositories=st.sets(st.sampled_from(["Web/oven", "safe", "Vault/safe", "nothing"])),
    scope=st.sampled_from(["Web", EVERY]),
)
async def test_no_request_leaves_a_lock(tool: str, lock: set[str], repositories: set[str], scope: str) -> None:
    locks = {"ADO_ALLOWED_PROJECTS": lock, "ADO_ALLOWED_REPOSITORIES": repositories}
    given = {name: ",".join(sorted(names)) for name, names in locks.items() if names}
    organization, result = await played(FIRST[tool], scope, **given)
    assert strays(organization, {name for name in NAMES if {name, name.lower(), IDS[name]} & lock}) == []
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
