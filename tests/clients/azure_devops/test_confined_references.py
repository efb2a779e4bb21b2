"""What requests and responses of Azure DevOps refer to is in the scope too: work items, repositories and builds."""

from __future__ import annotations

from typing import Any

import pytest

from clients.azure_devops.messages import JSON_PATCH, DevOpsRequest
from refusal import Refusal
from tests.clients.azure_devops.confined_service import (
    DOOR,
    DOOR_ONLY,
    ITEM,
    OTHER_ITEM,
    VAULT,
    WEB,
    Service,
    answered,
    sent,
)


async def test_an_attachment_is_read_after_the_work_item_that_shows_it() -> None:
    shown, hidden = (f"0f0f0f0f-0000-4000-8000-00000000000{letter}" for letter in "ab")
    at = "https://dev.azure.com/acme/{}/_apis/wit/Attachments/{}?fileName=x"
    links = [{"url": at.format("b2", hidden)}, {"url": at.format("a1", shown.upper())}, {"rel": "x"}]
    service = Service({"wit/workItems/{id}": {**ITEM, "relations": links}, "wit/attachments/{file}": {"name": "x"}})
    confined, line = service.limited(), "GET /_apis/wit/attachments/{file}"
    with pytest.raises(Refusal, match=r"Pass workItemId, the id of the attachment's work item\."):
        await answered(confined, line, file=shown)
    assert (await answered(confined, "GET /_apis/wit/workItems/{id}", id=1))["relations"] == links[1:]
    assert await answered(confined, line, file=shown) == {"name": "x"}
    with pytest.raises(Refusal, match="An attachment id does not show the attachment's project"):
        await answered(confined, line, file=hidden)
    assert service.times("wit/attachments/{file}") == 1


@pytest.mark.parametrize(("number", "is_sent"), [(1, True), (2, False), (3, False), ("x", False)])
async def test_a_change_mentions_only_work_items_in_scope(number: object, *, is_sent: bool) -> None:
    service = Service({"wit/workitemsbatch": [ITEM, OTHER_ITEM], "wit/workItems/{id}": ITEM})
    body = [{"op": "add", "path": "/fields/System.Parent", "value": number}]
    patch = DevOpsRequest("PATCH /_apis/wit/workItems/{id}", {"id": 1}, body=body, content_type=JSON_PATCH)
    if is_sent:
        assert (await sent(service.limited(), patch)).document == ITEM
    else:
        with pytest.raises(Refusal, match="not found, or outside the allowed scope"):
            await sent(service.limited(), patch)
    assert service.times("wit/workItems/{id}") == is_sent


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_a_work_item_out_of_scope_is_not_changed(method: str) -> None:
    service = Service({"wit/workitemsbatch": [ITEM, OTHER_ITEM], "wit/workItems/{id}": {"id": 2}})
    for number in (2, 3):
        with pytest.raises(Refusal, match=f"^Work item {number} not found, or outside the allowed scope"):
            await sent(service.limited(), DevOpsRequest(f"{method} /_apis/wit/workItems/{{id}}", {"id": number}))
    assert service.times("wit/workItems/{id}") == 0


async def test_references_to_work_items_are_looked_up_before_they_are_shown() -> None:
    rows = [{"workItem": {"id": number}, "name": "x"} for number in (1, 2, 3)]
    service = Service({"wit/workitemsbatch": [ITEM, OTHER_ITEM], "work/backlogs/{id}/workitems": rows})
    found = await answered(
        service.limited(), "GET /{project}/_apis/work/backlogs/{id}/workitems", project="Web", id="x"
    )
    assert [row.get("workItem") for row in found["value"]] == [{"id": 1}]


@pytest.mark.parametrize(
    ("resource", "locked", "shown", "asked_of"),
    [
        ("build/builds", DOOR_ONLY, ["d1"], {"a1"}),
        ("build/builds", {}, ["d1", "o1", "s1"], set()),
        ("build/changes", DOOR_ONLY, ["d1"], {"a1", None}),
        ("build/changes", {}, ["d1", "o1"], {None}),
        ("build/builds/{buildId}/changes", DOOR_ONLY, ["d1"], {"a1", None}),
        ("build/builds/{buildId}/changes", {}, ["d1", "o1"], {None}),
    ],
)
async def test_changes_are_limited_to_repositories_in_scope_and_so_are_builds_if_some_repositories_are_not(
    resource: str, locked: dict[str, frozenset[str]], shown: list[str], asked_of: set[str | None]
) -> None:
    oven, safe = {"id": "o1", "name": "oven", "project": WEB}, {"id": "s1", "name": "safe", "project": VAULT}
    at, whole = "https://dev.azure.com/acme/_apis/git/repositories", {"id": 7, "repository": DOOR}
    rows: dict[str, Any] = {
        one: {"repository": {"id": one}} if resource == "build/builds" else {"location": f"{at}/{one}/commits/a"}
        for one in ("d1", "o1", "s1")
    }
    has = {"git/repositories": [DOOR, oven, safe], resource: [*rows.values()], "build/builds/{buildId}": whole}
    service, query = Service(has), {"fromBuildId": 7, "toBuildId": 7}
    place: dict[str, Any] = {"project": "Web", "buildId": 7}
    found = await answered(service.limited(**locked), f"GET /{{project}}/_apis/{resource}", query, **place)
    assert found["value"] == [rows[one] for one in shown]
    assert {one.values["project"] for one in service.sent if one.line.endswith("/git/repositories")} == asked_of


async def test_a_change_mentions_only_builds_that_were_read_before() -> None:
    service = Service({"build/builds/{buildId}": {"id": 7}, "wit/workItems/{id}": ITEM})
    confined = service.limited()

    async def link(number: int) -> Any:
        body = [{"op": "add", "path": "/relations/-", "value": {"url": f"vstfs:///Build/Build/{number}"}}]
        patch = DevOpsRequest("PATCH /_apis/wit/workItems/{id}", {"id": 1}, body=body, content_type=JSON_PATCH)
        return (await sent(confined, patch)).document

    with pytest.raises(Refusal, match="names a build outside the allowed scope"):
        await link(7)
    await answered(confined, "GET /{project}/_apis/build/builds/{buildId}", project="Web", buildId=7)
    assert await link(7) == ITEM
    with pytest.raises(Refusal, match="names a build outside the allowed scope"):
        await link(8)


async def test_parts_of_what_belongs_to_another_project_are_not_read() -> None:
    parts = "build/builds/{buildId}/logs"
    service = Service({"build/builds/{buildId}": {"id": 7, "project": VAULT}, parts: []})
    with pytest.raises(Refusal, match="Not found, or outside the allowed scope"):
        await answered(service.limited(), f"GET /{{project}}/_apis/{parts}", project="Web", buildId=7)
    assert service.times(parts) == 0


@pytest.mark.parametrize(
    ("repository", "locked", "is_sent"),
    [
        ("d1", {}, True),
        ("d1", DOOR_ONLY, True),
        ("s1", {}, False),
        ("s1", DOOR_ONLY, False),
        ("x1", {}, False),
    ],
)
async def test_a_change_mentions_only_repositories_in_scope(
    repository: str, locked: dict[str, frozenset[str]], *, is_sent: bool
) -> None:
    safe = {"id": "s1", "name": "safe", "project": VAULT}
    service = Service({"git/repositories": [DOOR, safe], "pipelines": {"id": 1}})
    body = {"name": "x", "configuration": {"repository": {"id": repository, "type": "azureReposGit"}}}
    create = DevOpsRequest("POST /{project}/_apis/pipelines", {"project": "Web"}, body=body)
    if is_sent:
        assert (await sent(service.limited(**locked), create)).document == {"id": 1}
    else:
        with pytest.raises(Refusal, match="names a repository outside the allowed scope"):
            await sent(service.limited(**locked), create)
    assert service.times("pipelines") == is_sent


@pytest.mark.parametrize(("resource", "times"), [("build/tags", 0), ("pipelines/approvals", 1)])
async def test_builds_are_looked_up_only_where_they_decide(resource: str, times: int) -> None:
    row = {"build": {"id": 7}, "link": "vstfs:///Build/Build/7"}
    service = Service({resource: [row], "build/builds": [{"id": 7}]})
    found = await answered(service.limited(), f"GET /{{project}}/_apis/{resource}", project="Web")
    assert found["value"] == [row if times else {"build": {"id": 7}}]
    assert service.times("build/builds") == times


async def test_the_build_of_its_parts_is_read_once_in_a_call() -> None:
    parts = "build/builds/{buildId}/logs"
    service = Service({"build/builds/{buildId}": {"id": 7}, parts: []})
    confined = service.limited()
    for number in (7, 7, 8):
        await answered(confined, f"GET /{{project}}/_apis/{parts}", project="Web", buildId=number)
    assert service.times("build/builds/{buildId}") == 2
    await answered(service.limited(), f"GET /{{project}}/_apis/{parts}", project="Web", buildId=7)
    assert service.times("build/builds/{buildId}") == 3
