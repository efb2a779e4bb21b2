"""Each field of a record or request, and each resource, whose name says what it belongs to is checked."""

from __future__ import annotations

from typing import Any

import pytest

from clients.azure_devops.confinement.entry_conditions import standing_of
from clients.azure_devops.confinement.request_mentions import mentions
from clients.azure_devops.confinement.sieve import GONE
from clients.azure_devops.messages import JSON_PATCH, DevOpsRequest
from tests.clients.azure_devops.sieving import AT, sieve


@pytest.mark.parametrize(
    ("resource", "is_of_one", "entry"),
    [
        ("wiki/wikis", False, {"name": "x"}),
        ("search/codesearchresults", False, {"name": "x"}),
        ("search/wikisearchresults", False, {"name": "x"}),
        ("search/workitemsearchresults", False, {"name": "x"}),
        ("packaging/feeds", True, {"name": "x"}),
        ("packaging/feeds/*", True, {"name": "x"}),
        ("projects", False, {"name": "x"}),
        ("git/repositories", True, {"id": "s", "name": "x"}),
        ("git/repositories/*", True, {"id": "s", "name": "x"}),
        ("git/pullrequests", True, {"name": "x"}),
        ("git/pullrequests/*", True, {"name": "x"}),
        ("notification/subscriptions", False, {"name": "x"}),
        ("work/teamsettings/iterations", True, {"path": "Vault\\Sprint 1"}),
        ("work/teamsettings/iterations/*", True, {"path": "Vault\\Sprint 1"}),
        ("wit/workitems/*", False, {"id": 1, "fields": {}}),
        ("wit/workitemsbatch", False, {"id": 1, "fields": {}}),
        ("pipelines/approvals", True, {"build": {"id": 8}}),
        ("pipelines/approvals/*", True, {"build": {"id": 8}}),
    ],
)
def test_an_entry_that_does_not_say_that_it_is_in_scope_is_not_shown(
    resource: str, entry: dict[str, Any], *, is_of_one: bool
) -> None:
    made = sieve()
    standing_of(resource, is_of_one=is_of_one, opens_repositories=True).put_on(made)
    assert made.answer({"value": [entry]}) == {"value": []}
    assert made.answer(entry) is GONE


@pytest.mark.parametrize(
    "resource",
    [
        "build/builds",
        "build/builds/*",
        "build/definitions",
        "build/definitions/*",
        "wiki/wikis",
        "search/codesearchresults",
        "test/runs",
        "test/runs/*",
        "build/changes",
        "build/builds/*/changes",
    ],
)
def test_within_repositories_an_entry_that_does_not_say_its_repository_is_not_shown(resource: str) -> None:
    made = sieve(of_one_repository=True)
    standing_of(resource, is_of_one=True, opens_repositories=False).put_on(made)
    assert made.answer({"value": [{"id": 8, "project": "Web"}]}) == {"value": []}


def test_within_repositories_a_search_for_code_counts_nothing() -> None:
    found = {"count": 9, "facets": {"Repository": [{"name": "safe"}]}, "results": [{"repository": {"id": "d"}}]}
    made = sieve(of_one_repository=True)
    standing_of("search/codesearchresults", is_of_one=True, opens_repositories=False).put_on(made)
    assert made.answer(found) == {"results": [{"repository": {"id": "d"}}]}


@pytest.mark.parametrize("name", ["projectId", "teamProjectId", "projectName", "teamProjectName"])
def test_a_record_names_its_project_in_any_of_these_fields(name: str) -> None:
    assert sieve().shown({name: "Vault"}) is GONE


@pytest.mark.parametrize("name", ["workItem", "testCase", "target"])
def test_a_record_about_a_work_item_out_of_scope_is_removed(name: str) -> None:
    assert sieve().shown({name: {"id": 2}, "a": 1}) is GONE


@pytest.mark.parametrize("name", ["source", "workItems", "workItemRefs", "associatedBugs"])
def test_a_reference_to_a_work_item_out_of_scope_is_removed(name: str) -> None:
    assert sieve().shown({name: {"id": 2}, "a": 1}) == {"a": 1}


@pytest.mark.parametrize("name", ["url", "href", "remoteUrl", "webUrl", "sshUrl", "location"])
def test_a_record_whose_own_address_is_out_of_scope_is_removed(name: str) -> None:
    assert sieve().shown({name: f"{AT}/Vault/_git/safe", "a": 1}) is GONE


@pytest.mark.parametrize("name", ["repository", "settings", "scope"])
def test_a_record_whose_main_part_is_out_of_scope_is_removed(name: str) -> None:
    assert sieve().shown({name: {"project": "Vault"}, "a": 1}) is GONE


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("project", "project"),
        ("projectId", "project"),
        ("searchCriteria.projectId", "project"),
        ("repositoryId", "repository"),
        ("searchCriteria.repositoryId", "repository"),
        ("searchCriteria.sourceRepositoryId", "repository"),
    ],
)
def test_a_query_mentions_a_project_or_a_repository(name: str, kind: str) -> None:
    request = DevOpsRequest("GET /x", query={name: "x"})
    assert [*mentions(request, sieve().addresses)] == [(kind, "x")]


@pytest.mark.parametrize(
    ("field", "project"),
    [
        ("System.TeamProject", "Vault"),
        ("System.AreaPath", "Vault"),
        ("System.IterationPath", "Vault"),
        ("System.AreaId", ""),
        ("System.IterationId", ""),
        ("System.NodeId", ""),
        ("Iteration Path", "Vault"),
        ("Iteration ID", ""),
    ],
)
def test_a_changed_field_mentions_a_project(field: str, project: str) -> None:
    body = [{"op": "add", "path": f"/fields/{field}", "value": "Vault\\x"}]
    request = DevOpsRequest("PATCH /x", body=body, content_type=JSON_PATCH)
    assert [*mentions(request, sieve().addresses)] == [("project", project)]


@pytest.mark.parametrize("name", ["requirementId", "parentId", "previousId", "nextId", "ids", "workItemIds"])
def test_a_body_mentions_a_work_item(name: str) -> None:
    request = DevOpsRequest("POST /x", body={"inner": {name: [5]}})
    assert {*mentions(request, sieve().addresses)} == {("item", "5")}


@pytest.mark.parametrize("name", ["areaPath", "iteration", "iterationPath"])
def test_a_body_mentions_the_project_of_a_path(name: str) -> None:
    request = DevOpsRequest("POST /x", body={"inner": {name: "\\Vault\\x"}})
    assert [*mentions(request, sieve().addresses)] == [("project", "Vault")]
