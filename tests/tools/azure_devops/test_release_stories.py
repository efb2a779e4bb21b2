"""What people do with classic releases, from beginning to end, on a service that remembers."""

from __future__ import annotations

import json

from tests.fakes.azure_devops import troubles
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given

SECRET = "s3cret"  # noqa: S105 - which nobody may see


async def test_a_release_is_made_approved_deployed_and_its_failure_is_read(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    releases = azure_devops.releases
    definition = releases.define("Shop CD", "Test", "Prod")
    [known] = (await given(caller, "list_release_definitions", searchText="shop"))["items"]
    assert known["id"] == definition
    whole = await given(caller, "get_release_definition", definitionId=definition)
    assert [place["name"] for place in whole["environments"]] == ["Test", "Prod"]
    made = await given(
        caller,
        "create_release",
        definitionId=definition,
        artifacts=[{"alias": "web", "version": "101"}],
        variables={"MODE": "fast"},
    )
    assert (made["status"], made["artifacts"][0]["versionId"]) == ("active", "101")
    assert (made["variables"], made["secrets"]) == ({"MODE": "fast"}, ["KEY"])

    test, release = made["environments"][0]["id"], made["id"]
    place = {"releaseId": release, "environmentId": test}
    deployed = await given(caller, "deploy_release", **place, comment="Go")
    assert deployed["status"] == "queued"
    [approval] = (await given(caller, "list_release_approvals", releaseId=release))["items"]
    assert (approval["environment"], approval["approver"]) == ("Test", "Grace Brewster <grace.brewster@example.com>")
    pending = (await given(caller, "get_release", releaseId=release))["environments"][0]["approvals"]
    assert [entry["id"] for entry in pending] == [approval["id"]]
    decided = await given(
        caller, "approve_release", releaseId=release, approvalId=approval["id"], status="approved", comment="Fine"
    )
    assert (decided["status"], decided["comment"]) == ("approved", "Fine")
    assert (await given(caller, "list_release_approvals", releaseId=release))["items"] == []
    assert releases.environment(release, "Test")["status"] == "inProgress"


async def test_a_failed_deployment_is_read_and_repeated(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    releases = azure_devops.releases
    definition = releases.define("Shop CD", "Test")
    made = await given(caller, "create_release", definitionId=definition)
    release = made["id"]
    place = {"releaseId": release, "environmentId": made["environments"][0]["id"]}
    releases.finish(release, "Test", "failed", *(f"line {index}" for index in range(1, 101)))
    environment = await given(caller, "get_release_environment", **place)
    assert environment["deployment"]["tasks"][1]["errors"] == ["It does not fit."]
    logs = await given(caller, "get_release_logs", **place)
    [_, task] = logs["tasks"]
    assert task["content"] == "".join(f"line {index}\n" for index in range(71, 101))
    piece = await given(caller, "get_release_logs", **place, taskId=task["taskId"], startLine=1, endLine=2)
    assert piece["content"] == "line 1\nline 2\n"
    hosts = {asked.host for asked in azure_devops.asked}
    assert hosts == {"vsrm."}, "no address out of an answer is followed"

    await given(caller, "deploy_release", **place)
    releases.finish(release, "Test", "succeeded", "it hangs")
    assert (await given(caller, "get_release_logs", **place))["attempt"] == 2


async def test_of_many_logs_those_that_tell_of_a_failure_are_read(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    definition = azure_devops.releases.define("Shop CD", "Test")
    made = await given(caller, "create_release", definitionId=definition)
    azure_devops.releases.finish(made["id"], "Test", "failed", "no hinge", after=20)
    place = {"releaseId": made["id"], "environmentId": made["environments"][0]["id"]}
    logs = await given(caller, "get_release_logs", **place)
    read = [task["taskId"] for task in logs["tasks"] if "content" in task]
    assert read == [7, *range(21, 28)]


async def test_an_approval_is_given_only_to_the_release_that_waits_for_it(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    definition = azure_devops.releases.define("Shop CD", "Test")
    first, second = [await given(caller, "create_release", definitionId=definition) for _ in range(2)]
    await given(caller, "deploy_release", releaseId=second["id"], environmentId=second["environments"][0]["id"])
    [approval] = (await given(caller, "list_release_approvals"))["items"]
    decision = {"approvalId": approval["id"], "status": "rejected"}
    assert "Pending approvals: none." in await caller.told("approve_release", releaseId=first["id"], **decision)
    assert azure_devops.releases.approvals[approval["id"]]["status"] == "pending"
    await given(caller, "approve_release", releaseId=second["id"], **decision)
    [decided] = (await given(caller, "list_release_approvals", status="rejected"))["items"]
    assert decided["approver"].startswith("Grace Brewster")
    assert decided["decided"] == {"by": "Ada Byron <ada.byron@example.com>", "at": "2026-05-06T08:00:00Z"}
    rejected = await given(caller, "list_releases", environmentStatus="rejected")
    assert [release["id"] for release in rejected["items"]] == [second["id"]]
    assert "is not waiting" in await caller.told("approve_release", releaseId=second["id"], **decision)


async def test_releases_are_listed_through_all_pages_with_their_environments(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    definition = azure_devops.releases.define("Shop CD", "Test")
    azure_devops.releases.largest_page = 2
    for index in range(5):
        await given(caller, "create_release", definitionId=definition, isDraft=index == 0)
    listed = await given(caller, "list_releases", definitionId=definition, status="active")
    assert [release["id"] for release in listed["items"]] == [5, 4, 3, 2]
    assert all(release["environments"][0]["name"] == "Test" for release in listed["items"])
    assert "VS402962" in await caller.told("deploy_release", releaseId=1, environmentId=101)


async def test_a_deployment_that_may_have_begun_is_not_begun_again(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    definition = azure_devops.releases.define("Shop CD", "Test")
    made = await given(caller, "create_release", definitionId=definition)
    azure_devops.troubles.append(troubles.cut_connection)
    place = {"releaseId": made["id"], "environmentId": made["environments"][0]["id"]}
    assert "First check whether the change was made" in await caller.told("deploy_release", **place)
    assert azure_devops.releases.approvals == {}
    assert "Log of task 7 not found" in await caller.told("get_release_logs", **place, taskId=7)
    assert "tasks" not in await given(caller, "get_release_logs", **place)


async def test_no_secret_is_shown_however_much_is_asked_for(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    definition = azure_devops.releases.define("Shop CD", "Test")
    release = (await given(caller, "create_release", definitionId=definition))["id"]
    connection = azure_devops.libraries.connect("the shop", "generic")
    group = azure_devops.libraries.group("settings", MODE="fast")
    variables = {"KEY": {"isSecret": True, "value": SECRET}}
    pipeline = azure_devops.builds.define("Web", "Web CI", variables=variables)
    build = azure_devops.builds.add(pipeline, variables=variables)
    answers = [
        await given(caller, "get_release_definition", definitionId=definition, detail="full"),
        await given(caller, "get_release", releaseId=release, detail="full"),
        await given(caller, "list_releases"),
        await given(caller, "get_pipeline", pipelineId=pipeline, detail="full"),
        await given(caller, "get_build", buildId=build, detail="full"),
        await given(caller, "get_service_connection", connectionId=connection),
        await given(caller, "list_service_connections"),
        await given(caller, "get_variable_group", groupId=group),
        await given(caller, "list_variable_groups"),
    ]
    assert SECRET not in json.dumps(answers)
    assert [("KEY" in json.dumps(answer)) for answer in answers] == [True] * 2 + [False] + [True] * 2 + [False] * 2 + [
        True
    ] * 2
