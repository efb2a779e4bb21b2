"""What people do with pipelines and builds, from beginning to end, on a service that remembers."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest

from tests.fakes.azure_devops import troubles
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given


@pytest.fixture
def pipeline(azure_devops: FakeAzureDevOps) -> int:
    variables = {"MODE": {"value": "fast"}, "KEY": {"isSecret": True, "value": "s3cret"}}
    return azure_devops.builds.define("Web", "Web CI", "\\Team", variables=variables)


async def test_a_build_is_queued_followed_and_understood_and_another_is_canceled(
    caller: Caller, azure_devops: FakeAzureDevOps, pipeline: int
) -> None:
    [known] = (await given(caller, "list_build_definitions", path="Team"))["items"]
    assert (known["id"], known["name"]) == (pipeline, "Web CI")
    build = await given(caller, "queue_build", definitionId=pipeline, branch="fix/door", parameters={"MODE": "slow"})
    number = build["id"]
    assert (build["status"], build["branch"]) == ("notStarted", "fix/door")
    assert azure_devops.builds.builds[number]["parameters"] == {"MODE": "slow"}
    assert (await given(caller, "get_build_logs", buildId=number))["items"] == []
    assert "failures" not in await given(caller, "get_build_failures", buildId=number)

    azure_devops.builds.start(number, "cloning", "cloned")
    assert (await given(caller, "get_build", buildId=number))["status"] == "inProgress"
    [log] = (await given(caller, "get_build_logs", buildId=number))["items"]
    assert log == {"logId": 1, "lines": 2, "step": "Build > Linux > Checkout", "result": "succeeded"}

    azure_devops.builds.finish(number, "Test", [["cloned"], [], [f"line {index}" for index in range(1, 501)]])
    why = await given(caller, "get_build_failures", buildId=number, lines=3)
    [failure] = why["failures"]
    assert (failure["step"], failure["errors"]) == ("Build > Linux > Test", ["Test went wrong"])
    assert failure["content"] == "498-line 498\n499-line 499\n500-line 500"
    last = await given(caller, "get_build_logs", buildId=number, logId=3)
    assert (last["startLine"], last["lines"], last["content"].count("\n")) == (301, 500, 200)
    piece = await given(caller, "get_build_logs", buildId=number, logId=3, startLine=2, endLine=3)
    assert piece["content"] == "line 2\nline 3\n"

    other = await given(caller, "queue_build", definitionId=pipeline)
    canceled = await given(caller, "cancel_build", buildId=other["id"])
    assert canceled["status"] == "cancelling"
    told = await caller.told("cancel_build", buildId=number)
    assert "already completed (failed)" in told
    newest = await given(caller, "list_builds", definitionId=pipeline)
    assert [build["id"] for build in newest["items"]] == [other["id"], number]


async def test_builds_are_listed_through_all_pages_by_what_is_asked_for(
    caller: Caller, azure_devops: FakeAzureDevOps, pipeline: int
) -> None:
    builds = azure_devops.builds
    builds.largest_page = 3
    numbers = [builds.add(pipeline, "refs/heads/main" if index % 2 else "refs/heads/fix") for index in range(10)]
    builds.add(builds.define("Shop floor", "Floor CI"))
    builds.finish(numbers[1], "Compile")
    every = await given(caller, "list_builds", maxResults=10)
    assert [build["id"] for build in every["items"]] == numbers[::-1]
    assert "more" not in every
    assert (await given(caller, "list_builds", branch="", maxResults=10)) == every
    some = await given(caller, "list_pipeline_runs", pipelineId=pipeline, branch="main", maxResults=4)
    assert [build["id"] for build in some["items"]] == numbers[9:2:-2]
    assert "more" in some
    failed = await given(
        caller, "list_builds", status="completed", result="failed", requestedFor="ada.byron@example.com"
    )
    assert [build["id"] for build in failed["items"]] == [numbers[1]]


async def test_a_pipeline_runs_with_parameters_and_is_retried_and_canceled(
    caller: Caller, azure_devops: FakeAzureDevOps, pipeline: int
) -> None:
    shown = await given(caller, "get_pipeline", pipelineId=pipeline)
    assert (shown["variables"], shown["secrets"]) == ({"MODE": "fast"}, ["KEY"])
    run = await given(
        caller,
        "run_pipeline",
        pipelineId=pipeline,
        branch="main",
        variables={"MODE": "slow"},
        parameters={"image": "ubuntu"},
        stagesToSkip=["Deploy"],
    )
    about = {"pipelineId": pipeline, "runId": run["id"]}
    kept = azure_devops.builds.builds[run["id"]]
    assert (kept["templateParameters"], kept["variables"]) == ({"image": "ubuntu"}, {"MODE": {"value": "slow"}})
    assert kept["stagesToSkip"] == ["Deploy"]

    azure_devops.builds.finish(run["id"], "Compile", [["one"], ["two", "three"]])
    followed = await given(caller, "get_pipeline_run", **about, includeLogs=True)
    assert [(stage["name"], stage["result"]) for stage in followed["stages"]] == [("Build", "failed")]
    assert [log["lines"] for log in followed["logs"]] == [1, 2]
    log = await given(caller, "get_pipeline_logs", **about, logId=2)
    assert log["content"] == "two\nthree\n"
    assert "Stages of the run: Build." in await caller.told("retry_pipeline_stage", **about, stage="Deploy")
    await given(caller, "retry_pipeline_stage", **about, stage="Build")
    assert azure_devops.builds.retried == [(run["id"], "build_stage", False)]
    canceled = await given(caller, "cancel_pipeline_run", **about)
    assert canceled["status"] == "cancelling"


async def test_a_run_of_another_pipeline_is_left_alone(
    caller: Caller, azure_devops: FakeAzureDevOps, pipeline: int
) -> None:
    other = azure_devops.builds.define("Web", "Shop CI")
    run = azure_devops.builds.add(other)
    about = {"pipelineId": pipeline, "runId": run}
    for tool, more in (("cancel_pipeline_run", {}), ("retry_pipeline_stage", {"stage": "Build"})):
        assert f"belongs to pipeline {other} (Shop CI)" in await caller.told(tool, **about, **more)
    assert azure_devops.builds.builds[run]["status"] == "notStarted"
    assert "list_builds lists the builds" in await caller.told("get_build", buildId=run, project="Shop floor")


async def test_a_pipeline_is_made_and_renamed_only_from_what_was_read(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    made = await given(
        caller, "create_pipeline", name="New CI", repository="acme/web", yamlPath="/ci.yml", connectionId="c1"
    )
    renamed = await given(caller, "rename_pipeline", pipelineId=made["id"], name="Better CI")
    assert (renamed["id"], renamed["name"]) == (made["id"], "Better CI")
    azure_devops.builds.definitions[made["id"]]["revision"] += 1
    [read, written] = [asked for asked in azure_devops.asked if asked.path.endswith(f"definitions/{made['id']}")]
    assert (read.method, json.loads(written.content)["revision"]) == ("GET", 1)
    assert [entry["name"] for entry in (await given(caller, "list_pipelines", name="Better*"))["items"]] == [
        "Better CI"
    ]


async def test_changes_and_artifacts_of_a_build_are_read(
    caller: Caller, azure_devops: FakeAzureDevOps, pipeline: int
) -> None:
    builds = azure_devops.builds
    number = builds.add(pipeline)
    builds.largest_page = 2
    builds.changes[number] = [{"id": f"{index}", "message": "<p>is</p> kept"} for index in range(5)]
    changes = await given(caller, "list_build_changes", buildId=number)
    assert [change["id"] for change in changes["items"]] == ["0", "1", "2", "3", "4"]
    builds.artifacts[number] = [
        {"id": 1, "name": "drop", "resource": {"type": "Container"}},
        {
            "id": 2,
            "name": "all",
            "resource": {"type": "PipelineArtifact", "downloadUrl": "https://elsewhere.example.com"},
        },
    ]
    assert [entry["name"] for entry in (await given(caller, "list_build_artifacts", buildId=number))["items"]] == [
        "drop",
        "all",
    ]
    got = await given(caller, "get_build_artifact", buildId=number, artifactName="drop")
    assert b64decode(got["content"]) == builds.contents
    assert "https://elsewhere.example.com" in await caller.told(
        "get_build_artifact", buildId=number, artifactName="all"
    )
    assert "list_build_artifacts" in await caller.told("get_build_artifact", buildId=number, artifactName="none")
    builds.contents = bytes(2 * 1024 * 1024 + 1)
    assert "larger than the limit" in await caller.told("get_build_artifact", buildId=number, artifactName="drop")


async def test_what_came_between_two_builds_is_told_in_one_call(
    caller: Caller, azure_devops: FakeAzureDevOps, pipeline: int
) -> None:
    builds = azure_devops.builds
    bug, task = (azure_devops.work_items.add("Web", kind, f"A {kind}") for kind in ("Bug", "Task"))
    first, second, third = (builds.add(pipeline) for _ in range(3))
    for number in (first, second, third):
        builds.changes[number] = [{"id": f"c{number}", "message": f"Change {number}"}]
    builds.work_items = {first: [99], second: [bug], third: [task, bug, 4711]}
    between = await given(caller, "compare_builds", fromBuildId=first, toBuildId=third)
    assert [commit["id"] for commit in between["commits"]] == [f"c{third}", f"c{second}"]
    assert [(item["id"], item["title"]) for item in between["workItems"]] == [(task, "A Task"), (bug, "A Bug")]
    assert "more" not in between
    cut = await given(caller, "compare_builds", fromBuildId=first, toBuildId=third, maxResults=1)
    assert ("more" in cut, len(cut["commits"]), len(cut["workItems"])) == (True, 1, 1)
    builds.changes[second] = builds.changes[third] = []
    builds.work_items = {}
    nothing = await given(caller, "compare_builds", fromBuildId=first, toBuildId=third)
    assert (nothing["commits"], nothing["workItems"]) == ([], [])
    assert "must be the smaller id" in await caller.told("compare_builds", fromBuildId=third, toBuildId=first)
    assert "list_builds" in await caller.told("compare_builds", fromBuildId=first, toBuildId=999)


async def test_the_tests_that_failed_in_a_build_are_named_with_their_errors(
    caller: Caller, azure_devops: FakeAzureDevOps, pipeline: int
) -> None:
    earlier, number = (azure_devops.builds.add(pipeline) for _ in range(2))
    since = {"date": "2026-05-01T00:00:00Z", "build": {"id": earlier, "number": "20260501.1"}}
    new = {"date": "2026-05-06T00:00:00Z", "build": {"id": number, "number": "20260506.2"}}
    fine = {"outcome": "Passed", "automatedTestName": "Door.Fits"}
    trace = "\x1b[31m" + "at Door.Opens()\n" * 1000
    azure_devops.test_plans.publish(number, "All pass", fine, fine)
    azure_devops.test_plans.publish(earlier, "Of another build", {"outcome": "Failed"})
    run = azure_devops.test_plans.publish(
        number,
        "VSTest",
        fine,
        {"outcome": "Failed", "automatedTestName": "Door.Opens", "errorMessage": "No hinge", "failingSince": new}
        | {"stackTrace": trace},
        {"outcome": "Error", "testCaseTitle": "Door closes", "errorMessage": "x" * 5000, "failingSince": since},
        {"outcome": "Aborted", "testCase": {"name": "Door locks"}},
        {"outcome": "NotExecuted", "testCaseTitle": "Door rots"},
    )
    found = await given(caller, "list_failed_tests", buildId=number)
    assert (found["runs"], found["tests"], found["passed"], found["count"]) == (2, 7, 3, 3)
    opens, closes, locks = found["items"]
    assert (opens["test"], opens["runId"], opens["error"], opens["isNew"]) == ("Door.Opens", run, "No hinge", True)
    assert opens["stack"].startswith("at Door.Opens()\n")
    assert "failingSince" not in opens
    assert closes["failingSince"] == {"build": "20260501.1", "buildId": earlier, "at": "2026-05-01T00:00:00Z"}
    assert (locks["test"], "isNew" in locks) == ("Door locks", False)
    assert len(json.dumps(found)) / 4 < 700
    assert not [asked for asked in azure_devops.asked if "/Runs/1/" in asked.path], "no results are read where all pass"
    cut = await given(caller, "list_failed_tests", buildId=number, maxResults=1)
    assert (cut["count"], "get_test_results" in cut["more"]) == (1, True)
    none = await given(caller, "list_failed_tests", buildId=azure_devops.builds.add(pipeline))
    assert (none["runs"], none["count"], none["items"]) == (0, 0, [])
    assert "list_builds" in await caller.told("list_failed_tests", buildId=999)


async def test_long_logs_are_cut_and_say_so(caller: Caller, azure_devops: FakeAzureDevOps, pipeline: int) -> None:
    number = azure_devops.builds.add(pipeline)
    azure_devops.builds.start(number, *("x" * 1000 for _ in range(200)))
    log = await given(caller, "get_build_logs", buildId=number, logId=1)
    assert len(log["content"]) == 64 * 1024
    assert "request fewer" in log["cut"]
    few = await given(caller, "get_build_logs", buildId=number, logId=1, startLine=200)
    assert (len(few["content"]), "cut" in few) == (1001, False)


async def test_a_service_that_is_away_starts_nothing_twice(
    caller: Caller, azure_devops: FakeAzureDevOps, pipeline: int
) -> None:
    azure_devops.troubles.append(troubles.cut_connection)
    assert "First check whether the change was made" in await caller.told("run_pipeline", pipelineId=pipeline)
    azure_devops.troubles.append(troubles.stopped)
    assert "First check whether the change was made" in await caller.told("queue_build", definitionId=pipeline)
    assert azure_devops.builds.builds == {}
    assert len(azure_devops.asked) == 2


@pytest.mark.parametrize("name", ["", "1st", "a;b", "x\ny", "a=b", ".."])
async def test_a_variable_needs_a_name(caller: Caller, azure_devops: FakeAzureDevOps, pipeline: int, name: str) -> None:
    values: dict[str, Any] = {name: "1"}
    for tool, given_as in (("run_pipeline", "variables"), ("run_pipeline", "parameters")):
        assert "is not a valid name" in await caller.told(tool, pipelineId=pipeline, **{given_as: values})
    assert azure_devops.asked == []
