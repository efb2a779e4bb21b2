"""Work items within a scope of projects, whose links to builds are checked with a request for these builds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from clients.azure_devops.confinement.confined import ConfinedDevOps
from clients.azure_devops.messages import DevOpsAnswer, DevOpsRequest
from clients.azure_devops.organization import Organization
from clients.azure_devops.reach import DevOpsReach, ReachLock
from refusal import Refusal

ORGANIZATION: Final = Organization.at("https://dev.azure.com/acme")
WEB: Final = {"id": "a1", "name": "Web"}
LINK: Final = {"rel": "ArtifactLink", "url": "vstfs:///Build/Build/7"}
ITEM: Final = {"id": 1, "fields": {"System.TeamProject": "Web"}, "relations": [LINK]}
READ: Final = DevOpsRequest("GET /_apis/wit/workItems/{id}", {"id": 1})


@dataclass
class Boards:
    """One project with one work item, which links to build 7."""

    status_of_builds: int = 200
    content: bytes = json.dumps(ITEM).encode()
    statuses: Mapping[str, int] = field(default_factory=dict)

    async def send(
        self, _base_url: str, request: DevOpsRequest, _authorization: str, _largest: int | None = None
    ) -> DevOpsAnswer:
        resource = request.present_line.partition("/_apis/")[2]
        if resource == "build/builds":
            return _answer({"value": [{"id": 7, "project": WEB}]}, self.status_of_builds)
        lists: dict[str, list[Any]] = {"projects": [WEB, {"id": "b2", "name": "Vault"}], "git/repositories": []}
        if resource in lists:
            return _answer({"value": lists[resource]})
        return DevOpsAnswer(self.statuses.get(resource, 200), {"Content-Type": "application/json"}, self.content)


def _answer(document: Any, status: int = 200) -> DevOpsAnswer:
    return DevOpsAnswer(status, {"Content-Type": "application/json"}, json.dumps(document).encode())


async def answered(boards: Boards, request: DevOpsRequest = READ, **locked: frozenset[str]) -> DevOpsAnswer:
    reach = DevOpsReach.within(ReachLock(projects=frozenset({"Web"}), **locked))
    return await ConfinedDevOps(boards, ORGANIZATION, reach).send(ORGANIZATION.url(), request, "Bearer token")


@pytest.mark.parametrize(("status", "links"), [(200, [LINK]), (403, []), (404, [])])
async def test_an_item_is_shown_with_the_builds_that_the_caller_may_see(status: int, links: list[Any]) -> None:
    assert (await answered(Boards(status))).document["relations"] == links


async def test_an_item_is_not_shown_if_its_builds_cannot_be_checked() -> None:
    with pytest.raises(Refusal):
        await answered(Boards(500))


@pytest.mark.parametrize("content", [b"", b"{}", b"5", b'"text"', b"true", b"null", b"{", b"[" * 100_000])
async def test_an_answer_without_records_is_passed_on(content: bytes) -> None:
    assert (await answered(Boards(content=content))).content == content


async def test_a_pipeline_of_a_repository_elsewhere_is_created_only_if_all_repositories_are_in_scope() -> None:
    definition = {"name": "x", "configuration": {"repository": {"type": "gitHub", "fullName": "acme/x"}}}
    create = DevOpsRequest("POST /{project}/_apis/pipelines", {"project": "Web"}, body=definition)
    boards = Boards(content=b'{"id": 1}')
    assert (await answered(boards, create)).document["id"] == 1
    with pytest.raises(Refusal, match="names a repository outside the allowed scope"):
        await answered(boards, create, repositories=frozenset({"door"}))


async def test_only_what_was_shown_in_part_is_not_written_back() -> None:
    boards = Boards(content=b'{"id": 1, "link": "https://dev.azure.com/acme/Vault/_build"}')
    confined = ConfinedDevOps(boards, ORGANIZATION, DevOpsReach.within(ReachLock(projects=frozenset({"Web"}))))

    async def send(method: str, number: int) -> Any:
        line, values = f"{method} /{{project}}/_apis/build/definitions/{{definitionId}}", {"definitionId": number}
        request = DevOpsRequest(line, {"project": "Web", **values}, body={"id": 1} if method == "PUT" else None)
        return (await confined.send(ORGANIZATION.url(), request, "Bearer token")).document

    assert await send("GET", 1) == {"id": 1}
    boards.content = b'{"id": 2}'
    assert await send("GET", 2) == await send("PUT", 2) == {"id": 2}
    with pytest.raises(Refusal, match="refers to items outside the allowed scope"):
        await send("PUT", 1)
    assert await send("GET", 1) == {"id": 2}


@pytest.mark.parametrize(
    ("status", "locked", "is_sent"),
    [
        (200, {}, True),
        (300, {}, True),
        (403, {}, True),
        (404, {}, False),
        (300, {"repositories": frozenset({"door"})}, False),
        (403, {"repositories": frozenset({"door"})}, False),
        (404, {"repositories": frozenset({"door"})}, False),
    ],
)
async def test_parts_of_a_build_are_read_only_if_the_build_may_be_in_scope(
    status: int, locked: dict[str, frozenset[str]], *, is_sent: bool
) -> None:
    boards = Boards(content=b'{"id": 7}', statuses={"build/builds/{buildId}": status})
    logs = DevOpsRequest("GET /{project}/_apis/build/builds/{buildId}/logs", {"project": "Web", "buildId": 7})
    if is_sent:
        assert (await answered(boards, logs, **locked)).document == {"id": 7}
    else:
        with pytest.raises(Refusal, match="Not found, or outside the allowed scope"):
            await answered(boards, logs, **locked)
