"""Who waits for whose approval, who gave it and when: of pipeline runs, and of classic releases."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given

RELEASERS = "[Web]\\Releasers"
ADA, GRACE = "Ada Byron <ada.byron@example.com>", "Grace Brewster <grace.brewster@example.com>"


@pytest.fixture
def run(azure_devops: FakeAzureDevOps) -> int:
    return azure_devops.builds.add(azure_devops.builds.define("Web", "Web CI"))


async def test_what_waits_for_me_is_found_read_and_approved(
    caller: Caller, azure_devops: FakeAzureDevOps, run: int
) -> None:
    mine = azure_devops.approvals.ask(run, "Prod", "Ada Byron")
    azure_devops.approvals.ask(run, "Test", "Grace Brewster")
    assert (await given(caller, "list_pipeline_approvals"))["count"] == 2
    [waiting] = (await given(caller, "list_pipeline_approvals", mine=True))["items"]
    assert (waiting["id"], waiting["runId"], waiting["pipeline"]) == (mine, run, "Web CI")
    [of_run] = (await given(caller, "list_pipeline_approvals", mine=True, runId=run))["items"]
    assert of_run["id"] == mine
    read = await given(caller, "get_pipeline_approval", approvalId=mine)
    assert read["instructions"] == "Look **first**"
    assert read["approvers"] == [{"status": "pending", "approver": ADA}]
    decided = await given(caller, "decide_pipeline_approval", approvalId=mine, status="approved", comment="Fine")
    assert decided["status"] == "approved"
    [step] = decided["approvers"]
    assert (step["comment"], step["decided"]) == ("Fine", {"by": ADA, "at": "2026-05-06T08:00:00Z"})
    assert (await given(caller, "list_pipeline_approvals", mine=True))["items"] == []


async def test_who_approved_what_of_a_run_and_when_is_told_by_stage(
    caller: Caller, azure_devops: FakeAzureDevOps, run: int
) -> None:
    other = azure_devops.builds.add(1)
    azure_devops.approvals.ask(other, "Prod", "Ada Moss")
    test = azure_devops.approvals.ask(run, "Test", RELEASERS)
    azure_devops.approvals.ask(run, "Prod", "Ada Byron")
    azure_devops.approvals.decide(test, "Grace Brewster", "rejected", "Too soon")
    found = (await given(caller, "list_pipeline_approvals", runId=run))["items"]
    assert {approval["stage"]: approval["status"] for approval in found} == {"Test": "rejected", "Prod": "pending"}
    [rejected] = (await given(caller, "list_pipeline_approvals", runId=run, status="rejected"))["items"]
    [step] = rejected["approvers"]
    assert (step["approver"], step["decided"]["by"], step["comment"]) == (RELEASERS, GRACE, "Too soon")
    cut = await given(caller, "list_pipeline_approvals", runId=run, maxResults=1)
    assert (cut["count"], "more" in cut) == (1, True)
    untouched = azure_devops.builds.add(1)
    assert (await given(caller, "list_pipeline_approvals", runId=untouched))["items"] == []
    assert "list_builds" in await caller.told("list_pipeline_approvals", runId=999)


async def test_what_several_have_to_approve_waits_for_the_others(
    caller: Caller, azure_devops: FakeAzureDevOps, run: int
) -> None:
    approval = azure_devops.approvals.ask(run, "Prod", "Ada Byron", "Grace Brewster", required=2)
    decided = await given(caller, "decide_pipeline_approval", approvalId=approval, status="approved")
    assert (decided["status"], decided["wanted"]) == ("pending", 2)
    assert [step["status"] for step in decided["approvers"]] == ["approved", "pending"]
    assert (await given(caller, "list_pipeline_approvals", mine=True))["items"] == [], "I have given mine"
    assert (await given(caller, "list_pipeline_approvals"))["count"] == 1


async def test_what_somebody_else_decided_is_not_decided_again(
    caller: Caller, azure_devops: FakeAzureDevOps, run: int
) -> None:
    approval = azure_devops.approvals.ask(run, "Prod", RELEASERS)
    azure_devops.approvals.decide(approval, "Grace Brewster", "rejected")
    told = await caller.told("decide_pipeline_approval", approvalId=approval, status="approved")
    assert f"is already rejected by {GRACE} at 2026-05-06T08:00:00Z. Nothing was changed." in told
    assert [asked for asked in azure_devops.asked if asked.method == "PATCH"] == []


async def test_of_two_who_decide_at_the_same_time_one_is_told(
    caller: Caller, azure_devops: FakeAzureDevOps, run: int
) -> None:
    approval = azure_devops.approvals.ask(run, "Prod", RELEASERS)
    decisions = [
        caller.call("decide_pipeline_approval", approvalId=approval, status=status)
        for status in ("approved", "rejected")
    ]
    results = await asyncio.gather(*decisions)
    [told] = [result["content"][0]["text"] for result in results if result["isError"]]
    assert "already" in told
    [kept] = [result["structuredContent"]["status"] for result in results if not result["isError"]]
    assert azure_devops.approvals.known[approval]["status"] == kept


async def test_only_who_may_decides_and_only_of_what_is_there(
    caller: Caller, azure_devops: FakeAzureDevOps, run: int
) -> None:
    approval = azure_devops.approvals.ask(run, "Prod", "Grace Brewster")
    told = await caller.told("decide_pipeline_approval", approvalId=approval, status="approved")
    assert "does not permit this" in told
    for wrong in ("41", "../x", f"{approval}/.."):
        assert "not a valid approval id" in await caller.told("get_pipeline_approval", approvalId=wrong)
    missing = "00000000-0000-0000-0000-000000000000"
    assert "does not exist" in await caller.told("decide_pipeline_approval", approvalId=missing, status="approved")
    assert azure_devops.approvals.known[approval]["status"] == "pending"


async def test_who_approved_releases_and_when_is_told_latest_first(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    definition = azure_devops.releases.define("Shop CD", "Test")
    made = [await given(caller, "create_release", definitionId=definition) for _ in range(3)]
    for release in made:
        await given(caller, "deploy_release", releaseId=release["id"], environmentId=release["environments"][0]["id"])
    pending = (await given(caller, "list_release_approvals"))["items"]
    for approval, status in zip(pending, ("approved", "rejected"), strict=False):
        about = {"releaseId": approval["releaseId"], "approvalId": approval["id"], "status": status}
        await given(caller, "approve_release", **about)
        azure_devops.releases.approvals[approval["id"]]["modifiedOn"] = f"2026-05-06T09:00:0{approval['id'] - 40}Z"
    decided = (await given(caller, "list_release_approvals", status="decided"))["items"]
    assert [(entry["releaseId"], entry["status"], entry["decided"]["by"]) for entry in decided] == [
        (2, "rejected", ADA),
        (1, "approved", ADA),
    ]
    [own] = (await given(caller, "get_release", releaseId=1))["environments"][0]["approvals"]
    assert (own["approver"], own["decided"]["by"]) == (GRACE, ADA)
    assert (await given(caller, "list_release_approvals", mine=True))["items"] == []
    azure_devops.people.me = azure_devops.people.known["Grace Brewster"]
    [waiting] = (await given(caller, "list_release_approvals", mine=True))["items"]
    assert waiting["releaseId"] == 3
    assert len(json.dumps(decided)) / 4 < 200
