"""Choices by an address, by headers, and by a session of plain HTTP: all hold, so none widens another."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import pytest

from tests.attacks.front import Front
from tests.offline import app_of, offline
from updates.showing.exports import FORMS

pytestmark = pytest.mark.anyio

CSV: Final = "/updates.csv?limit=1"


@pytest.fixture(scope="module")
async def front(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Front]:
    app = app_of(offline(tmp_path_factory.mktemp("storage")))
    yield Front(app)
    await app.close()


async def begin(front: Front, headers: Mapping[str, str] | None = None, **said: Any) -> str:
    answer = await front.send("POST", "/mcp/initialize", json.dumps({"client_id": "x", **said}).encode(), headers)
    assert answer.status == 200, answer.body
    return str(json.loads(answer.body)["session_id"])


async def listed(front: Front, headers: Mapping[str, str]) -> set[str]:
    answer = await front.send("GET", "/tools", b"", headers)
    assert answer.status == 200, answer.body
    return {tool["name"] for tool in json.loads(answer.body)["tools"]}


@pytest.mark.parametrize(
    "said",
    [
        {"toolsets": []},
        {"tools": []},
        {"toolsets": [], "tools": ["whoami"]},
        {"toolsets": [""]},
        {"tools": [" "]},
        {"toolsets": [","]},
        {"tools": ["&"]},
        {"toolsets": ["me&"]},
        {"toolsets": "me"},
        {"toolsets": [["me"]]},
        {"read_only": "true"},
        {"toolsets": None, "tools": [None]},
    ],
    ids=str,
)
async def test_a_session_of_an_empty_choice_is_a_mistake(front: Front, said: dict[str, Any]) -> None:
    answer = await front.send("POST", "/mcp/initialize", json.dumps({"client_id": "x", **said}).encode())
    assert answer.status == 400
    assert b"session_id" not in answer.body


NARROWED: Final[Mapping[str, tuple[dict[str, Any], dict[str, str], set[str]]]] = {
    "another toolset beside": ({"toolsets": ["me"]}, {"x-mcp-toolsets": "me,firewall"}, {"whoami"}),
    "all toolsets": ({"toolsets": ["me"]}, {"x-mcp-toolsets": "all,me"}, {"whoami"}),
    "the same toolset": ({"toolsets": ["me"]}, {"x-mcp-toolsets": "me"}, {"whoami"}),
    "a tool within": ({"toolsets": ["me", "firewall"]}, {"x-mcp-tools": "whoami"}, {"whoami"}),
    "another tool beside": ({"tools": ["whoami"]}, {"x-mcp-tools": "whoami,search_azure_updates"}, {"whoami"}),
    "writing again": ({"toolsets": ["me"], "read_only": True}, {"x-mcp-readonly": "false"}, {"whoami"}),
    "a reach with azure": ({"tools": ["whoami", "azure"]}, {"x-mcp-tools": "azure,azure_change"}, {"azure"}),
}


@pytest.mark.parametrize(("session", "headers", "left"), NARROWED.values(), ids=NARROWED)
async def test_a_session_is_only_narrowed_by_headers(
    front: Front, session: dict[str, Any], headers: dict[str, str], left: set[str]
) -> None:
    begun = await begin(front, **session)
    assert await listed(front, {"session-id": begun, **headers}) == left
    # A session that begins within it is as narrow, whether by its headers or by its body.
    inner = await begin(front, {"session-id": begun}, **_said_by(headers))
    assert await listed(front, {"session-id": inner}) == left


def _said_by(headers: Mapping[str, str]) -> dict[str, Any]:
    lists = {name.removeprefix("x-mcp-"): text.split(",") for name, text in headers.items() if "only" not in name}
    return lists | ({"read_only": False} if "x-mcp-readonly" in headers else {})


READ_ONLY_WAYS: Final = [("true", "false"), ("false", "true"), ("1", "0"), ("true", "true")]


@pytest.mark.parametrize(("first", "second"), READ_ONLY_WAYS)
async def test_what_a_session_may_not_write_no_header_lets_it_write(front: Front, first: str, second: str) -> None:
    begun = await begin(front, read_only=first in {"true", "1"})
    headers = {"session-id": begun, "x-mcp-readonly": second}
    answer = await front.send("POST", "/tools/refresh_azure_updates", b"{}", headers)
    assert answer.status == 404


COMMON: Final[Mapping[str, tuple[dict[str, str], set[str]]]] = {
    "of toolsets": ({"x-mcp-toolsets": "me,firewall & firewall"}, {"new_azure_firewall_rules"}),
    "of three": ({"x-mcp-toolsets": "me,firewall&all&me"}, {"whoami"}),
    "of a group": ({"x-mcp-toolsets": "all & me"}, {"whoami"}),
    "of tools": ({"x-mcp-tools": "whoami,azure & whoami"}, {"whoami"}),
    "of both kinds": ({"x-mcp-toolsets": "me,firewall & me", "x-mcp-tools": "whoami"}, {"whoami"}),
    "of truths": ({"x-mcp-readonly": "false & true", "x-mcp-toolsets": "me"}, {"whoami"}),
}


@pytest.mark.parametrize(("headers", "left"), COMMON.values(), ids=COMMON)
async def test_choices_that_are_sent_twice_intersect(front: Front, headers: dict[str, str], left: set[str]) -> None:
    assert await listed(front, headers) == left


NOTHING_IN_COMMON: Final[Mapping[str, dict[str, str]]] = {
    "two toolsets": {"x-mcp-toolsets": "me & firewall"},
    "two tools": {"x-mcp-tools": "whoami & search_azure_updates"},
    "a tool of another toolset": {"x-mcp-toolsets": "firewall", "x-mcp-tools": "whoami"},
    "one of them empty": {"x-mcp-toolsets": "me & "},
    "the first of them empty": {"x-mcp-toolsets": " & me"},
    "both empty": {"x-mcp-tools": "&"},
    "a tool and azure": {"x-mcp-tools": "azure & whoami"},
    "a truth that is none": {"x-mcp-readonly": "true & maybe"},
    "a list of truths": {"x-mcp-readonly": "true,false"},
    "an empty truth": {"x-mcp-readonly": "true & "},
    "two unknown ones": {"x-mcp-toolsets": "nope & me"},
}


@pytest.mark.parametrize("headers", NOTHING_IN_COMMON.values(), ids=NOTHING_IN_COMMON)
async def test_choices_that_have_nothing_in_common_are_a_mistake(front: Front, headers: dict[str, str]) -> None:
    for url in ("/tools", "/openapi.json", "/resources", CSV):
        assert (await front.send("GET", url, b"", headers)).status == 400


async def test_azure_alone_in_one_choice_does_no_more_than_in_the_other(front: Front) -> None:
    """Alone, it does everything; beside others, it reads. Both together read."""
    headers = {"x-mcp-tools": "azure & azure,refresh_azure_updates"}
    answer = await front.send("GET", "/tools", b"", headers)
    (azure,) = json.loads(answer.body)["tools"]
    assert azure["annotations"]["readOnlyHint"] is True


LEFT_OUT: Final[Mapping[str, dict[str, str]]] = {
    "another toolset": {"x-mcp-toolsets": "me"},
    "another tool": {"x-mcp-tools": "whoami"},
    "two choices": {"x-mcp-toolsets": "all & firewall"},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("headers", LEFT_OUT.values(), ids=LEFT_OUT)
async def test_files_of_updates_follow_the_choice(front: Front, form: str, headers: dict[str, str]) -> None:
    url = f"/updates.{form}?limit=1"
    assert (await front.send("GET", url, b"", headers)).status == 404
    session = await begin(front, headers)
    assert (await front.send("GET", url, b"", {"session-id": session})).status == 404
    assert (await front.send("GET", url, b"", {"x-mcp-tools": "search_azure_updates"})).status == 200
    assert (await front.send("GET", url, b"", {"session-id": "made-up"})).status == 401
