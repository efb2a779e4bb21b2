"""What the real service was recorded to tell of roles is understood."""

from __future__ import annotations

from typing import Any, Final

import pytest

from clients.azure.permissions import Permissions
from tests.mcp_server.caller import Caller
from tests.tools.azure.data import recorded, with_data
from tests.tools.azure.golden import SUBSCRIPTION, Case, Scripted
from tools.azure.roles.definitions import Definition

pytestmark = with_data

SUBSCRIPTIONS: Final = {"reply": {"value": [{"subscriptionId": SUBSCRIPTION, "displayName": "Shop"}]}}
GROUP: Final = {"resource_group": "shop"}
ASSIGNED: Final = [
    "029-role-assignments-list-for-resource-200",
    "031-role-assignments-list-for-resource-200",
    "033-role-assignments-list-for-resource-group-200",
    "035-role-assignments-list-for-scope-200",
    "037-role-assignments-list-for-subscription-200",
    "039-role-assignments-list-for-subscription-200",
    "041-role-assignments-list-for-subscription-200",
]
DEFINED: Final = ["047-role-definitions-list-200", "049-role-definitions-list-200"]
DENIED: Final = [
    "001-deny-assignments-list-200",
    "003-deny-assignments-list-200",
    "005-deny-assignments-list-for-resource-group-200",
]


def body_of(name: str) -> Any:
    return {"value": recorded(f"authorization/{name}")["response"]["body"]["value"]}


async def given(caller: Caller, scripted: Scripted, tool: str, *replies: Any) -> Any:
    exchanges: list[Any] = [SUBSCRIPTIONS, *({"reply": reply} for reply in replies)]
    scripted.play(Case(tool, tool, GROUP, exchanges, None, None), by_turns=True)
    result = await caller.call(tool, **GROUP)
    assert not result["isError"], result["content"][0]["text"]
    return result["structuredContent"]


@pytest.mark.parametrize("name", ASSIGNED)
async def test_every_recorded_assignment_is_told(name: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(name)
    shown = await given(player, scripted, "list_role_assignments", body, *[{"value": []}] * 3)
    principals = {one["properties"]["principalId"] for one in body["value"]}
    assert {one["id"] for one in shown["items"]} == principals
    assert sum(len(one["roles"]) for one in shown["items"]) == len(body["value"])
    assert all(role["role"] for one in shown["items"] for role in one["roles"])


@pytest.mark.parametrize("name", DEFINED)
async def test_every_recorded_role_is_told(name: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(name)
    shown = await given(player, scripted, "list_role_definitions", body)
    assert {one["name"] for one in shown["items"]} == {one["properties"]["roleName"] for one in body["value"]}
    for record in body["value"]:
        found = Definition.of(record)
        entries = record["properties"]["permissions"]
        assert found.permissions == Permissions.of(entries)
        assert all(found.permissions.allow(one, of_data=False) for entry in entries for one in entry["actions"][:1])


@pytest.mark.parametrize("name", DENIED)
async def test_every_recorded_denial_is_told(name: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(name)
    shown = await given(player, scripted, "list_deny_assignments", body)
    names = [one["properties"]["denyAssignmentName"] for one in body["value"]]
    assert [one["name"] for one in shown["items"]] == names
