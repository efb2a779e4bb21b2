"""Sends the requests that are needed to decide whether something is in the allowed scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.advice import Advice
from clients.azure_devops.confinement.bounds import Named, NameIndex, Repository, named, repository
from clients.azure_devops.failures import refuse_failure
from clients.azure_devops.messages import DevOpsAnswer, DevOpsExchange, DevOpsRequest
from clients.azure_devops.organization import Organization
from clients.azure_devops.paging import ByToken, collected
from clients.azure_devops.records import DevOpsRecord
from refusal import Refusal

MOST_PROJECTS: Final = 20_000
MOST_ITEMS: Final = 5_000
_PIECE: Final = 200
_PROJECTS: Final = ByToken(largest=1000)


@dataclass(frozen=True, slots=True)
class LookupClient:
    """Sends additional requests with the permissions of the caller."""

    exchange: DevOpsExchange
    organization: Organization
    authorization: str
    advice: Advice

    async def answer(self, request: DevOpsRequest) -> DevOpsAnswer:
        return await self.exchange.send(self.organization.url(request.host), request, self.authorization)

    async def json(self, request: DevOpsRequest) -> DevOpsRecord:
        answer = await self._good(request)
        document: DevOpsRecord = answer.document
        return document

    async def projects(self) -> NameIndex[Named]:
        """The projects that the caller can see."""
        request = DevOpsRequest("GET /_apis/projects", query={"stateFilter": "wellFormed"})
        found = (await collected(self._good, request, _PROJECTS, MOST_PROJECTS)).items
        return NameIndex(named(record) for record in found)

    async def repositories(self, project: str | None) -> NameIndex[Repository]:
        """The repositories that the caller can see, in a project or in all projects."""
        request = DevOpsRequest("GET /{project}/_apis/git/repositories", {"project": project})
        return NameIndex(repository(record) for record in (await self.json(request))["value"])

    async def has_team(self, project: str, team: str) -> bool:
        """Whether the team with this ID belongs to a project."""
        place = {"project": project, "team": team}
        answer = await self.answer(DevOpsRequest("GET /_apis/projects/{project}/teams/{team}", place))
        return answer.status < 300 and str(answer.document.get("projectId") or "").lower() in {project, ""}

    async def projects_of_items(self, numbers: list[int]) -> dict[int, str]:
        """For each work item that the caller can see: the name of its project."""
        if len(numbers) > MOST_ITEMS:
            raise Refusal(f"The request involves more than {MOST_ITEMS} work items. Narrow the request.")
        found: dict[int, str] = {}
        for start in range(0, len(numbers), _PIECE):
            body = {
                "ids": numbers[start : start + _PIECE],
                "fields": ["System.TeamProject"],
                "errorPolicy": "omit",
            }
            answer = await self.json(DevOpsRequest("POST /_apis/wit/workitemsbatch", body=body, is_read=True))
            found |= {int(item["id"]): project_of(item) for item in answer["value"] if item}
        return found

    async def _good(self, request: DevOpsRequest) -> DevOpsAnswer:
        answer = await self.answer(request)
        refuse_failure(request, answer, self.advice)
        return answer


def project_of(item: Mapping[str, Any]) -> str:
    return str((item.get("fields") or {}).get("System.TeamProject") or "")
