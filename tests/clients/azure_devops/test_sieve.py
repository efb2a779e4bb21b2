"""What is left of a response within a scope of projects, repositories, work items and builds."""

from __future__ import annotations

from typing import Any, Final

import pytest

from clients.azure_devops.confinement.bounds import Named, NameIndex, OrganizationBounds, Repository
from clients.azure_devops.confinement.entry_conditions import standing_of
from clients.azure_devops.confinement.sieve import GONE, item_of, items_in, repositories_of
from clients.azure_devops.reach import DevOpsReach, ReachLock
from tests.clients.azure_devops.sieving import AT, BUILD, VAULT, WEB, sieve


@pytest.mark.parametrize(
    "key", ["project", "projectReference", "teamProject", "teamProjectReference", "projectId", "teamProjectId"]
)
@pytest.mark.parametrize(("project", "is_shown"), [("Web", True), ("1", True), ("", True), ("Vault", False)])
def test_a_record_is_shown_with_its_project(key: str, project: str, *, is_shown: bool) -> None:
    assert (sieve().shown({key: project}) is not GONE) is is_shown


@pytest.mark.parametrize(
    ("project", "is_shown"),
    [
        ({"id": "1"}, True),
        ({"name": "web"}, True),
        ({"id": "1", "name": "Vault"}, True),
        ({"id": "2", "name": "Web"}, False),
        ({"name": "Vault"}, False),
        ({"id": "3"}, False),
        ({}, True),
        ({"id": "", "name": ""}, True),
        (None, True),
        (2, True),
    ],
)
def test_the_id_of_a_project_counts_more_than_its_name(project: Any, *, is_shown: bool) -> None:
    record = {"teamProject": project, "a": 1}
    assert sieve().shown(record) == (record if is_shown else GONE)


@pytest.mark.parametrize(
    ("record", "name", "shown"),
    [
        ({"fields": {"System.TeamProject": "Web"}}, "", True),
        ({"fields": {"System.TeamProject": "Vault"}}, "", False),
        ({"fields": {"system.teamproject": "Vault"}}, "", False),
        ({"fields": {"System.TeamProject": 2}}, "", True),
        ({"fields": ["System.TeamProject"]}, "", True),
        ({"id": 1}, "workItem", True),
        ({"id": "1"}, "workItem", True),
        ({"id": 2}, "workItem", False),
        ({"id": 3}, "workItem", False),
        ({"id": 2}, "build", True),
        ({"id": 0}, "workItem", True),
        ({"id": "0"}, "workItem", True),
        ({"url": f"{AT}/_apis/wit/workItems/1"}, "workItem", True),
        ({"url": f"{AT}/_apis/wit/workItems/3"}, "workItem", False),
        ({"projectId": 5}, "", True),
        ({"id": "x"}, "workItem", True),
        ({"id": 2, "fields": {"System.TeamProject": "Web"}}, "workItem", True),
        ({"url": f"{AT}/_apis/wit/workItems/1"}, "", True),
        ({"url": f"{AT}/_apis/wit/workItems/2"}, "", False),
        ({"url": 2}, "", True),
        ({"displayName": "[Vault]\\Team"}, "", False),
        ({"providerDisplayName": "[Vault]\\Team"}, "", False),
        ({"principalName": "[Vault]\\Team"}, "", False),
        ({"displayName": "[Web]\\Team"}, "", True),
        ({"displayName": "[ACME]\\Admins"}, "", True),
        ({"displayName": "[TEAM FOUNDATION]\\All"}, "", True),
        ({"displayName": "Vault"}, "", True),
        ({"displayName": 5}, "", True),
        ({"title": "[Vault]\\Team"}, "", True),
    ],
    ids=str,
)
def test_a_record_is_shown_if_what_it_is_or_names_is_in_scope(
    record: dict[str, Any], name: str, *, shown: bool
) -> None:
    assert sieve().shown(record, name) == (record if shown else GONE)


@pytest.mark.parametrize(
    ("record", "left"),
    [
        ({"link": f"{AT}/Vault/_build", "a": 1}, {"a": 1}),
        ({"link": f"{AT}/Web/_build"}, {"link": f"{AT}/Web/_build"}),
        ({"url": f"{AT}/Vault/_build", "a": 1}, GONE),
        ({"text": f"see {AT}/Vault/_build"}, {"text": f"see {AT}/Vault/_build"}),
        ({"link": f"{AT}/_apis/wit/workItems/2", "a": 1}, {"a": 1}),
        ({"link": f"{AT}/_apis/wit/workItems/3"}, {"link": f"{AT}/_apis/wit/workItems/3"}),
        ({"text": f"{AT}/Web\n/_workitems/edit/2"}, {"text": f"{AT}/Web\n/_workitems/edit/2"}),
        ({"text": f"see {AT}/_workitems/edit/2"}, {"text": f"see {AT}/_workitems/edit/2"}),
        ({"link": "abcdefg://x/_workitems/edit/2", "a": 1}, {"a": 1}),
        ({"link": "abcdefgh://x/_workitems/edit/2"}, {"link": "abcdefgh://x/_workitems/edit/2"}),
        ({"list": ["x", f"{AT}/Vault/_build"]}, {"list": ["x"]}),
        ({"list": ["x", 1]}, {"list": ["x", 1]}),
        ({"link": f"{BUILD}7"}, {"link": f"{BUILD}7"}),
        ({"link": f"{BUILD}8", "a": 1}, {"a": 1}),
        ({"System.Parent": 1}, {"System.Parent": 1}),
        ({"System.Parent": 0}, {"System.Parent": 0}),
        ({"System.Parent": 2, "a": 1}, {"a": 1}),
        ({"System.Parent": "x", "a": 1}, {"a": 1}),
        ({"requirementId": "2", "a": 1}, {"a": 1}),
        ({"System.Parent": {"oldValue": 2, "newValue": 1}}, {"System.Parent": {"newValue": 1}}),
        ({"System.Parent": {"oldValue": 1, "newValue": 2}}, {"System.Parent": {"oldValue": 1}}),
        ({"a": {"oldValue": 2, "newValue": 1}}, {"a": {"oldValue": 2, "newValue": 1}}),
        ({"list": [{"project": "Vault"}, {"project": "Web"}]}, {"list": [{"project": "Web"}]}),
        ({"inner": {"project": "Vault"}, "a": 1}, {"a": 1}),
        ({"repository": {"project": {"id": "2"}}, "a": 1}, GONE),
        ({"scope": {"project": "Vault"}}, GONE),
        ({"scope": {"link": f"{AT}/Vault/_build"}}, GONE),
        ({"scope": {}}, {"scope": {}}),
    ],
    ids=str,
)
def test_only_what_is_out_of_scope_is_removed(record: dict[str, Any], left: Any) -> None:
    made = sieve()
    assert made.shown(record) == left
    assert made.is_whole is (record == left)


@pytest.mark.parametrize(
    ("record", "is_shown"),
    [
        ({"repository": {"id": "d"}}, True),
        ({"repository": {"id": "D"}}, True),
        ({"repository": {"id": "s"}}, False),
        ({"repository": {"id": "d", "type": "TfsGit"}}, True),
        ({"repository": {"id": "d", "type": "GitHub"}}, False),
        ({"repository": {"name": "Door"}, "project": {"id": "1"}}, True),
        ({"repository": {"name": "door"}}, False),
        ({"repository": {"name": "door"}, "project": "Web"}, False),
        ({"repository": {}}, False),
        ({"repository": "s"}, True),
        ({"repositoryId": "d"}, True),
        ({"repositoryId": "s"}, False),
        ({"repositoryId": ""}, True),
        ({"url": f"{AT}/Web/_git/door"}, True),
        ({"url": f"{AT}/Web/_git/safe"}, False),
        ({"url": f"{AT}/_apis/git/repositories/d"}, True),
        ({"url": f"{AT}/_apis/git/repositories/s"}, False),
        ({"url": f"{AT}/Web/_build"}, True),
        ({"definition": {"id": 9}, "repository": {"id": "d"}}, True),
    ],
    ids=str,
)
def test_within_repositories_a_record_is_shown_with_its_repository(record: dict[str, Any], *, is_shown: bool) -> None:
    assert sieve(of_one_repository=True).shown(record) == (record if is_shown else GONE)
    assert sieve().shown(record) == record


@pytest.mark.parametrize(
    ("record", "is_shown"),
    [
        ({"repository": {"name": "door"}, "project": {"id": "2"}}, True),
        ({"repository": {"name": "door"}, "project": {"id": "1"}}, False),
        ({"url": f"{AT}/Vault/_git/door"}, True),
        ({"url": f"{AT}/Web/_git/door"}, False),
        ({"url": f"{AT}/_git/door"}, False),
        ({"url": f"{AT}/_git/t"}, True),
    ],
)
def test_a_repository_of_another_project_with_the_same_name_is_another_one(
    record: dict[str, Any], *, is_shown: bool
) -> None:
    lock = ReachLock(repositories=frozenset({"Vault/door"}))
    made = sieve()
    made.bounds = OrganizationBounds(["acme"], DevOpsReach.within(lock), NameIndex([WEB, VAULT]))
    made.repositories = NameIndex([Repository("t", "door", VAULT)])
    assert made.shown(record) == (record if is_shown else GONE)


ROWS: Final[list[Any]] = [{"project": "Web"}, {"project": "Vault"}, "text"]


@pytest.mark.parametrize(
    ("document", "left", "left_out"),
    [
        ({"count": 3, "value": ROWS}, {"count": 2, "value": [ROWS[0], ROWS[2]]}, 1),
        ({"value": ROWS, "total": 3}, {"value": [ROWS[0], ROWS[2]], "total": 3}, 1),
        ({"count": 9, "results": ROWS[:1]}, {"count": 9, "results": ROWS[:1]}, 0),
        ({"count": 9, "results": ROWS[:2]}, {"count": 1, "results": ROWS[:1]}, 1),
        ({"others": ROWS[:2], "count": 2}, {"others": ROWS[:1], "count": 2}, 1),
        ({"project": "Vault", "value": []}, GONE, 0),
        ({"project": "Vault"}, GONE, 0),
        ({"name": "x"}, {"name": "x"}, 0),
    ],
    ids=str,
)
def test_entries_that_are_left_out_are_counted(document: dict[str, Any], left: Any, left_out: int) -> None:
    made = sieve()
    answer = made.answer(document)
    assert answer == left
    assert (answer is GONE or list(answer)) == (left is GONE or list(left))
    assert (made.left_out, made.is_whole) == (left_out, document == left)


def test_conditions_are_for_entries_or_else_for_the_document_itself() -> None:
    made = sieve()
    made.holds = lambda entry: isinstance(entry, dict) and bool(entry.get("good"))
    document = {"name": "x", "value": [{"good": 1}, {"good": 0}, "text"], "facets": [{"good": 0}]}
    assert made.answer(document) == {**document, "value": [{"good": 1}]}
    assert made.answer({"good": 0}) is GONE
    assert made.answer({"good": 1}) == {"good": 1}


FIELDS: Final = {"fields": {"System.TeamProject": "Web"}}


@pytest.mark.parametrize(
    ("resource", "is_of_one", "entry", "is_shown"),
    [
        ("wiki/wikis", False, {"projectId": "1"}, True),
        ("wiki/wikis", False, {"name": "x"}, False),
        ("wiki/wikis", True, {"name": "x"}, True),
        ("search/codesearchresults", False, {"project": {"id": "1"}}, True),
        ("search/workitemsearchresults", False, {"name": "x"}, False),
        ("packaging/feeds", True, {"project": {"id": "1"}}, True),
        ("packaging/feeds/*", True, {"name": "x"}, False),
        ("wit/workitems/*", False, FIELDS, True),
        ("wit/workitemsbatch", False, {"id": 1}, False),
        ("projects", False, {"id": "1"}, True),
        ("projects", False, "text", False),
        ("projects", False, {"id": "2", "name": "Web"}, False),
        ("git/repositories", False, {"id": "x", "name": "x", "project": {"id": "1"}}, True),
        ("git/repositories/*", False, {"id": "x", "name": "x"}, False),
        ("git/pullrequests", False, {"repository": {"id": "x", "project": {"id": "1"}}}, True),
        ("git/pullrequests/*", False, {"repository": {"id": "x"}}, False),
        ("git/pullrequests", False, {"repository": "x"}, False),
        ("notification/subscriptions", False, {"scope": {"id": "1"}}, True),
        ("notification/subscriptions", False, {"scope": {"id": "2"}}, False),
        ("notification/subscriptions", False, {"scope": "1"}, False),
        ("work/teamsettings/iterations/*", True, {"path": "\\Web\\Sprint 1"}, True),
        ("pipelines/approvals", True, {"pipeline": {"owner": {"id": 7}}}, True),
        ("pipelines/approvals/*", True, {"pipeline": {"owner": {"id": 8}}}, False),
        ("test/runs", True, {"build": {"id": "8"}}, True),
        ("build/builds", True, {"id": 8}, True),
    ],
)
def test_an_entry_says_that_it_is_in_scope(resource: str, entry: Any, *, is_of_one: bool, is_shown: bool) -> None:
    made = sieve()
    standing_of(resource, is_of_one=is_of_one, opens_repositories=True).put_on(made)
    assert made.answer({"value": [entry]}) == {"value": [entry] if is_shown else []}


@pytest.mark.parametrize(
    ("resource", "entry", "is_shown"),
    [
        ("build/builds", {"repository": {"id": "d"}}, True),
        ("build/builds/*", {"id": 8}, False),
        ("build/definitions", {"id": 8}, False),
        ("wiki/wikis", {"repositoryId": "d"}, True),
        ("wiki/wikis/*", {"name": "x"}, False),
        ("test/runs", {"build": {"id": "7"}}, True),
        ("test/runs/*", {"build": {"id": "8"}}, False),
        ("test/runs", {"build": {}}, False),
        ("release/releases", {"id": 8}, True),
    ],
)
def test_within_repositories_an_entry_says_its_repository_or_build(
    resource: str, entry: Any, *, is_shown: bool
) -> None:
    made = sieve(of_one_repository=True)
    standing_of(resource, is_of_one=True, opens_repositories=False).put_on(made)
    assert made.answer({"value": [entry]}) == {"value": [entry] if is_shown else []}


def test_an_iteration_without_a_path_is_of_no_project_whatever_its_name() -> None:
    made = sieve()
    made.bounds = OrganizationBounds(["acme"], DevOpsReach.within(), NameIndex([Named("9", "None")]))
    standing_of("work/teamsettings/iterations", is_of_one=True, opens_repositories=True).put_on(made)
    entries: list[Any] = [{"path": "None\\Sprint 1"}, {"path": None}, {}]
    assert made.answer({"value": entries}) == {"value": entries[:1]}


def test_settings_of_widgets_are_hidden() -> None:
    widget = {"name": "x", "settings": "Vault", "artifactId": "y"}
    for resource, left in (("dashboard/dashboards/*", {"name": "x"}), ("wiki/wikis", widget)):
        made = sieve()
        standing_of(resource, is_of_one=True, opens_repositories=True).put_on(made)
        assert made.answer(widget) == left
        assert made.is_whole


def test_work_items_that_a_document_names_are_looked_up() -> None:
    document = {
        "workItems": [{"id": 3}, {"id": "4"}, {"id": 0}, {"id": "x"}],
        "System.Parent": {"oldValue": "5", "newValue": 0},
        "requirementId": 6,
        "builds": [{"id": 7}],
        "source": {"id": 8, **FIELDS},
        "link": {"url": f"{AT}/_workitems/edit/9"},
    }
    assert [*items_in(document)] == [3, 4, 5, 6, 9]
    assert item_of({"id": 3, "url": f"{AT}/_workitems/edit/9"}, "target") == 3


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"repositoryId": "d", "repository": {"id": "e", "name": "f"}}, ["d", "e"]),
        ({"repository": {"name": "f", "type": None}}, ["f"]),
        ({"repository": {"id": "e", "type": "AzureReposGit"}}, ["e"]),
        ({"repository": {"id": "e", "type": "Git"}}, ["e"]),
        ({"repository": {"id": "e", "type": "GitHub"}}, ["none"]),
        ({"repository": {"type": "git"}}, ["none"]),
        ({"repositoryId": 5, "repository": "x"}, []),
    ],
)
def test_repositories_elsewhere_have_no_name_here(record: dict[str, Any], found: list[str]) -> None:
    assert [*repositories_of(record)] == found


@pytest.mark.parametrize(
    ("resource", "record", "left"),
    [
        ("build/builds/*", {"tags": ["x"], "triggerInfo": {"pipelineId": "9"}}, {"tags": ["x"]}),
        ("notification/subscriptions", {"filter": {"type": "x", "criteria": {}}}, {"filter": {"type": "x"}}),
        ("notification/subscriptions", {"filter": {"artifactId": "9", "artifactUri": "y"}}, {"filter": {}}),
        ("testplan/plans", {"id": 1, "buildDefinition": {"name": "x"}, "buildId": 9}, {"id": 1}),
        ("testplan/plans", {"previousBuildId": 9, "releaseEnvironmentDefinition": {}}, {}),
    ],
)
def test_what_does_not_say_its_repository_is_hidden_within_repositories(
    resource: str, record: dict[str, Any], left: dict[str, Any]
) -> None:
    for is_limited in (True, False):
        made = sieve(of_one_repository=is_limited)
        standing_of(resource, is_of_one=True, opens_repositories=not is_limited).put_on(made)
        assert made.shown(record) == (left if is_limited else record)


@pytest.mark.parametrize("name", ["latestBuild", "latestCompletedBuild", "triggeredByBuild"])
@pytest.mark.parametrize(("build", "is_shown"), [({"id": 7}, True), ({"id": 8}, False), ({"number": "x"}, False)])
def test_within_repositories_another_build_is_shown_if_it_is_in_scope(
    name: str, build: dict[str, Any], *, is_shown: bool
) -> None:
    assert sieve(of_one_repository=True).shown({"id": 7, name: build}) == {"id": 7} | (
        {name: build} if is_shown else {}
    )
    assert sieve().shown({name: build}) == {name: build}


@pytest.mark.parametrize(
    ("record", "left"),
    [
        ({"failingSince": {"build": {"id": "7"}, "date": "x"}}, {"failingSince": {"build": {"id": "7"}, "date": "x"}}),
        ({"failingSince": {"build": {"id": "8"}, "date": "x"}}, {}),
        ({"failingSince": {"release": {"id": 1}}}, {}),
        ({"parentRepository": {"id": "d"}}, {"parentRepository": {"id": "d"}}),
        ({"parentRepository": {"id": "s", "name": "safe"}}, {}),
        ({"parentRepository": {"name": "safe"}}, {}),
        ({"triggers": [{"definition": {"id": 9}}, {"branch": "main"}]}, {"triggers": [{"branch": "main"}]}),
        ({"link": "vstfs:///Wiki/WikiPage/1%2Fd%2FHome"}, {}),
        ({"link": "vstfs:///Git/Other/1"}, {}),
        ({"link": "vstfs:///ReleaseManagement/ReleaseEnvironment/1:2:3"}, {}),
        ({"link": "vstfs:///Git/Commit/1%2Fd%2Fa"}, {"link": "vstfs:///Git/Commit/1%2Fd%2Fa"}),
        ({"domain": "vstfs:///Classification/TeamProject/1"}, {"domain": "vstfs:///Classification/TeamProject/1"}),
    ],
)
def test_within_repositories_nothing_refers_to_another_repository(record: Any, left: Any) -> None:
    assert sieve(of_one_repository=True).shown(record) == left
    assert sieve().shown(record) == record


@pytest.mark.parametrize(("location", "is_shown"), [(f"{AT}/1/_apis/git/repositories/d/commits/a", True), ("", False)])
def test_within_repositories_a_commit_says_its_repository(location: str, *, is_shown: bool) -> None:
    made, change = sieve(of_one_repository=True), {"id": "a", "location": location}
    standing_of("build/changes", is_of_one=True, opens_repositories=False).put_on(made)
    assert made.answer({"value": [change]})["value"] == ([change] if is_shown else [])
    standing_of("build/changes", is_of_one=True, opens_repositories=True).put_on(made)
    assert made.answer({"value": [change]})["value"] == [change]
