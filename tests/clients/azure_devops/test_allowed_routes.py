"""Which requests to Azure DevOps can be limited to a scope, and which other requests show what they belong to."""

from __future__ import annotations

from typing import Any, Final

import pytest

from clients.azure_devops.confinement.allowed_routes import (
    place_of_repository,
    pull_request_of,
    refuse_unconfined,
    resource_of,
    wholes_of,
)
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.organization import Host
from refusal import Refusal

WEB: Final = {"project": "Web"}
APPROVALS: Final = "PATCH /{project}/_apis/pipelines/approvals"
QUEUE: Final = "POST /{project}/_apis/build/builds"


@pytest.mark.parametrize(
    ("line", "values", "resource"),
    [
        ("GET /_apis/projects", {}, "projects"),
        ("GET /{project}/_apis/git/Repositories/{id}/refs", {}, "git/repositories/*/refs"),
        ("GET /{project}/{team}/_apis/work/boards", {}, "work/boards"),
        ("GET /{project}/{team}/_apis/work/boards", {"team": None}, "work/boards"),
        ("GET /{project}/_apis/wit/workitems/{id}", {"project": None, "id": 1}, "wit/workitems/*"),
    ],
)
def test_the_resource_of_a_request_is_its_path_without_values(line: str, values: dict[str, Any], resource: str) -> None:
    assert resource_of(DevOpsRequest(line, values)) == resource


@pytest.mark.parametrize(
    "line",
    [
        "GET /{project}/_git/door",
        "GET /",
        "GET /Vault/_apis/git/repositories",
        "GET /{team}/_apis/work/boards",
        "GET /{project}/{team}/{more}/_apis/work/boards",
        "GET /{project}/_apis/git/../../../Vault/_apis/git/repositories",
        "GET /_apis/..",
    ],
)
def test_a_request_whose_path_could_lead_anywhere_is_refused(line: str) -> None:
    with pytest.raises(Refusal, match="cannot be limited to the allowed scope"):
        resource_of(DevOpsRequest(line))


@pytest.mark.parametrize(
    "resource",
    [
        "wit/artifactlinktypes",
        "wit/recyclebin/*",
        "wit/workitems/*/revisions",
        "search/packagesearchresults",
        "git/pullrequests/*/labels",
    ],
)
def test_what_a_project_in_the_path_does_not_limit_is_refused_within_a_project_too(resource: str) -> None:
    with pytest.raises(Refusal, match=r"restricted to some projects, and .* cannot be limited to them\.$"):
        refuse_unconfined(DevOpsRequest("GET /x"), resource, of_a_project=True, opens_repositories=True)


@pytest.mark.parametrize("resource", ["git/repositories/*/refs", "wit/workitems/*", "projects"])
def test_what_belongs_to_no_project_or_names_its_own_is_sent_without_a_project(resource: str) -> None:
    refuse_unconfined(DevOpsRequest("GET /x"), resource, of_a_project=False, opens_repositories=True)


@pytest.mark.parametrize("resource", ["wit/queries/*", "build/builds/*", "git/policy/configurations"])
def test_what_only_a_project_limits_is_refused_without_one(resource: str) -> None:
    with pytest.raises(Refusal, match=r"cannot be limited to them\. Pass the project\.$"):
        refuse_unconfined(DevOpsRequest("GET /x"), resource, of_a_project=False, opens_repositories=True)


def test_the_name_of_the_parameter_for_the_repository() -> None:
    line = "GET /{project}/_apis/git/Repositories/{repository}/pullRequests/{id}"
    assert place_of_repository(DevOpsRequest(line)) == "repository"
    assert place_of_repository(DevOpsRequest(line, {"repository": None})) is None


def read(line: str, **values: Any) -> DevOpsRequest:
    return DevOpsRequest(f"GET /{{project}}/_apis/{line}", {**WEB, **values})


def build(number: Any) -> DevOpsRequest:
    return read("build/builds/{buildId}", buildId=number)


def definition(number: Any) -> DevOpsRequest:
    return read("build/definitions/{definitionId}", definitionId=number)


def approval(number: Any) -> DevOpsRequest:
    return read("pipelines/approvals/{approvalId}", approvalId=number)


@pytest.mark.parametrize(
    ("request_", "wholes"),
    [
        (DevOpsRequest(QUEUE, WEB, body={"definition": {"id": 5}}), [definition(5)]),
        (DevOpsRequest(QUEUE, WEB, body={"definition": {}}), [definition("missing")]),
        (DevOpsRequest(QUEUE, WEB, body={"definition": None}), [definition("missing")]),
        (DevOpsRequest(QUEUE, WEB, body={}), [definition("missing")]),
        (DevOpsRequest(QUEUE, WEB), [definition("missing")]),
        (read("build/builds"), []),
        (
            DevOpsRequest("POST /{project}/_apis/pipelines/{pipelineId}/runs", {**WEB, "pipelineId": 5}, body={}),
            [definition(5)],
        ),
        (read("pipelines/{id}", id=5), [definition(5)]),
        (read("build/changes"), [build("missing"), build("missing")]),
        (
            DevOpsRequest("GET /{project}/_apis/build/workItems", WEB, {"fromBuildId": 1, "toBuildId": 2}),
            [build(1), build(2)],
        ),
        (
            DevOpsRequest(APPROVALS, WEB, body=[{"approvalId": "a"}, {"approvalId": "b"}, {}]),
            [approval("a"), approval("b"), approval("missing")],
        ),
        (DevOpsRequest(APPROVALS, WEB, body=[]), [approval("missing")]),
        (read("pipelines/approvals"), []),
        (build(7), []),
        (DevOpsRequest("PATCH /{project}/_apis/build/builds/{buildId}", {**WEB, "buildId": 7}), [build(7)]),
        (read("build/builds/{buildId}/logs/{logId}", buildId=7, logId=1), [build(7)]),
        (read("wit/workitems/{id}", id=1), []),
    ],
)
def test_what_a_request_belongs_to_is_read_first(request_: DevOpsRequest, wholes: list[DevOpsRequest]) -> None:
    assert [*wholes_of(request_)] == wholes


def test_a_parent_is_read_from_the_same_host_in_the_same_version() -> None:
    line = "GET /{project}/_apis/packaging/feeds/{feedId}"
    values = {"project": None, "feedId": "f"}
    request = DevOpsRequest(f"{line}/packages", values, host=Host.FEEDS, version="7.1-preview.1")
    whole = DevOpsRequest(
        "GET /_apis/packaging/feeds/{feedId}", {"feedId": "f"}, host=Host.FEEDS, version="7.1-preview.1"
    )
    assert [*wholes_of(request)] == [whole]


@pytest.mark.parametrize(
    ("line", "artifact", "number"),
    [
        ("policy/evaluations", "vstfs:///CodeReview/CodeReviewId/w1/7", "7"),
        ("Policy/Evaluations", "7", "7"),
        ("policy/evaluations", "vstfs:///CodeReview/CodeReviewId/w1/", "missing"),
        ("policy/evaluations", "", "missing"),
        ("policy/evaluations", None, "missing"),
    ],
)
def test_policies_belong_to_the_pull_request_that_the_query_names(line: str, artifact: Any, number: str) -> None:
    query = {} if artifact is None else {"artifactId": artifact}
    request = DevOpsRequest(f"GET /{{project}}/_apis/{line}", WEB, query)
    assert pull_request_of(request) == read("git/pullrequests/{pullRequestId}", pullRequestId=number)
    assert pull_request_of(read("policy/configurations")) is None
