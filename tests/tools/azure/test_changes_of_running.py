"""Every tool that changes apps, Service Bus or Cosmos DB: what it shows first, does once, and tells, come what may."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from aiohttp import web

from changes.preview import Preview
from tests.fakes.azure import troubles
from tests.fakes.azure.access import READER_ROLE, Assignment
from tests.fakes.azure.people import OWNER, READER
from tests.fakes.azure.routes import Asked
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident, Trouble
from tests.fakes.azure.world import PRODUCTION
from tests.sweeps import Sweep, pairs
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.running_changes import DOINGS, PAYMENT, at_work, resource
from tests.tools.azure.team import ASKING, team
from tools.azure import TOOLSETS

READS: Final = ("/config/appsettings/list", "/slotsdiffs", "/providers/microsoft.resourcegraph/resources")
LOST: Final = [troubles.cut_connection, troubles.cut_body, troubles.broken, troubles.gateway_timeout, troubles.no_json]
REFUSALS: Final = [
    (troubles.failing(409, "Conflict", "Another operation is in progress."), "409"),
    (troubles.failing(412, "PreconditionFailed", "It was changed."), "changed in the meantime"),
    (troubles.failing(404, "NotFound", "It is not there."), "404"),
    (troubles.unauthorized, "401"),
]

every_change = Sweep("tool", DOINGS, every=4)


def changing(azure: FakeAzure) -> list[Asked]:
    """What was asked for that does more than to read."""
    return [one for one in azure.asked if one.method != "GET" and not one.path.lower().endswith(READS)]


def sent(azure: FakeAzure, tool: str) -> int:
    doing = DOINGS[tool]
    own = (one for one in changing(azure) if one.method == doing.method)
    return len([one for one in own if one.path.lower().endswith(doing.part)])


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)
    elif value is not None:
        yield str(value)


def beyond(preview: Preview, arguments: dict[str, Any]) -> list[str]:
    """What is told that nobody could tell by the arguments."""
    given = " ".join(texts(arguments)).lower()
    document = preview.document
    told = texts([document["what"], document["facts"], document["edits"]])
    return [text for text in told if text.strip() and text.lower() not in given]


def test_all_of_them_are_looked_at() -> None:
    changes = {
        tool.name
        for toolset in TOOLSETS
        if toolset.name in {"apps", "servicebus", "cosmos"}
        for tool in toolset.tools
        if tool.access.label != "read"
    }
    assert changes == DOINGS.keys()


@every_change
async def test_a_preview_shows_what_azure_knows_is_complete_and_changes_nothing(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), tool, **doing.arguments)
        shown = await people.shown(words)
    assert shown.missing == []
    assert len(beyond(shown, doing.arguments)) >= 2
    assert [min(names) for names in shown.places["subscription"] or ()] != []
    assert shown.places["resource-group"]
    assert changing(azure) == []


@every_change
async def test_what_was_agreed_to_is_done_once(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), tool, **doing.arguments)
        await people.decides("bea", words)
        done = await answered(people.member("ada"), tool, **doing.arguments)
        again = await people.member("ada").call(tool, **doing.arguments)
    assert done["status"] == "done"
    assert sent(azure, tool) == 1
    assert again["isError"] or again["structuredContent"]["status"] == "unchanged"


@every_change
async def test_two_looks_agree_to_the_same(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    async with team(azure, ASKING) as people:
        first = await refused(people.member("ada"), tool, **doing.arguments)
        second = await refused(people.member("ada"), tool, **doing.arguments)
        assert (await people.change(first)).id == (await people.change(second)).id


@Sweep(("tool", "trouble"), pairs(DOINGS, LOST), every=len(LOST))
async def test_a_lost_answer_to_what_was_done_is_found_out(tool: str, trouble: Trouble) -> None:
    azure, doing = at_work(), DOINGS[tool]
    azure.accidents.append(Accident(doing.method, doing.part, trouble, is_done=True))
    async with asking(azure) as caller:
        result = await caller.call(tool, **doing.arguments)
    text = result["content"][0]["text"]
    if doing.can_be_seen:
        # What takes Azure longer may not be seen yet.
        assert any(one in text for one in ("the change was applied", "under way", "most likely not applied")), text
    else:
        assert "outcome is unknown" in text
    assert sent(azure, tool) == 1
    assert PAYMENT not in text


@Sweep(("tool", "trouble"), pairs(DOINGS, LOST), every=len(LOST))
async def test_a_lost_answer_to_what_was_not_done_is_told_as_that(tool: str, trouble: Trouble) -> None:
    azure, doing = at_work(), DOINGS[tool]
    azure.accidents.append(Accident(doing.method, doing.part, trouble))
    async with asking(azure) as caller:
        told = await refused(caller, tool, **doing.arguments)
    assert ("most likely not applied" if doing.can_be_seen else "outcome is unknown") in told
    assert "check" in told.lower()
    assert sent(azure, tool) == 1
    assert PAYMENT not in told


@Sweep(("tool", "refusal"), pairs(DOINGS, REFUSALS), every=len(REFUSALS))
async def test_a_refusal_of_azure_is_told_and_nothing_is_repeated(tool: str, refusal: tuple[Trouble, str]) -> None:
    azure, doing = at_work(), DOINGS[tool]
    trouble, words = refusal
    azure.accidents.append(Accident(doing.method, doing.part, trouble))
    async with asking(azure) as caller:
        told = await refused(caller, tool, **doing.arguments)
    assert words in told
    assert sent(azure, tool) == 1


@every_change
async def test_what_azure_goes_on_refusing_to_do_so_soon_is_told(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    azure.accidents += [Accident(doing.method, doing.part, troubles.throttled(Retry_After="17"))] * 20
    async with asking(azure) as caller:
        told = await refused(caller, tool, **doing.arguments)
    assert "is throttling requests (429" in told
    assert PAYMENT not in told


@every_change
async def test_a_lock_is_told_before_anything_is_tried(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    azure.tags_and_locks.lock(doing.of, "ReadOnly", "keep", "The baker wants it so.")
    async with team(azure, ASKING) as people:
        told = await refused(people.member("ada"), tool, **doing.arguments)
    assert "'keep' (ReadOnly)" in told
    assert "because of these locks" in told
    assert changing(azure) == []


@every_change
async def test_a_lock_is_told_where_nobody_has_to_approve(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    azure.tags_and_locks.lock(doing.of, "ReadOnly", "keep", "The baker wants it so.")
    async with asking(azure) as caller:
        told = await refused(caller, tool, **doing.arguments)
    assert "'keep' (ReadOnly)" in told
    assert "The baker wants it so." in told
    assert changing(azure) == []


@pytest.mark.parametrize("tool", ["update_cosmosdb_account", "stop_app", "scale_app", "delete_servicebus_namespace"])
async def test_what_changes_after_it_was_read_is_not_written_over(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]

    async def meddle(_request: web.BaseRequest) -> web.StreamResponse:
        resource(azure, doing.of).document["tags"] = {"owner": "somebody else"}
        return web.json_response({"value": [{"actions": ["*"], "notActions": []}]})

    azure.accidents.append(Accident("GET", "/microsoft.authorization/permissions", meddle))
    async with asking(azure) as caller:
        told = await refused(caller, tool, **doing.arguments)
    assert "changed in the meantime" in told
    assert changing(azure) == []


@every_change
async def test_locks_and_permissions_that_cannot_be_read_are_left_to_azure(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    for place in ("/microsoft.authorization/locks", "/microsoft.authorization/permissions"):
        azure.places[place] = troubles.failing(403, "AuthorizationFailed", "No.")
    async with asking(azure) as caller:
        assert (await answered(caller, tool, **doing.arguments))["status"] == "done"


@every_change
async def test_permissions_that_cannot_be_read_are_shown_as_unknown(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    azure.places["/microsoft.authorization/permissions"] = troubles.failing(403, "AuthorizationFailed", "No.")
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), tool, **doing.arguments)
        assert "is unknown" in (await people.shown(words)).doubt
    assert "It is unknown whether you have the permission" in words


@every_change
async def test_what_is_not_there_is_told_before_anybody_is_asked(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    if "resource_group" in doing.absent:
        return  # of a group Azure itself tells
    async with team(azure, ASKING) as people:
        told = await refused(people.member("ada"), tool, **doing.absent)
    assert "/changes/" not in told
    assert changing(azure) == []


@every_change
async def test_whoever_may_only_read_is_told_which_role_it_takes(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    scope = f"/subscriptions/{PRODUCTION}"
    azure.access.assignments.append(Assignment(READER_ROLE, READER.id, "User", scope, datetime.now(UTC), OWNER.id))
    async with asking(azure, who=READER) as caller:
        told = await refused(caller, tool, **doing.arguments)
    async with team(azure, ASKING, who=READER) as people:
        assert await refused(people.member("ada"), tool, **doing.arguments) == told
    assert "requires the role" in told or "requires a role with the action" in told
    assert READER.id not in told
    assert changing(azure) == []


@every_change
async def test_names_that_could_be_read_as_paths_reach_nothing(tool: str) -> None:
    azure, doing = at_work(), DOINGS[tool]
    for hostile in ("../../x", "a/../b", "a%2f..%2fb", "a?b=c", "a#b", "..", "a\\b", "a\u2215b", "x" * 3000):
        for name, value in doing.arguments.items():
            if isinstance(value, str):
                async with asking(azure) as caller:
                    result = await caller.call(tool, **{**doing.arguments, name: hostile})
                assert "incident" not in json.dumps(result).lower()
    assert all({"..", "."}.isdisjoint(one.path.split("/")) for one in azure.asked)
