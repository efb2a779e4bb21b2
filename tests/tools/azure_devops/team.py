"""A team at the fake Azure DevOps: people, their agents and programs, each with a client, and a page to decide at."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from changes.approval_request import ApprovalRequest, By
from changes.approvals import Approvals
from changes.rules import Rules
from changes.rules_file import rules_in
from identity.roles import Roles
from tests.changes.yard import CALLERS, door_of
from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving
from tests.tools.azure_devops.golden import DEFAULT_PROJECT
from tests.tools.azure_devops.reaching import NAMES, reaching

ROLES: Final = {
    "roles": {"Worker": {"devops": "destroy"}, "Keeper": {"devops": "read"}},
    "agents": {"for-people": {"devops": "destroy"}},
}


@dataclass(frozen=True)
class Team:
    caller: Caller
    approvals: Approvals

    def member(self, name: str) -> Caller:
        """Somebody of the callers of the yard, at their client."""
        return replace(self.caller, headers={"x-who": name})

    async def decides(self, name: str, words: str, *, is_yes: bool, why: str = "") -> None:
        """Open the page that an answer names, and decide there."""
        change = await self.shown(words)
        await self.approvals.decide(CALLERS[name], change, is_yes=is_yes, by=By.PAGE, why=why)

    async def shown(self, words: str) -> ApprovalRequest:
        found = await self.approvals.kept().find(change_in(words))
        assert found is not None
        return found


def change_in(words: str) -> str:
    """The id of the change that an answer tells of."""
    found = re.search(r"/changes/([\w-]+)", words)
    assert found, words
    return found[1]


@asynccontextmanager
async def team(azure_devops: FakeAzureDevOps, *rules: Any) -> AsyncIterator[Team]:
    """A deployment with these rules."""
    text = json.dumps({**ROLES, "changes": list(rules)} if rules else ROLES)
    roles = Roles.read(text, "roles.yaml", NAMES)
    kept = Rules(rules_in(text, "roles.yaml", NAMES, roles.roles))
    approvals = approving(rules=kept, by_argument=False, grants_of=roles.grants_of, has_to_ask=roles.has_to_ask)
    async with (
        azure_devops.serving() as url,
        reaching(Elsewhere(url), approvals=approvals, door=door_of(roles), ADO_PROJECT=DEFAULT_PROJECT) as caller,
    ):
        yield Team(caller, approvals)
