"""A service behind the limits of a scope, which answers every request with what it has for the resource."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clients.azure_devops.confinement.confined import ConfinedDevOps
from clients.azure_devops.messages import DevOpsAnswer, DevOpsRequest
from clients.azure_devops.organization import Organization
from clients.azure_devops.reach import DevOpsReach, ReachLock
from clients.kept import Kept

ORGANIZATION: Final = Organization.at("https://dev.azure.com/acme")
WEB, VAULT = {"id": "a1", "name": "Web"}, {"id": "b2", "name": "Vault"}
DOOR: Final = {"id": "d1", "name": "door", "project": WEB}
DOOR_ONLY: Final = {"repositories": frozenset({"door"})}
ITEM: Final = {"id": 1, "fields": {"System.TeamProject": "Web"}}
OTHER_ITEM: Final = {"id": 2, "fields": {"System.TeamProject": "Vault"}}
Query = Mapping[str, Any]
NO_QUERY: Final[Query] = {}


@dataclass
class Service:
    """Answers every request with what it has for the resource. A number is the status of a failure."""

    has: dict[str, Any] = field(default_factory=dict)
    sent: list[DevOpsRequest] = field(default_factory=list)
    now: float = 0.0
    kept: Kept = field(init=False)

    def __post_init__(self) -> None:
        self.has = {"projects": [WEB, VAULT], "git/repositories": [DOOR], "wit/workitemsbatch": [ITEM], **self.has}
        self.kept = Kept(lambda: self.now)

    async def send(
        self, _base_url: str, request: DevOpsRequest, _authorization: str, _largest: int | None = None
    ) -> DevOpsAnswer:
        self.sent.append(request)
        found = self.has[request.present_line.partition("/_apis/")[2]]
        document = {"value": found} if isinstance(found, list) else found
        content = document if isinstance(document, bytes) else json.dumps(document).encode()
        if isinstance(document, int):
            return DevOpsAnswer(document, {}, b'{"message": "No."}')
        return DevOpsAnswer(200, {"Content-Type": "application/json"}, content)

    def times(self, resource: str) -> int:
        return len([one for one in self.sent if one.present_line.endswith(f"/_apis/{resource}")])

    def limited(self, *, projects: frozenset[str] = frozenset({"Web"}), **locked: frozenset[str]) -> ConfinedDevOps:
        reach = DevOpsReach.within(ReachLock(projects=projects, **locked))
        return ConfinedDevOps(self, ORGANIZATION, reach, kept=self.kept)


async def sent(confined: ConfinedDevOps, request: DevOpsRequest) -> DevOpsAnswer:
    return await confined.send(ORGANIZATION.url(), request, "Bearer token")


async def answered(confined: ConfinedDevOps, line: str, query: Query = NO_QUERY, /, **values: Any) -> Any:
    return (await sent(confined, DevOpsRequest(line, values, query))).document
