"""Who cannot change Azure, and who cannot approve it, whichever way they call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from refusal import Refusal
from tests.attacks.azure_changes.calls import OF_THE_SITE, WHOLE, Json, sent, words_of, written
from tests.fakes.azure.service import FakeAzure
from tests.sweeps import Sweep
from tests.tools.azure.resource_changes.scenes import SCENES, SITE, WEB, Scene, set_up
from tests.tools.azure.team import ASKING, Team, team


def ways(tool: str, arguments: Json) -> list[tuple[str, Json]]:
    """By which somebody may try to make a call: on the default surface, and with all tools told."""
    toolsets = ("resource-changes", "resource-any", "resource", "azure", tool)
    of_surface: list[Json] = [
        *({"tool": toolset, "command": tool, "parameters": arguments} for toolset in toolsets),
        {"tool": "resource-changes", "command": f"resource_changes_{tool}", "parameters": arguments},
        {"tool": "resource-changes", "command": tool, "parameters": arguments, "learn": True},
        {"command": tool, "parameters": arguments},
    ]
    return [*((way, one) for one in of_surface for way in ("azure", "azure_change")), (tool, arguments)]


@Sweep("scene", SCENES, ids=lambda scene: scene.name, every=3)
@pytest.mark.parametrize("toolsets", [None, "all"], ids=["default", "all"])
async def test_who_may_only_read_changes_nothing_by_any_way(scene: Scene, toolsets: str | None) -> None:
    azure = set_up(scene)
    async with team(azure, catalog=WHOLE) as them:
        cleo = replace(them.member("cleo, who only reads"), toolsets=toolsets)
        for name, arguments in ways(scene.tool, dict(scene.arguments)):
            await cleo.send("tools/call", {"name": name, "arguments": arguments})
        assert await them.approvals.kept().newest(10) == []
    assert azure.asked == []


@pytest.mark.parametrize("name", ["azure_resource_delete", "azure_resource_deploy"])
async def test_by_a_published_name_who_may_only_read_changes_nothing(azure: FakeAzure, name: str) -> None:
    arguments = {"resource_group": "shop-prod", "template_url": "https://raw.githubusercontent.com/x/y/z/a.json"}
    async with team(azure, catalog=WHOLE) as them:
        for way, given in ways(name, arguments):
            await them.member("cleo, who only reads").send("tools/call", {"name": way, "arguments": given})
        assert await them.approvals.kept().newest(10) == []
    assert azure.asked == []


async def test_nothing_that_changes_azure_is_run_through_what_reads(azure: FakeAzure) -> None:
    async with team(azure, ASKING, catalog=WHOLE) as them:
        ada = replace(them.member("ada"), toolsets=None)
        for scene in SCENES:
            toolset = "resource-any" if scene.tool == "change_azure" else "resource-changes"
            call = {"tool": toolset, "command": scene.tool, "parameters": dict(scene.arguments)}
            assert (await ada.call("azure", **call))["isError"]
        assert await them.approvals.kept().newest(10) == []
        assert written(azure) == []
        # Otherwise the refusals above would prove nothing.
        deletion: Json = {
            "tool": "resource-changes",
            "command": "delete_azure_resource",
            "parameters": {"resource_id": SITE},
        }
        assert "/changes/" in await ada.told("azure_change", **deletion)


@pytest.mark.parametrize(
    "name", ["ada's agent", "an application", "an agent for itself", "cleo, who only reads", "ada"]
)
async def test_nobody_but_another_person_agrees_to_a_change_of_azure(azure: FakeAzure, house: Team, name: str) -> None:
    call = OF_THE_SITE["delete_azure_resource"]
    words = await words_of(house, "ada", call)
    with pytest.raises(Refusal):
        await house.decides(name, words)
    await words_of(house, "ada", call)
    assert written(azure) == []


async def test_an_agent_needs_the_person_for_whom_it_acts_and_no_program(azure: FakeAzure) -> None:
    call = {"tool": "tag_resources", "resource_ids": [WEB], "tags": {"owner": "ada"}}
    async with team(azure) as them:
        words = await words_of(them, "ada's agent", call)
        assert "must approve" in words
        with pytest.raises(Refusal):
            await them.decides("ada's agent", words)
        await words_of(them, "ada's agent", {**call, "confirm": (await them.change(words)).code})
        assert written(azure) == []
        await them.decides("ada", words)
        assert not (await sent(them, "ada's agent", call))["isError"]
