"""What decides whether something is within a scope of Azure DevOps: lookups, names, work items, builds and mentions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from clients.advice import NO_ADVICE
from clients.azure_devops.confinement.addresses import NO_PROJECT, OrganizationAddresses
from clients.azure_devops.confinement.asking import MOST_ITEMS, LookupClient, project_of
from clients.azure_devops.confinement.bounds import Named, NameIndex, OrganizationBounds, Repository, named, repository
from clients.azure_devops.confinement.narrowing import narrowed
from clients.azure_devops.confinement.request_mentions import mentions
from clients.azure_devops.confinement.work_items import WorkItems, with_project
from clients.azure_devops.messages import JSON_PATCH, DevOpsAnswer, DevOpsRequest
from clients.azure_devops.organization import Organization
from clients.azure_devops.reach import DevOpsReach, ReachLock
from refusal import Refusal

AT: Final = "https://dev.azure.com/acme"
ORGANIZATION: Final = Organization.at(AT)
ADDRESSES: Final = OrganizationAddresses(ORGANIZATION)
WEB, VAULT = Named("1", "Web"), Named("2", "Vault")
DOOR, OVEN, SAFE = Repository("d", "door", WEB), Repository("o", "oven", WEB), Repository("s", "safe", VAULT)


@dataclass
class Organizer:
    """Answers requests about work items and teams: item 1 to 300 are of Web, and later ones are not there."""

    status: int = 200
    team: Any = None
    asked: list[DevOpsRequest] = field(default_factory=list)

    async def send(
        self, _base_url: str, request: DevOpsRequest, _authorization: str, _largest: int | None = None
    ) -> DevOpsAnswer:
        self.asked.append(request)
        document = {"projectId": self.team} if "team" in request.values else {"value": self._items(request)}
        return DevOpsAnswer(self.status, {}, json.dumps(document).encode())

    def _items(self, request: DevOpsRequest) -> list[Any]:
        ids = request.body["ids"]
        return [{"id": n, "fields": {"System.TeamProject": "Web"}} if n <= 300 else None for n in ids]


def asking(organizer: Organizer) -> LookupClient:
    return LookupClient(organizer, ORGANIZATION, "Bearer token", NO_ADVICE)


@pytest.mark.parametrize("count", [0, 1, 200, 201, 400])
async def test_work_items_are_looked_up_in_pieces_by_requests_that_may_be_repeated(count: int) -> None:
    organizer = Organizer()
    found = await asking(organizer).projects_of_items([*range(1, count + 1)])
    assert found == dict.fromkeys(range(1, min(count, 300) + 1), "Web")
    assert [len(request.body["ids"]) for request in organizer.asked] == [200] * (count // 200) + [1] * (count % 200)
    assert all(request.is_repeatable for request in organizer.asked)


async def test_only_so_many_work_items_are_looked_up() -> None:
    organizer = Organizer()
    await asking(organizer).projects_of_items([*range(MOST_ITEMS)])
    with pytest.raises(Refusal, match=f"more than {MOST_ITEMS} work items"):
        await asking(organizer).projects_of_items([*range(MOST_ITEMS + 1)])
    assert len(organizer.asked) == MOST_ITEMS // 200


@pytest.mark.parametrize(
    ("status", "of", "is_of_it"),
    [
        (200, "w1", True),
        (200, "W1", True),
        (200, "v1", False),
        (200, None, True),
        (299, "w1", True),
        (300, "w1", False),
        (404, "w1", False),
    ],
)
async def test_a_team_is_of_the_project_that_its_record_names(status: int, of: str | None, *, is_of_it: bool) -> None:
    assert await asking(Organizer(status, of)).has_team("w1", "t1") is is_of_it


def test_an_entry_is_meant_by_id_by_its_exact_name_or_by_a_name_that_only_it_has() -> None:
    web, also, vault = Named("1", "Web"), Named("2", "WEB"), Named("3", "Vault")
    known = NameIndex([web, also, vault, Named("", "")])
    for what, meant in (("1", web), ("Web", web), ("WEB", also), ("web", None), ("vault", vault), ("x", None)):
        assert known.meant(what) == meant
    assert NameIndex([Named("AB".lower(), "x")]).meant("AB") == Named("ab", "x")
    assert (known.alike("web"), known.alike("2"), known.alike("x")) == ([web, also], [also], [])
    assert NameIndex([web, Named("4", "Web")]).meant("Web") is None


@pytest.mark.parametrize("item", [{}, {"fields": None}, {"fields": {}}, {"fields": {"System.TeamProject": None}}])
def test_a_work_item_without_a_project_is_of_no_project_whatever_its_name(item: dict[str, Any]) -> None:
    assert project_of(item) == ""
    assert project_of({"fields": {"System.TeamProject": "None"}}) == "None"


def test_records_without_an_id_or_a_name_have_empty_ones() -> None:
    assert (named({}), named({"id": "AB", "name": "x"})) == (Named("", ""), Named("ab", "x"))
    assert repository({"id": "D", "name": "door", "project": None}) == Repository("d", "door", Named("", ""))


def bounds(*alternatives: Sequence[ReachLock]) -> OrganizationBounds:
    reach = DevOpsReach(frozenset(map(frozenset, alternatives)))
    return OrganizationBounds(["acme", "acme.visualstudio.com"], reach, NameIndex([WEB, VAULT]))


def projects(*entries: str) -> ReachLock:
    return ReachLock(projects=frozenset(entries))


def repositories(*entries: str) -> ReachLock:
    return ReachLock(repositories=frozenset(entries))


@pytest.mark.parametrize(
    ("made", "allowed", "admitted", "open_projects"),
    [
        (bounds(), [], [], []),
        (bounds([]), [WEB, VAULT], [DOOR, OVEN, SAFE], [WEB, VAULT]),
        (bounds([projects("web")]), [WEB], [DOOR, OVEN], [WEB]),
        (bounds([projects("ACME/2")]), [VAULT], [SAFE], [VAULT]),
        (bounds([projects("other/Web")]), [], [], []),
        (bounds([projects("Web"), projects("Vault")]), [], [], []),
        (bounds([projects("Web")], [projects("Vault")]), [WEB, VAULT], [DOOR, OVEN, SAFE], [WEB, VAULT]),
        (bounds([repositories("door")]), [WEB, VAULT], [DOOR], []),
        (bounds([repositories("Web/oven", "Vault/oven")]), [WEB, VAULT], [OVEN], []),
        (bounds([repositories("Web/oven")]), [WEB, VAULT], [OVEN], []),
        (bounds([repositories("Vault/oven")]), [WEB, VAULT], [], []),
        (bounds([repositories("other/Web/oven")]), [WEB, VAULT], [], []),
        (bounds([repositories("nowhere/oven")]), [WEB, VAULT], [], []),
        (bounds([projects("Web"), repositories("S", "D")]), [WEB], [DOOR], []),
        (bounds([repositories("door"), repositories("oven")]), [WEB, VAULT], [], []),
        (bounds([projects("Vault")], [projects("Web"), repositories("door")]), [WEB, VAULT], [DOOR, SAFE], [VAULT]),
    ],
)
def test_a_scope_allows_what_all_locks_of_an_alternative_allow(
    made: OrganizationBounds, allowed: list[Named], admitted: list[Repository], open_projects: list[Named]
) -> None:
    assert [*made.projects.values()] == allowed
    assert [one for one in (DOOR, OVEN, SAFE) if made.admits(one)] == admitted
    assert [one for one in (WEB, VAULT) if made.opens_all_of(one)] == open_projects
    assert made.opens_all_of(None) is (allowed == open_projects)


@pytest.mark.parametrize(
    ("record", "project"),
    [
        ({"id": "1"}, WEB),
        ({"id": "1", "name": "Vault"}, WEB),
        ({"id": "2", "name": "Web"}, None),
        ({"name": "web"}, WEB),
        ({"name": "Vault"}, None),
        ({}, None),
    ],
)
def test_the_project_of_a_record_is_known_by_its_id_or_else_by_its_name(record: Any, project: Named | None) -> None:
    assert bounds([projects("Web")]).project_of(record) == project


def change(before: str | None = None, after: str | None = None) -> dict[str, Any]:
    named = {"oldValue": before, "newValue": after}
    moved = {"System.TeamProject": {name: value for name, value in named.items() if value}}
    return {"fields": {"System.Title": {}, **(moved if before or after else {})}}


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ([change(after="Web"), change()], [0, 1]),
        ([change(after="Vault"), change()], []),
        ([change(after="Vault"), change("Vault", "Web"), change()], [2]),
        ([change(after="Web"), change("Web", "Vault"), change(), change("Vault", "Web"), change()], [0, 4]),
        ([change(), change(after="Web")], [1]),
        ([{}, {"fields": {"System.TeamProject": "Web"}}], []),
    ],
)
def test_changes_made_while_an_item_was_in_scope_are_its_history(changes: list[Any], kept: list[int]) -> None:
    within = bounds([projects("Web")])
    whole = WorkItems().history(1, 0, changes, within)
    assert [id(one) for one in whole] == [id(changes[place]) for place in kept]
    items, pieces = WorkItems(), list[Any]()
    for start in range(len(changes)):
        pieces += items.history(1, start, changes[start : start + 1], within)
    assert pieces == whole


def test_a_history_is_read_from_its_beginning() -> None:
    with pytest.raises(Refusal, match="from its beginning"):
        WorkItems().history(1, 1, [change()], bounds([]))


def test_a_link_is_changed_at_its_place_among_all_links() -> None:
    items = WorkItems()
    items.note(
        {"id": 1, "relations": [{"url": "out"}, {"url": "a"}, {"url": "out"}, {"url": "b"}]},
        lambda r: r["url"] != "out",
    )
    changed = items.placed(
        1, [{"path": "/relations/0"}, {"path": "/relations/1/attributes"}, {"path": "/fields/x"}, {}]
    )
    assert changed == [{"path": "/relations/1"}, {"path": "/relations/3/attributes"}, {"path": "/fields/x"}, {}]
    for number, path in ((1, "/relations/2"), (2, "/relations/0")):
        with pytest.raises(Refusal, match=f"Link not found on work item {number}"):
            items.placed(number, [{"path": path}])


ITEM, ITEMS = "wit/workitems/*", "wit/workitemsbatch"


@pytest.mark.parametrize(
    ("resource", "fields", "asked"),
    [
        (ITEM, "System.Title", "System.Title,System.TeamProject"),
        (ITEM, "System.TeamProject,System.Title", "System.TeamProject,System.Title"),
        (ITEM, "", ""),
        ("wit/fields", "System.Title", "System.Title"),
    ],
)
def test_the_project_of_an_item_is_asked_for_with_its_fields(resource: str, fields: str, asked: str) -> None:
    assert with_project(DevOpsRequest("GET /x", query={"fields": fields}), resource).query["fields"] == asked


def test_the_projects_of_several_items_are_asked_for_with_their_fields() -> None:
    for body, fields in (({"fields": ["a"]}, ["a", "System.TeamProject"]), ({"fields": []}, []), ({}, None)):
        assert with_project(DevOpsRequest("POST /x", body=body), ITEMS).body.get("fields") == fields
    assert with_project(DevOpsRequest("POST /x"), ITEMS).body is None
    assert with_project(sent(fields=["a"]), "wit/wiql").body == {"fields": ["a"]}


def patch(path: str, value: Any) -> DevOpsRequest:
    return DevOpsRequest("PATCH /x", body=[{"path": path, "value": value}], content_type=JSON_PATCH)


def sent(**body: Any) -> DevOpsRequest:
    return DevOpsRequest("POST /x", body=body)


def asked(**query: Any) -> DevOpsRequest:
    return DevOpsRequest("GET /x", query=query)


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        (asked(projectId="Vault"), {("project", "Vault")}),
        (asked(projectId=""), set()),
        (asked(RepositoryId="safe"), {("repository", "safe")}),
        (asked(repositoryId=None), set()),
        (asked(uri="vstfs:///Git/Commit/v1%2Fr1%2Fx"), {("project", "v1")}),
        (asked(uri="vstfs:///Git/Commit/"), {("project", NO_PROJECT)}),
        (asked(uri="vstfs:///Build/Build/7"), set()),
        (asked(uri="vstfs:x"), {("project", "")}),
        (asked(title="vault"), set()),
        (patch("/fields/System.AreaPath", "\\Vault\\x"), {("project", "Vault")}),
        (patch("/fields/Team Project", "Vault"), {("project", "Vault")}),
        (patch("/fields/System.AreaPath", ""), set()),
        (patch("/fields/System.AreaId", 7), {("project", "")}),
        (patch("/fields/System.Parent", 7), {("item", "7")}),
        (patch("/fields/System.Parent", None), set()),
        (DevOpsRequest("PATCH /x", body=[{"op": "test"}], content_type=JSON_PATCH), set()),
        (DevOpsRequest("PATCH /x", content_type=JSON_PATCH), set()),
        (patch("/relations/-", {"url": f"{AT}/_apis/wit/workItems/5"}), {("item", "5")}),
        (sent(project="Vault"), set()),
        (sent(projectId="Vault"), set()),
        (sent(project={"id": "2", "name": "x"}), {("project", "2")}),
        (sent(projectReference={"name": "Vault"}), {("project", "Vault")}),
        (sent(project={"id": "2"}), {("project", "2")}),
        (sent(project={}), set()),
        (sent(ids=[3, 4]), {("item", "3"), ("item", "4")}),
        (sent(inner={"parentId": 3}), {("item", "3")}),
        (sent(iterationPath="Vault\\x"), {("project", "Vault")}),
        (sent(iterationPath=5), set()),
        (sent(workItem={"id": 5}), {("item", "5")}),
        (sent(repository={"id": "s"}), {("repository", "s")}),
        (sent(repository={"type": "GitHub", "id": "s"}), {("repository", "none")}),
        (sent(artifact="vstfs:///Build/Build/7"), {("build", "7")}),
        (sent(artifact="vstfs:///Git/Commit/2%2Fs%2Fx"), {("project", "2"), ("repository", "s")}),
        (sent(url=f"{AT}/Vault/_git/safe"), {("project", "Vault"), ("repository", "safe")}),
        (sent(text=f"{AT}/Vault/_git/safe"), set()),
        (sent(url="https://example.com/Vault"), set()),
        (DevOpsRequest("GET /x", body={"ids": [3]}), set()),
        (DevOpsRequest("POST /x", body=b'{"ids": [3]}'), set()),
    ],
    ids=str,
)
def test_what_a_request_names_is_found(request_: DevOpsRequest, found: set[tuple[str, str]]) -> None:
    assert {*mentions(request_, ADDRESSES)} == found


WIQL: Final = DevOpsRequest("POST /x", body={"query": "SELECT [a] FROM WorkItems", "top": 5}, is_read=True)
IN_WEB: Final = "SELECT [a] FROM WorkItems WHERE [System.TeamProject] IN ('Web')"
CODE, BOARDS = "search/codesearchresults", "search/workitemsearchresults"
ONLY_WEB: Final = bounds([projects("Web")])


def search(**filters: list[str]) -> DevOpsRequest:
    return DevOpsRequest("POST /x", body={"searchText": "a", **({"filters": filters} if filters else {})}, is_read=True)


def limited(request: DevOpsRequest, resource: str, made: OrganizationBounds, *, of_a_project: bool = False) -> Any:
    return narrowed(request, resource, made, of_a_project=of_a_project, opens_repositories=made.opens_all_of(None)).body


@pytest.mark.parametrize(
    ("request_", "resource", "body"),
    [
        (WIQL, "wit/wiql", {"query": IN_WEB, "top": 5}),
        (search(), CODE, {"searchText": "a", "filters": {"Project": ["Web"]}}),
        (search(), "search/wikisearchresults", {"searchText": "a", "filters": {"Project": ["Web"]}}),
        (search(), BOARDS, {"searchText": "a", "filters": {"System.TeamProject": ["Web"]}}),
        (search(Path=["/x"]), CODE, {"searchText": "a", "filters": {"Path": ["/x"], "Project": ["Web"]}}),
        (search(Project=["WEB"]), CODE, {"searchText": "a", "filters": {"Project": ["Web"]}}),
        (search(), "search/other", {"searchText": "a"}),
    ],
)
def test_a_query_or_search_is_limited_to_the_projects_in_scope(
    request_: DevOpsRequest, resource: str, body: Any
) -> None:
    assert limited(request_, resource, ONLY_WEB) == body


def test_a_query_or_search_is_unchanged_if_all_projects_are_in_scope() -> None:
    everything = bounds([])
    for request, resource in ((WIQL, "wit/wiql"), (search(), CODE), (search(Path=["/x"]), BOARDS)):
        assert limited(request, resource, everything) is request.body
    assert limited(search(), CODE, ONLY_WEB, of_a_project=True) == {"searchText": "a"}
    assert limited(search(Project=["WEB"]), CODE, ONLY_WEB, of_a_project=True)["filters"] == {"Project": ["Web"]}


def test_a_query_names_only_projects_in_scope() -> None:
    query = "SELECT [a] FROM WorkItems WHERE [System.TeamProject] = '{}'"
    found = limited(DevOpsRequest("POST /x", body={"query": query.format("WEB")}), "wit/wiql", ONLY_WEB)
    assert found["query"] == f"{IN_WEB} AND ([System.TeamProject] = 'WEB')"
    with pytest.raises(Refusal, match="names a project outside the allowed scope"):
        limited(DevOpsRequest("POST /x", body={"query": query.format("Vault")}), "wit/wiql", ONLY_WEB)


@pytest.mark.parametrize(("request_", "resource"), [(WIQL, "wit/wiql"), (search(), CODE)])
def test_without_a_project_in_scope_nothing_is_searched(request_: DevOpsRequest, resource: str) -> None:
    with pytest.raises(Refusal, match="Nothing is in the allowed scope"):
        limited(request_, resource, bounds())


@pytest.mark.parametrize(
    "filters",
    [
        {"Project": ["Vault"]},
        {"Project": ["Web", "Vault"]},
        {"System.AreaPath": ["\\Vault\\x"]},
        {"System.IterationPath": ["Web", "Vault"]},
    ],
)
def test_a_search_in_another_project_is_rejected(filters: dict[str, list[str]]) -> None:
    with pytest.raises(Refusal, match="Project not found in the allowed scope"):
        limited(search(**filters), CODE, ONLY_WEB)
    limited(search(**{"System.AreaPath": ["\\Web\\x"]}), CODE, ONLY_WEB)


@pytest.mark.parametrize(
    ("line", "opens_repositories", "is_asked"),
    [("GET /x", False, True), ("GET /x", True, False), ("POST /x", False, False)],
)
def test_definitions_are_listed_with_their_repositories(line: str, *, opens_repositories: bool, is_asked: bool) -> None:
    request = DevOpsRequest(line)
    made = narrowed(request, "build/definitions", ONLY_WEB, of_a_project=True, opens_repositories=opens_repositories)
    assert made.query == ({"includeAllProperties": "true"} if is_asked else {})
