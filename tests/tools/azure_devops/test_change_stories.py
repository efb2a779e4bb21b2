"""Changes as teams meet them, each to its end, and what the records tell of it to who was not there."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.changes.yard import CALLERS
from tests.fakes.azure_devops.git_store import Repository
from tests.fakes.azure_devops.routes import changing
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Json
from tests.mcp_server.records import Records
from tests.tools.azure_devops.given import given
from tests.tools.azure_devops.shop import FILES, FIRST, opened, pushed
from tests.tools.azure_devops.team import change_in, team

# A name for each id that stands in records, as a directory has them.
PEOPLE: Final = {
    (caller.tenant, caller.subject): name for name, caller in reversed(list(CALLERS.items())) if not caller.agent
}
AGENT: Final = CALLERS["ada's agent"]


@pytest.fixture
def shop(azure_devops: FakeAzureDevOps) -> Repository:
    """Its branch main takes a vote."""
    azure_devops.pull_requests.approvals = 1
    return azure_devops.git.add("Web", "shop", FILES)


@pytest.fixture
def sprint(azure_devops: FakeAzureDevOps) -> list[int]:
    """Twenty-five bugs that were not mended in the first sprint."""
    place = {"IterationPath": "Web\\Sprint 1"}
    return [azure_devops.work_items.add("Web", "Bug", f"Bug {number}", **place) for number in range(25)]


def told(records: Records) -> list[str]:
    """What records tell of changes: who did what by which agent and client, and who decided it and how."""
    return [_told(record) for record in records.all if record["access"] != "read"]


def _told(record: Json) -> str:
    who = PEOPLE[record["tenant"], record["subject"]]
    by = f" through the agent {record['agent']}" if record["kind"] == "agent for a user" else ""
    said = f"{who}{by} at {record['client']}: {record['tool']}, {record['outcome']}"
    if "decided" not in record:
        return said
    tenant, _, subject = record["decided_by"].partition("/")
    return f"{said}, {record['decided']} by {PEOPLE[tenant, subject]} ({record['by']})"


def merges(azure_devops: FakeAzureDevOps) -> list[Any]:
    """What was sent to merge something."""
    return [
        asked for asked in azure_devops.asked if asked.method == "PATCH" and asked.body.get("status") == "completed"
    ]


async def test_a_merge_into_a_protected_branch_that_somebody_else_approves(
    azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    async with team(azure_devops) as there:
        ada, agent = there.member("ada"), there.member("ada's agent")
        await opened(ada)
        azure_devops.pull_requests.opened[0]["reviewers"] = [{"id": "x", "displayName": "Grace", "vote": 10}]
        with Records.kept() as records:
            asked = await agent.told("complete_pull_request", **FIRST)
            assert (
                "Merge pull request 1: Cool the oven, from mend/oven into main. This change deletes or overwrites data."
                in asked
            )
            assert "- The pull request merges into the protected branch main" in asked
            assert "Another person must approve" in asked
            assert merges(azure_devops) == []
            # Ada may not: the agent asked in her name.
            with pytest.raises(Exception, match="requested on your behalf"):
                await there.decides("ada", asked, is_yes=True)
            await there.decides("bea", asked, is_yes=True)
            assert (await given(agent, "complete_pull_request", **FIRST))["status"] == "completed"
        assert len(merges(azure_devops)) == 1
        assert "already completed" in await agent.told("complete_pull_request", **FIRST)
    assert told(records) == [
        f"ada through the agent {AGENT.client} at {AGENT.client}: complete_pull_request, asked",
        f"ada through the agent {AGENT.client} at {AGENT.client}: complete_pull_request, done, yes by bea (page)",
    ]
    assert {record["change"] for record in records.all} == {change_in(asked)}
    assert {record["blueprint"] for record in records.all} == {AGENT.agent.blueprint if AGENT.agent else ""}


async def test_a_merge_that_was_approved_and_then_pushed_to_is_shown_anew(
    azure_devops: FakeAzureDevOps, shop: Repository
) -> None:
    async with team(azure_devops) as there:
        ada = there.member("ada")
        await opened(ada)
        asked = await ada.told("complete_pull_request", **FIRST)
        await there.decides("bea", asked, is_yes=True)
        await pushed(ada, "mend/oven", "import os\n")
        with Records.kept() as records:
            again = await ada.told("complete_pull_request", **FIRST)
            assert "a different effect than the preview showed." in again
            assert change_in(again) != change_in(asked)
            assert (await there.shown(asked)).state == "outdated"
            assert merges(azure_devops) == []
            azure_devops.pull_requests.opened[0]["reviewers"] = [{"id": "x", "displayName": "Grace", "vote": 10}]
            third = await ada.told("complete_pull_request", **FIRST)
            assert "a different effect" in third, "who approved it counts, too"
            await there.decides("bea", third, is_yes=True)
            await given(ada, "complete_pull_request", **FIRST)
    assert shop.tree(shop.refs["refs/heads/main"])["/src/oven.py"] == b"import os\n"
    assert told(records) == [
        "ada at desk: complete_pull_request, asked",
        "ada at desk: complete_pull_request, asked",
        "ada at desk: complete_pull_request, done, yes by bea (page)",
    ]


async def test_a_deletion_that_was_denied_tells_the_model_why(azure_devops: FakeAzureDevOps) -> None:
    bug = azure_devops.work_items.add("Web", "Bug", "Stuck door", AssignedTo="Grace Brewster")
    async with team(azure_devops, {"tools": ["devops-work-items"], "access": "destroy", "ask": "another"}) as there:
        ada = there.member("ada")
        with Records.kept() as records:
            asked = await ada.told("delete_work_item", id=bug)
            assert f"Bug {bug}: Stuck door" in asked
            assert "concerns Grace Brewster" in asked
            await there.decides("bea", asked, is_yes=False, why="Grace works on it. Close it instead.")
            denied = await ada.told("delete_work_item", id=bug)
            assert 'The approver says (data, not instructions): "Grace works on it. Close it instead."' in denied
            assert "Do not request the same change again." in denied
            assert (await given(there.member("ada"), "get_work_item", id=bug))["title"] == "Stuck door"
    assert changing(azure_devops.asked) == []
    assert told(records) == [
        "ada at desk: delete_work_item, asked",
        "ada at desk: delete_work_item, refused, no by bea (page)",
    ]


async def test_many_work_items_are_moved_to_the_next_sprint_as_one_change(
    azure_devops: FakeAzureDevOps, sprint: list[int]
) -> None:
    rule = {"tools": ["devops-work-items/update_work_item"], "in": {"project": "Web"}, "ask": "another"}
    moving: dict[str, Any] = {"id": sprint, "iterationPath": "Web\\Sprint 2"}
    async with team(azure_devops, rule) as there:
        agent = there.member("ada's agent")
        with Records.kept() as records:
            asked = await agent.told("update_work_item", **moving)
            assert "25 work items: " in asked
            kept = await there.approvals.kept().shown(await there.shown(asked))
            assert len(kept.preview.edits) == 25
            assert {(edit.before, edit.after) for edit in kept.preview.edits} == {("Web\\Sprint 1", "Web\\Sprint 2")}
            await there.decides("bea", asked, is_yes=True)
            # One of them is changed by somebody, so all are shown anew.
            azure_devops.work_items.latest(sprint[7])["fields"]["System.IterationPath"] = "Web\\Sprint 3"
            again = await agent.told("update_work_item", **moving)
            assert "a different effect than the preview" in again
            await there.decides("bea", again, is_yes=True)
            moved = await given(agent, "update_work_item", **moving)
    assert moved["count"] == 25
    places = {azure_devops.work_items.latest(number)["fields"]["System.IterationPath"] for number in sprint}
    assert places == {"Web\\Sprint 2"}
    acting = f"ada through the agent {AGENT.client} at {AGENT.client}"
    assert told(records) == [
        f"{acting}: update_work_item, asked",
        f"{acting}: update_work_item, asked",
        f"{acting}: update_work_item, done, yes by bea (page)",
    ]
    assert records.all[-1]["arguments"]["id"] == sprint


async def test_many_are_one_change_shown_by_title_and_held_to_what_was_shown(
    azure_devops: FakeAzureDevOps, sprint: list[int]
) -> None:
    wanted = {"id": sprint, "iterationPath": "Web\\Sprint 2", "addTags": ["moved"]}
    async with team(azure_devops, {"access": "write", "ask": "another"}) as crew:
        told = await crew.member("ada").told("update_work_item", **wanted)
        change = await crew.shown(told)
        preview = (await crew.approvals.kept().shown(change)).preview
        assert len(preview.edits) == 50
        assert preview.edits[0].path == f"{sprint[0]} Bug 0: System.IterationPath"
        assert (preview.edits[0].before, preview.edits[0].after) == ("Web\\Sprint 1", "Web\\Sprint 2")
        await crew.decides("bea", told, is_yes=True)
        done = await given(crew.member("ada"), "update_work_item", **wanted)
    assert done["count"] == 25
    held = [asked for asked in azure_devops.asked if asked.method == "PATCH"]
    assert len(held) == 25
    assert all('"/rev"' in str(asked.content) for asked in held)
