"""Work items that leave their project or go away, however a call names the fields, and links to other projects."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.tools.azure_devops.given import given
from tests.tools.azure_devops.team import team
from tests.tools.azure_devops.world import World

Json = dict[str, Any]
ASKED: Final = "/changes/"
ANOTHER: Final = "Another person must approve"


async def told(world: World, rules: list[Json], tool: str, **arguments: Any) -> str:
    async with team(world, *rules) as people:
        result = await people.member("ada").call(tool, **arguments)
    return str(result["content"][0]["text"])


@pytest.mark.parametrize("name", ["System.TeamProject", "system.teamproject", "Team Project", "team project"])
async def test_a_move_asks_however_the_field_is_named(name: str) -> None:
    assert ASKED in await told(World(), [], "update_work_item", id=1, additionalFields={name: "Vault"})


@pytest.mark.parametrize("name", ["System.TeamProject", "system.teamproject", "Team Project"])
@pytest.mark.parametrize("spelt", ["Vault", "VAULT", "by its id", "Safe"])
async def test_a_rule_for_the_new_project_applies_to_a_move(name: str, spelt: str) -> None:
    world = World()
    world.projects.former = {"Safe": "Vault"}
    project = world.id_of("Vault") if spelt == "by its id" else spelt
    fields = {name: project, "System.AreaPath": "Vault", "System.IterationPath": "Vault"}
    rules = [{"in": {"project": "Vault"}, "ask": "another"}, {"in": {"project": "Web"}, "ask": "nobody"}]
    assert ANOTHER in await told(world, rules, "update_work_item", id=1, additionalFields=fields)
    assert ANOTHER in await told(world, rules, "update_work_item", id=[1, 4], additionalFields=fields)


@pytest.mark.parametrize("name", ["System.AreaId", "system.areaid", "Iteration ID"])
async def test_a_place_by_its_number_asks(name: str) -> None:
    assert ASKED in await told(World(), [], "update_work_item", id=1, additionalFields={name: 7})


@pytest.mark.parametrize("name", ["System.State", "system.state", "SYSTEM.STATE", "State", "state"])
@pytest.mark.parametrize("state", ["Removed", "removed", "Removed "])
async def test_a_removal_asks_however_the_field_is_named(name: str, state: str) -> None:
    world = World()
    story = world.work_items.add("Web", "User Story", "x")
    assert ASKED in await told(world, [], "update_work_item", id=story, additionalFields={name: state})


async def test_a_removal_asks_if_the_type_changes_with_the_state() -> None:
    fields = {"Work Item Type": "User Story", "State": "Removed"}
    assert ASKED in await told(World(), [], "update_work_item", id=1, additionalFields=fields)


async def test_a_field_is_not_set_twice_by_two_of_its_names() -> None:
    world = World()
    said = await told(world, [], "update_work_item", id=1, additionalFields={"State": "Closed", "system.state": "New"})
    assert "The field System.State has several values" in said


@pytest.mark.parametrize("name", ["Zustand", "Teamprojekt", "Reason", "System\u200b.State", "System,State"])
async def test_a_field_whose_meaning_is_unknown_is_not_set(name: str) -> None:
    world = World()
    said = await told(world, [], "update_work_item", id=1, additionalFields={name: "Removed"})
    assert "Use reference names" in said
    assert len(world.work_items.revisions[1]) == len(World().work_items.revisions[1])


async def test_other_fields_are_set_by_either_name() -> None:
    world = World()
    async with team(world) as people:
        ada = people.member("ada")
        await given(ada, "update_work_item", id=1, additionalFields={"Priority": 1, "system.title": "New"})
    fields = world.work_items.latest(1)["fields"]
    assert (fields["Microsoft.VSTS.Common.Priority"], fields["System.Title"]) == (1, "New")


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("link_work_items", {"sourceId": 1, "targetId": 2, "linkType": "related"}),
        ("remove_work_item_link", {"sourceId": 4, "targetId": 2, "linkType": "related"}),
        ("delete_work_item", {"id": 4}),
    ],
)
async def test_a_rule_for_the_project_of_a_linked_work_item_applies(tool: str, words: Json) -> None:
    rules = [{"in": {"project": "Vault"}, "ask": "another"}, {"in": {"project": "Web"}, "ask": "nobody"}]
    assert ANOTHER in await told(World(), rules, tool, **words)


OF_VAULT: Final[list[Json]] = [
    {"in": {"project": "Vault"}, "ask": "another"},
    {"in": {"project": "Web"}, "ask": "nobody"},
]


@pytest.mark.parametrize("parent", [2, 999])
async def test_a_rule_for_the_project_of_its_parent_applies_to_a_new_work_item(parent: int) -> None:
    words = {"type": "Task", "title": "x", "project": "Web", "parentId": parent}
    assert ANOTHER in await told(World(), OF_VAULT, "create_work_item", **words)


async def test_a_new_work_item_below_one_of_its_own_project_is_made() -> None:
    words = {"type": "Task", "title": "x", "project": "Web", "parentId": 1}
    assert ASKED not in await told(World(), OF_VAULT, "create_work_item", **words)


@pytest.mark.parametrize("name", ["System.TeamProject", "Team Project"])
async def test_a_new_work_item_has_no_second_project(name: str) -> None:
    words = {"type": "Task", "title": "x", "project": "Web", "additionalFields": {name: "Vault"}}
    assert "pass `project`" in await told(World(), OF_VAULT, "create_work_item", **words)


@pytest.mark.parametrize("tool", ["create_work_item", "update_work_item"])
@pytest.mark.parametrize("name", ["System.Parent", "Parent"])
async def test_a_parent_is_not_set_as_a_field(tool: str, name: str) -> None:
    words = {"id": 1} if tool == "update_work_item" else {"type": "Task", "title": "x"}
    assert "link_work_items" in await told(World(), OF_VAULT, tool, **words, additionalFields={name: 2})
