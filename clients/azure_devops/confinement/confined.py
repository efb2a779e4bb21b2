"""Limits all requests and responses of a call to the allowed scope. No tool can bypass this limit.

In requests, the ID of a project replaces its name, because the ID stays the same if the project is renamed. If a
request does not belong to a single project, the request is rejected or its response is filtered entry by entry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from clients.advice import NO_ADVICE, Advice
from clients.azure_devops.confinement.addresses import OrganizationAddresses
from clients.azure_devops.confinement.allowed_routes import (
    place_of_repository,
    pull_request_of,
    refuse_unconfined,
    resource_of,
    wholes_of,
)
from clients.azure_devops.confinement.asking import LookupClient, project_of
from clients.azure_devops.confinement.bounds import Named, NameIndex, OrganizationBounds, Repository
from clients.azure_devops.confinement.builds import APPROVALS, BUILD, CHANGES, builds_in, go_by_builds, requests_for
from clients.azure_devops.confinement.entry_conditions import standing_of
from clients.azure_devops.confinement.narrowing import narrowed
from clients.azure_devops.confinement.repository_routes import is_of_repositories
from clients.azure_devops.confinement.request_mentions import Mention, mentions
from clients.azure_devops.confinement.sieve import GONE, DevOpsSieve, items_in
from clients.azure_devops.confinement.work_items import (
    ATTACHMENT,
    HISTORY,
    ITEM,
    WorkItems,
    number_of,
    with_project,
)
from clients.azure_devops.failures import refuse_failure
from clients.azure_devops.messages import JSON, JSON_PATCH, DevOpsAnswer, DevOpsExchange, DevOpsRequest
from clients.azure_devops.organization import Organization
from clients.azure_devops.reach import DevOpsReach
from clients.kept import Kept
from refusal import Refusal

_SOON: Final = 5.0
# If the caller can see a work item but not the linked builds, a request for the builds gets one of these status
# codes.
_UNSEEN: Final = frozenset({403, 404})
_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_MOST_NAMED: Final = 30
_ABSENT: Final = "Not found, or outside the allowed scope."
_DONE: Final = (
    "Azure DevOps accepted the change, but its response is outside the allowed scope. Do not repeat the call."
)
_PART: Final = (
    "The existing document refers to items outside the allowed scope, and this change would remove these references."
    " Make this change in Azure DevOps."
)


@dataclass
class ConfinedDevOps:
    """Sends the requests of a tool call, and limits them to the allowed scope.

    `caller` separates the caches of different callers.
    """

    exchange: DevOpsExchange
    organization: Organization
    reach: DevOpsReach
    caller: Hashable = None
    advice: Advice = NO_ADVICE
    kept: Kept = field(default_factory=Kept)
    items: WorkItems = field(default_factory=WorkItems)
    # The requests whose responses were filtered. Writing a filtered document back would remove the parts that were
    # filtered out.
    in_part: set[str] = field(default_factory=set)
    wholes: set[tuple[Any, ...]] = field(default_factory=set)
    # Whether each build is allowed. The keys are pairs of a project ID and a build number.
    builds: dict[tuple[str, int], bool] = field(default_factory=dict)

    async def send(
        self, base_url: str, request: DevOpsRequest, authorization: str, largest: int | None = None
    ) -> DevOpsAnswer:
        asking = LookupClient(self.exchange, self.organization, authorization, self.advice)
        call = _Confining(self, asking, await self._bounds(asking))
        request = await call.prepared(request)
        answer = await self.exchange.send(base_url, request, authorization, largest)
        return await call.left_of(request, answer)

    async def _bounds(self, asking: LookupClient, at_most: float = 300.0) -> OrganizationBounds:
        key = ("projects", self.caller, self.organization.base)
        known = await self.kept.get(key, asking.projects, at_most=at_most)
        return OrganizationBounds(self.organization.names, self.reach, known)

    async def fresh_bounds(self, asking: LookupClient) -> OrganizationBounds:
        """Read the projects of the organization again, because the requested project may be new."""
        return await self._bounds(asking, _SOON)

    async def repositories(
        self, asking: LookupClient, project: Named | None, at_most: float = 300.0
    ) -> NameIndex[Repository]:
        key = ("repositories", self.caller, self.organization.base, project)
        read = partial(asking.repositories, project.id if project else None)
        return await self.kept.get(key, read, at_most=at_most)


@dataclass
class _Confining:
    """Limits a single request and its response to the allowed scope."""

    confined: ConfinedDevOps
    asking: LookupClient
    bounds: OrganizationBounds
    project: Named | None = None
    resource: str = ""

    @property
    def _addresses(self) -> OrganizationAddresses:
        return OrganizationAddresses(self.confined.organization)

    @property
    def _items(self) -> WorkItems:
        return self.confined.items

    @property
    def _opens_all(self) -> bool:
        return self.bounds.opens_all_of(self.project)

    async def prepared(self, request: DevOpsRequest) -> DevOpsRequest:
        """Limit a request to the allowed scope. Raises Refusal if this is impossible or the request is out of scope."""
        self.resource = resource_of(request)
        request = await self._of_its_project(request)
        is_of_one = self.project is not None
        refuse_unconfined(request, self.resource, of_a_project=is_of_one, opens_repositories=self._opens_all)
        request = await self._of_its_repository(request)
        await self._check_references(request)
        if request.method == "PUT" and self._key(request) in self.confined.in_part:
            raise Refusal(_PART)
        request = await self._of_its_item(request)
        return narrowed(request, self.resource, self.bounds, of_a_project=is_of_one, opens_repositories=self._opens_all)

    async def _check_references(self, request: DevOpsRequest) -> None:
        await self._check_team(request)
        for whole in wholes_of(request):
            await self._check_whole(whole)
        if not self._opens_all and (pull_request := pull_request_of(request)):
            await self._check_whole(pull_request)
        for mention in set(mentions(request, self._addresses)):
            await self._check(mention)

    async def left_of(self, request: DevOpsRequest, answer: DevOpsAnswer) -> DevOpsAnswer:
        """The part of the response that is in the allowed scope."""
        if answer.status == 404 and self._may_be_out_of_reach(request):
            # Use the same error for missing items and for items outside the scope, so that the caller cannot tell them
            # apart.
            raise self._absent(request)
        if answer.status >= 300 or request.accept != JSON:
            return answer
        document = _document(answer)
        if not isinstance(document, dict) or not document:
            return answer
        sieve = await self._sieve(document, is_read=request.is_repeatable)
        rows = self._history(request, document)
        left = sieve.answer(document if rows is None else {**document, "value": rows})
        if left is GONE:
            raise self._absent(request) if request.is_repeatable else Refusal(_DONE)
        if self.resource == BUILD and self.project:
            self.confined.builds[self.project.id, int(document["id"])] = True
        if self.resource == ITEM:
            self._items.note(document, lambda relation: sieve.shown(relation) is not GONE)
        if not sieve.is_whole:
            self.confined.in_part.add(self._key(request))
        left_out = sieve.left_out + (0 if rows is None else len(document["value"]) - len(rows))
        return replace(answer, content=json.dumps(left).encode(), left_out=left_out)

    def _may_be_out_of_reach(self, request: DevOpsRequest) -> bool:
        """Whether a missing item might be outside the allowed scope.

        The error for an item outside the scope must not reveal whether the item exists.
        """
        if self.project is None or number_of(request) is not None or self.resource.startswith(APPROVALS):
            return True
        return not self._opens_all and place_of_repository(request) is None and is_of_repositories(self.resource)

    async def _of_its_project(self, request: DevOpsRequest) -> DevOpsRequest:
        named = request.values.get("project") if "{project}" in request.present_line else None
        if named is None:
            return request
        self.project = self.bounds.project(str(named))
        if self.project is None:
            self.bounds = await self.confined.fresh_bounds(self.asking)
            self.project = self.bounds.project(str(named))
        if self.project is None:
            raise Refusal(f"Project not found in the allowed scope. {self._allowed_projects()}")
        return replace(request, values={**request.values, "project": self.project.id})

    def _allowed_projects(self) -> str:
        names = [one.name for one in self.bounds.projects.values()]
        left = f", and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return f"Allowed projects: {', '.join(names[:_MOST_NAMED])}{left}." if names else "No project is allowed."

    async def _of_its_repository(self, request: DevOpsRequest) -> DevOpsRequest:
        place = place_of_repository(request)
        if place is None:
            return request
        found = await self._repository(str(request.values[place]), self.project)
        if found is None:
            raise Refusal(
                "Repository not found in the allowed scope. list_repositories lists the allowed repositories."
            )
        return replace(request, values={**request.values, place: found.id})

    async def _repository(self, what: str, project: Named | None) -> Repository | None:
        for at_most in (300.0, _SOON):
            known = await self.confined.repositories(self.asking, project, at_most)
            if (found := known.meant(what)) and self.bounds.admits(found):
                return found
        return None

    async def _check_team(self, request: DevOpsRequest) -> None:
        """If a team is given by ID, check that the team does not belong to another project."""
        team = str(request.values.get("team"))
        if self.project and _ID.fullmatch(team) and not await self._is_own(team, self.project):
            raise Refusal(f"Team not found in {self.project.name}. list_teams lists the project's teams.")

    async def _is_own(self, team: str, project: Named) -> bool:
        key = ("team", self.confined.caller, self.confined.organization.base, project.id, team.lower())
        return await self.confined.kept.get(key, partial(self.asking.has_team, project.id, team))

    async def _check_whole(self, whole: DevOpsRequest) -> None:
        """Check that the parent of the requested resource is in the allowed scope."""
        if (key := (whole.line, *map(str, whole.values.values()))) in self.confined.wholes:
            return
        inner = _Confining(self.confined, self.asking, self.bounds)
        asked = await inner.prepared(whole)
        answer = await self.asking.answer(asked)
        if answer.status < 300:
            await inner.left_of(asked, answer)
            self.confined.wholes.add(key)
        elif answer.status == 404 or not self._opens_all:
            raise self._absent(whole)

    async def _check(self, mention: Mention) -> None:
        match mention.kind:
            case "project":
                is_within = self.bounds.project(mention.what) is not None
            case "build":
                # Before this check, the server reads each build that the request names, so the project of the build is
                # known.
                is_within = any(
                    known for (_, number), known in self.confined.builds.items() if number == int(mention.what)
                )
            case "repository":
                is_within = (mention.what == "none" and self._opens_all) or bool(
                    await self._repository(mention.what, None)
                )
            case _:
                number = int(mention.what) if mention.what.isdecimal() else 0
                await self._items.look_up(self.asking, self.bounds, [number])
                self._items.refuse_absent(number)
                return
        if not is_within:
            raise Refusal(f"The request names a {mention.kind} outside the allowed scope. {self._allowed_projects()}")

    async def _of_its_item(self, request: DevOpsRequest) -> DevOpsRequest:
        number = number_of(request)
        if self.resource == ATTACHMENT:
            self._items.refuse_unseen_file(str(next(iter(request.values.values()), "")))
        if number is None or (self.resource == ITEM and request.method == "GET"):
            return with_project(request, self.resource)
        await self._items.look_up(self.asking, self.bounds, [number])
        self._items.refuse_absent(number)
        if request.content_type == JSON_PATCH:
            return replace(request, body=self._items.placed(number, request.body))
        return request

    async def _sieve(self, document: dict[str, Any], *, is_read: bool) -> DevOpsSieve:
        await self._items.look_up(self.asking, self.bounds, items_in(document))
        sieve = DevOpsSieve(self.bounds, self._addresses, self._items.admitted, await self._repositories_within())
        if is_read:
            sieve.builds = await self._builds_within(document)
            is_of_one, opens_all = self.project is not None, self._opens_all
            standing_of(self.resource, is_of_one=is_of_one, opens_repositories=opens_all).put_on(sieve)
        return sieve

    async def _repositories_within(self) -> NameIndex[Repository] | None:
        if self._opens_all and self.resource not in CHANGES:
            return None
        known = await self.confined.repositories(self.asking, None if self.resource in CHANGES else self.project)
        return NameIndex(one for one in known.all if self.bounds.admits(one))

    async def _builds_within(self, document: dict[str, Any]) -> frozenset[int]:
        """Find the builds that the entries of a document belong to. Return the numbers of the allowed builds."""
        whose = self.bounds.project(project_of(document)) if self.resource == ITEM else self.project
        if whose is None or not go_by_builds(self.resource, opens_repositories=self._opens_all):
            return frozenset()
        project, known, numbers = whose.id, self.confined.builds, builds_in(document)
        unknown = {number for number in numbers if (project, number) not in known}
        known |= dict.fromkeys(((project, number) for number in unknown), False)
        for request in requests_for(project, unknown):
            known |= dict.fromkeys([(project, number) for number in await self._allowed_builds(request)], True)
        return frozenset(number for number in numbers if known[project, number])

    async def _allowed_builds(self, request: DevOpsRequest) -> list[int]:
        inner = _Confining(self.confined, self.asking, self.bounds)
        asked = await inner.prepared(request)
        answer = await self.asking.answer(asked)
        if answer.status in _UNSEEN:
            return []
        refuse_failure(asked, answer, self.asking.advice)
        return [int(build["id"]) for build in (await inner.left_of(asked, answer)).document["value"]]

    def _history(self, request: DevOpsRequest, document: dict[str, Any]) -> list[Any] | None:
        number = number_of(request)
        if self.resource != HISTORY or number is None:
            return None
        start = int(request.query.get("$skip") or 0)
        return self._items.history(number, start, document["value"], self.bounds)

    def _absent(self, request: DevOpsRequest) -> Refusal:
        number = number_of(request)
        return Refusal(_ABSENT if number is None else f"Work item {number} not found, or outside the allowed scope.")

    def _key(self, request: DevOpsRequest) -> str:
        return f"{self.resource} {[str(value) for value in request.values.values()]}"


def _document(answer: DevOpsAnswer) -> Any:
    try:
        return answer.document
    except (ValueError, RecursionError):
        return None
