"""Roles of the bakery's own are made, changed and deleted as it was shown, once."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from changes.preview import Edit
from tests.fakes.azure import troubles
from tests.fakes.azure.access import DEPLOYER, Role
from tests.fakes.azure.people import DEVELOPER, PIPELINE
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident, Trouble
from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.sweeps import Sweep, pairs
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.team import ASKING, team

RESTARTING: Final = {"name": "Restarter", "actions": ["Microsoft.Web/sites/restart/action"], "scopes": [SHOP]}
LOST: Final = [troubles.cut_connection, troubles.cut_body, troubles.broken, troubles.gateway_timeout, troubles.no_json]
CALLS: Final[dict[str, dict[str, Any]]] = {
    "create_role_definition": RESTARTING,
    "update_role_definition": {"role": "Oven Watcher", "actions": ["*/read", "Microsoft.Web/sites/restart/action"]},
    "delete_role_definition": {"role": "Oven Watcher"},
}


def bakery() -> FakeAzure:
    azure = FakeAzure()
    azure.access.roles.append(
        Role("0" * 8 + "-1111-4111-8111-" + "0" * 12, "Oven Watcher", "Looks.", ("*/read",), kind="CustomRole")
    )
    return azure


def role(azure: FakeAzure, name: str) -> Role | None:
    return next((one for one in azure.access.roles if one.name == name), None)


def written(azure: FakeAzure) -> int:
    return sum(one.method in {"PUT", "DELETE"} for one in azure.asked)


async def test_a_role_is_made_once() -> None:
    azure = bakery()
    async with asking(azure) as caller:
        made = await answered(caller, "create_role_definition", **RESTARTING)
        again = await refused(caller, "create_role_definition", **RESTARTING)
    found = role(azure, "Restarter")
    assert found is not None
    assert (found.id, found.actions, found.scopes) == (made["id"], tuple(RESTARTING["actions"]), (SHOP,))
    assert "Role 'Restarter' already exists" in again
    assert written(azure) == 1


async def test_what_is_not_given_stays_as_it_is() -> None:
    azure = bakery()
    async with asking(azure) as caller:
        await answered(caller, "update_role_definition", role="Oven Watcher", description="Watches ovens.")
        again = await answered(caller, "update_role_definition", role="Oven Watcher", description="Watches ovens.")
    found = role(azure, "Oven Watcher")
    assert found is not None
    assert (found.description, found.actions) == ("Watches ovens.", ("*/read",))
    assert again["status"] == "unchanged"


async def test_a_role_is_created_under_the_name_that_was_shown() -> None:
    azure = bakery()
    wanted = {"name": "  Foo ", "actions": ["*/read"]}
    async with team(azure, ASKING) as office:
        told = await refused(office.member("ada"), "create_role_definition", **wanted)
        shown = await office.shown(told)
        await office.decides("bea", told)
        await office.member("ada").call("create_role_definition", **wanted)
    assert {edit.path: edit.after for edit in shown.edits}["roleName"] == "Foo"
    assert role(azure, "Foo") is not None


async def test_the_preview_tells_what_is_added_and_removed_and_who_has_it() -> None:
    azure = bakery()
    wanted = {
        "role": "Bakery Deployer",
        "actions": ["*/read", "Microsoft.Web/sites/*", "Microsoft.Authorization/*/write"],
    }
    async with team(azure, ASKING) as office:
        told = await refused(office.member("ada"), "update_role_definition", **wanted)
        shown = await office.shown(told)
        await office.decides("bea", told)
        done = await office.member("ada").call("update_role_definition", **wanted)
    assert not done["isError"], done
    assert Edit("actions", "Microsoft.App/containerApps/*", None) in shown.edits
    assert Edit("actions", None, "Microsoft.Authorization/*/write") in shown.edits
    assert shown.facts["assigned"] == [f"ServicePrincipal {PIPELINE.id} at /subscriptions/{PRODUCTION}"]
    assert "lets its holders assign roles" in shown.grave
    assert "whole subscription" in shown.grave
    found = role(azure, "Bakery Deployer")
    assert found is not None
    assert found.actions == tuple(wanted["actions"])


async def test_a_role_that_changed_meanwhile_is_shown_again() -> None:
    azure = bakery()
    wanted = CALLS["update_role_definition"]
    async with team(azure, ASKING) as office:
        told = await refused(office.member("ada"), "update_role_definition", **wanted)
        await office.decides("bea", told)
        azure.access.roles[-1] = Role(azure.access.roles[-1].id, "Oven Watcher", "Other.", ("*",), kind="CustomRole")
        assert "Nothing was done" in await refused(office.member("ada"), "update_role_definition", **wanted)
    assert written(azure) == 0


async def test_a_role_that_somebody_has_is_not_deleted() -> None:
    azure = bakery()
    async with asking(azure) as caller:
        told = await refused(caller, "delete_role_definition", role="Bakery Deployer")
        await answered(caller, "delete_role_definition", role="Oven Watcher")
    assert f"ServicePrincipal {PIPELINE.id} at" in told
    assert role(azure, "Bakery Deployer") == DEPLOYER
    assert role(azure, "Oven Watcher") is None


async def test_roles_of_azure_stay() -> None:
    azure = bakery()
    async with asking(azure) as caller:
        for tool, more in (("update_role_definition", {"description": "x"}), ("delete_role_definition", {})):
            assert "is a built-in role" in await refused(caller, tool, role="Reader", **more)
    assert written(azure) == 0


async def test_json_as_az_takes_it_does() -> None:
    azure = bakery()
    text = {
        "Name": "Restarter",
        "Actions": RESTARTING["actions"],
        "AssignableScopes": [SHOP],
        "Description": "For nights.",
    }
    async with asking(azure) as caller:
        await answered(caller, "role_definition_create", roleDefinition=json.dumps(text))
        await answered(caller, "role_definition_update", roleDefinition=json.dumps({**text, "Description": "For all."}))
        found = role(azure, "Restarter")
        assert found is not None
        assert (found.description, found.scopes) == ("For all.", (SHOP,))
        await answered(caller, "role_definition_delete", name="Restarter")
        for nonsense in ("[]", "{", '"x"', "[" * 5000):
            assert "must be JSON such as" in await refused(caller, "role_definition_create", roleDefinition=nonsense)
    assert role(azure, "Restarter") is None


async def test_whoever_may_not_make_roles_makes_none() -> None:
    azure = bakery()
    async with asking(azure, who=DEVELOPER) as caller:
        told = await refused(caller, "create_role_definition", **RESTARTING)
    assert "Microsoft.Authorization/roleDefinitions/write" in told
    assert role(azure, "Restarter") is None


@pytest.mark.parametrize("is_done", [True, False])
@Sweep(("tool", "trouble"), pairs(CALLS, LOST), every=3)
async def test_a_lost_answer_is_found_out(tool: str, trouble: Trouble, is_done: bool) -> None:
    azure = bakery()
    method = "DELETE" if tool.startswith("delete") else "PUT"
    azure.accidents.append(Accident(method, "/roledefinitions/", trouble, is_done=is_done))
    async with asking(azure) as caller:
        result = await caller.call(tool, **CALLS[tool])
    assert ("the change was applied" if is_done else "most likely not applied") in result["content"][0]["text"]
    assert written(azure) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"actions": ["x' or 1"]},
        {"actions": []},
        {"actions": ["Microsoft.Web/sites/../*"], "scopes": ["/subscriptions/../x"]},
        {"scopes": ["https://elsewhere.example/"]},
        {"name": ""},
    ],
)
async def test_what_is_no_role_is_refused(wrong: dict[str, Any]) -> None:
    azure = bakery()
    async with asking(azure) as caller:
        await refused(caller, "create_role_definition", **{**RESTARTING, **wrong})
    assert written(azure) == 0
