"""A rule for a place holds for what a change does there later: the end of a source branch, or a deployment."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Json
from tests.tools.azure_devops.given import given
from tests.tools.azure_devops.shop import FILES
from tests.tools.azure_devops.team import team
from tests.tools.azure_devops.world import World

ASKED: Final = "Another person must approve"
OF_THE_PROJECT: Final = {"in": {"project": "Web"}, "ask": "nobody"}
OF_RELEASES: Final = {"in": {"branch": "release/*"}, "ask": "another"}
OF_LIVE: Final = {"in": {"environment": "Live"}, "ask": "another"}
BRANCH: Final = "release/1"
FIRST: Final[Json] = {"repository": "shop", "pullRequestId": 1}
NEW: Final[Json] = {"repository": "shop", "sourceBranch": BRANCH, "targetBranch": "main", "title": "y"}
DELETING: Final[Json] = {"deleteSourceBranch": True}
_FORK: Final = "0f0f0f0f-0000-4000-8000-00000000f0f0"
_REVIEWER: Final = "0b0b0b0b-0000-4000-8000-00000000b0b0"
STORED: Final[Json] = {"completionOptions": DELETING}
AUTOMATIC: Final[Json] = {"autoComplete": True}
ENDS: Final[dict[str, tuple[str, Json, Json]]] = {
    "the branch": ("delete_branch", {"repository": "shop", "branch": BRANCH}, {}),
    "a merge": ("complete_pull_request", {**FIRST, **DELETING}, {}),
    "a merge as set before": ("complete_pull_request", FIRST, STORED),
    "a later merge": ("update_pull_request", {**FIRST, **AUTOMATIC, **DELETING}, {}),
    "a later merge as set before": ("update_pull_request", {**FIRST, **AUTOMATIC}, STORED),
    "an option of a merge": ("update_pull_request", {**FIRST, **DELETING}, {}),
    "a new pull request": ("create_pull_request", {**NEW, **AUTOMATIC, **DELETING}, {}),
    "a vote": ("vote_pull_request", {**FIRST, "vote": "approve"}, {**STORED, "autoCompleteSetBy": {"id": "x"}}),
}
KEPT: Final[dict[str, tuple[str, Json, Json]]] = {
    "a merge": ("complete_pull_request", FIRST, {}),
    "a merge unlike set before": ("complete_pull_request", {**FIRST, "deleteSourceBranch": False}, STORED),
    "a title": ("update_pull_request", {**FIRST, "title": "z"}, STORED),
    "a vote": ("vote_pull_request", {**FIRST, "vote": "approve"}, STORED),
}


async def said(azure_devops: FakeAzureDevOps, rules: list[Json], tool: str, **arguments: Any) -> str:
    async with team(azure_devops, *rules) as people:
        return str((await people.member("ada").call(tool, **arguments))["content"][0]["text"])


async def opened(*, is_new: bool, waits: bool, **stored: Any) -> FakeAzureDevOps:
    """A pull request from a branch that a rule is about into another, unless that is still to be opened."""
    azure_devops = FakeAzureDevOps()
    azure_devops.pull_requests.approvals = 1 if waits else 0
    azure_devops.git.add("Web", "shop", FILES)
    async with team(azure_devops, OF_THE_PROJECT) as people:
        ada = people.member("ada")
        await given(ada, "create_branch", repository="shop", name=BRANCH)
        change = {"change": "edit", "path": "/src/oven.py", "content": "x"}
        await given(ada, "push_changes", repository="shop", branch=BRANCH, message="x", changes=[change])
        if not is_new:
            await given(ada, "create_pull_request", **NEW)
            azure_devops.pull_requests.opened[0] |= stored
    return azure_devops


@pytest.mark.parametrize("end", ENDS)
async def test_a_rule_for_a_branch_holds_for_a_merge_that_deletes_it(end: str) -> None:
    tool, words, stored = ENDS[end]
    azure_devops = await opened(is_new=tool == "create_pull_request", waits="autoComplete" in words, **stored)
    told = await said(azure_devops, [OF_RELEASES, OF_THE_PROJECT], tool, **words)
    assert ASKED in told
    assert "Deletes the source branch" in told or tool == "delete_branch"


@pytest.mark.parametrize("change", KEPT)
async def test_a_rule_for_a_branch_is_not_about_a_merge_that_keeps_it(change: str) -> None:
    tool, words, stored = KEPT[change]
    azure_devops = await opened(is_new=False, waits=False, **stored)
    assert ASKED not in await said(azure_devops, [OF_RELEASES, OF_THE_PROJECT], tool, **words)
    assert f"refs/heads/{BRANCH}" in azure_devops.git.repositories[-1].refs


async def test_a_rule_for_the_repository_of_a_fork_holds_for_a_merge_that_deletes_its_branch() -> None:
    fork = {"forkSource": {"repository": {"id": _FORK, "name": "fork", "project": {"name": "Vault"}}}}
    azure_devops = await opened(is_new=False, waits=False, **fork)
    rules = [{"in": {"project": "Vault", "repository": "fork"}, "ask": "another"}, OF_THE_PROJECT]
    assert ASKED in await said(azure_devops, rules, "complete_pull_request", **FIRST, **DELETING)


def chain(azure_devops: FakeAzureDevOps, approvals: Json) -> int:
    """A definition that deploys to Test, then to Stage, and then to Live."""
    definition = azure_devops.releases.define("Web CD", "Test", "Stage", "Live")
    _, stage, live = azure_devops.releases.definitions[definition]["environments"]
    for before, environment in (("Test", stage), ("Stage", live)):
        environment["conditions"] = [{"name": before, "conditionType": "environmentState", "value": "4"}]
    stage["preDeployApprovals"] = approvals
    return int(definition)


AUTOMATICALLY_SET: Final[Json] = {**STORED, "autoCompleteSetBy": {"id": "x"}}
# Where the target has no policies, so that it is not the target because of which another person approves.
MERGES: Final[dict[str, tuple[str, Json, Json]]] = {
    **{name: ENDS[name] for name in ("a merge", "a merge as set before", "a new pull request", "a vote")},
    "a reviewer less": ("remove_pull_request_reviewer", {**FIRST, "reviewer": _REVIEWER}, AUTOMATICALLY_SET),
}


@pytest.mark.parametrize("why", ["release/1 is protected.", "The branch is the default branch."])
@pytest.mark.parametrize("end", MERGES)
async def test_another_person_approves_a_merge_that_deletes_a_branch_that_is_to_stay(end: str, why: str) -> None:
    tool, words, stored = MERGES[end]
    reviewers = (
        {"reviewers": [{"id": _REVIEWER, "displayName": "Bo", "vote": 0, "isRequired": True}]}
        if "reviewer" in words
        else {}
    )
    azure_devops = await opened(is_new=tool == "create_pull_request", waits=False, **stored, **reviewers)
    if "protected" in why:
        azure_devops.pull_requests.protected.add(f"refs/heads/{BRANCH}")
    else:
        azure_devops.git.repositories[-1].default = f"refs/heads/{BRANCH}"
    told = await said(azure_devops, [], tool, **words)
    assert ASKED in told
    assert why in told


@pytest.mark.parametrize("entry", [{"vote": 0, "isRequired": True}, {"vote": -5}])
async def test_a_rule_for_a_branch_holds_for_the_removal_of_a_reviewer_without_whom_it_is_merged(entry: Json) -> None:
    reviewers = [{"id": _REVIEWER, "displayName": "Bo", **entry}]
    azure_devops = await opened(is_new=False, waits=False, **AUTOMATICALLY_SET, reviewers=reviewers)
    told = await said(azure_devops, [OF_RELEASES], "remove_pull_request_reviewer", **FIRST, reviewer=_REVIEWER)
    assert ASKED in told
    assert "Remove reviewer Bo" in told
    assert "automatically, once policies are met" in told


@pytest.mark.parametrize("words", [DELETING, {"isDraft": False}])
async def test_another_person_approves_a_change_of_a_merge_that_is_to_come(words: Json) -> None:
    azure_devops = await opened(is_new=False, waits=False, **AUTOMATICALLY_SET, isDraft="isDraft" in words)
    azure_devops.pull_requests.protected.add("refs/heads/main")
    assert ASKED in await said(azure_devops, [], "update_pull_request", **FIRST, **words)


async def test_another_person_approves_that_a_closed_pull_request_that_would_merge_is_open_again() -> None:
    azure_devops = await opened(is_new=False, waits=False, **AUTOMATICALLY_SET, status="abandoned")
    azure_devops.pull_requests.protected.add("refs/heads/main")
    assert ASKED in await said(azure_devops, [], "update_pull_request", **FIRST, status="active")


@pytest.mark.parametrize("words", [DELETING, {"isDraft": False}, {"autoComplete": False, **DELETING}])
async def test_nobody_approves_the_same_change_of_a_merge_that_is_not(words: Json) -> None:
    stored = AUTOMATICALLY_SET if "autoComplete" in words else {}
    azure_devops = await opened(is_new=False, waits=False, **stored, isDraft="isDraft" in words)
    azure_devops.pull_requests.protected.add("refs/heads/main")
    assert "/changes/" not in await said(azure_devops, [], "update_pull_request", **FIRST, **words)


async def test_the_caller_approves_the_removal_of_a_reviewer_whom_no_merge_waits_for() -> None:
    reviewers = [{"id": _REVIEWER, "displayName": "Bo", "vote": 0}]
    azure_devops = await opened(is_new=False, waits=False, **AUTOMATICALLY_SET, reviewers=reviewers)
    azure_devops.pull_requests.protected.add("refs/heads/main")
    told = await said(azure_devops, [], "remove_pull_request_reviewer", **FIRST, reviewer=_REVIEWER)
    assert "/changes/" in told
    assert ASKED not in told


@pytest.mark.parametrize("entry", [{"isRequired": True, "vote": 0}, {"vote": -10}, {"vote": 10}])
async def test_a_reviewer_is_not_released_by_being_added_again(entry: Json) -> None:
    reviewers = [{"id": _REVIEWER, "displayName": "Bo", **entry}]
    azure_devops = await opened(is_new=False, waits=False, reviewers=reviewers)
    told = await said(azure_devops, [], "add_pull_request_reviewer", **FIRST, reviewer=_REVIEWER.upper())
    assert "Bo is already a reviewer" in told
    assert azure_devops.pull_requests.opened[0]["reviewers"] == reviewers


BY_HAND: Final[Json] = {"approvals": [{"isAutomated": False}]}
SKIPPED: Final[Json] = {"autoTriggeredAndPreviousEnvironmentApprovedCanBeSkipped": True}
APPROVALS: Final[dict[str, tuple[Json, bool]]] = {
    "nobody is asked": ({}, True),
    "the service agrees": ({"approvals": [{"isAutomated": True}]}, True),
    "somebody is asked": (BY_HAND, False),
    "somebody is asked unless they agreed before": ({**BY_HAND, "approvalOptions": SKIPPED}, True),
}


@pytest.mark.parametrize("decision", ["", "approved", "rejected"])
@pytest.mark.parametrize("approvals", APPROVALS)
async def test_a_rule_for_an_environment_holds_for_deployments_that_go_on_to_it(approvals: str, decision: str) -> None:
    azure_devops = FakeAzureDevOps()
    asked, goes_on = APPROVALS[approvals]
    definition = chain(azure_devops, asked)
    async with team(azure_devops, OF_THE_PROJECT) as people:
        ada = people.member("ada")
        made = await given(ada, "create_release", definitionId=definition)
        deployment = {"releaseId": made["id"], "environmentId": made["environments"][0]["id"]}
        if decision:
            await given(ada, "deploy_release", **deployment)
    [approval] = azure_devops.releases.approvals or [0]
    decided = {"releaseId": made["id"], "approvalId": approval, "status": decision}
    tool, words = ("approve_release", decided) if decision else ("deploy_release", deployment)
    told = await said(azure_devops, [OF_LIVE, OF_THE_PROJECT], tool, **words)
    assert (ASKED in told) == (goes_on and decision != "rejected")
    assert ("Users of Live get the deployed version" in told) == (ASKED in told)


@pytest.mark.parametrize("tool", ["run_pipeline", "retry_pipeline_stage", "run_azd_pipeline"])
async def test_a_rule_for_an_environment_holds_for_a_stage_of_another_name(tool: str) -> None:
    azure_devops = World()
    pipeline = azure_devops.builds.define("Web", "Web CI", variables={"AZURE_ENV_NAME": {"value": "shop-dev"}})
    run = azure_devops.builds.add(pipeline)
    azure_devops.builds.start(run)
    azure_devops.builds.finish(run, "Test")
    words: Json = {
        "run_pipeline": {"pipelineId": pipeline},
        "retry_pipeline_stage": {"pipelineId": pipeline, "runId": run, "stage": "Build"},
        "run_azd_pipeline": {"environment": "shop-dev"},
    }[tool]
    assert ASKED in await said(azure_devops, [OF_LIVE, OF_THE_PROJECT], tool, **words)
    named = {"in": {"environment": ["Build", "shop-dev"]}, "ask": "nobody"}
    assert ASKED in await said(azure_devops, [named, {"in": {"project": "Web"}, "ask": "another"}], tool, **words)


async def test_another_person_approves_a_deployment_that_goes_on_to_production() -> None:
    azure_devops = FakeAzureDevOps()
    definition = chain(azure_devops, {})
    async with team(azure_devops, OF_THE_PROJECT) as people:
        made = await given(people.member("ada"), "create_release", definitionId=definition)
    words = {"releaseId": made["id"], "environmentId": made["environments"][0]["id"]}
    assert ASKED in await said(azure_devops, [], "deploy_release", **words)


async def test_a_rule_for_an_environment_holds_for_an_approval_whose_stage_has_another_name() -> None:
    azure_devops = World()
    run = azure_devops.builds.add(azure_devops.builds.define("Web", "Web CI"))
    words = {"approvalId": azure_devops.approvals.ask(run, "Test", "Ada Byron"), "status": "approved"}
    assert ASKED in await said(azure_devops, [OF_LIVE, OF_THE_PROJECT], "decide_pipeline_approval", **words)
