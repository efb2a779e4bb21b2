"""A team at the invented Azure: people, their agents and programs, each with a client, and a page to decide at."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from changes.approval_request import ApprovalRequest, By
from changes.approvals import Approvals
from changes.preview import Preview
from changes.rules import Rules
from changes.rules_file import rules_in
from clients.azure.prices import FetchPrices
from identity.roles import Roles
from mcp_server.catalog.catalog import Catalog
from tests.changes.yard import CALLERS, door_of
from tests.fakes.azure.people import OWNER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving
from tests.tools.azure.calling import CATALOG
from tests.tools.azure.inventing import asking
from tools.azure import TOOLSETS
from tools.azure.access import FetchLink
from tools.azure.settings import AzureSettings

NAMES: Final = {toolset.name: [tool.name for tool in toolset.tools] for toolset in TOOLSETS}
ROLES: Final = {
    "roles": {"Worker": {"all": "destroy"}, "Keeper": {"all": "read"}},
    "agents": {"for-people": {"all": "destroy"}},
}
# Whatever changes something is shown to another person first.
ASKING: Final = {"access": "write", "ask": "another"}


@dataclass(frozen=True)
class Team:
    caller: Caller
    approvals: Approvals

    def later(self, seconds: float) -> None:
        """Let so much time pass for changes."""
        ledger = self.approvals.kept()
        before = ledger.clock
        ledger.clock = lambda: before() + seconds

    def member(self, name: str) -> Caller:
        """Somebody of the callers of the yard, at their client."""
        return replace(self.caller, headers={"x-who": name})

    async def decides(self, name: str, words: str, *, is_yes: bool = True, why: str = "") -> None:
        """Open the page that an answer names, and decide there."""
        change = await self.change(words)
        await self.approvals.decide(CALLERS[name], change, is_yes=is_yes, by=By.PAGE, why=why)

    async def change(self, words: str) -> ApprovalRequest:
        found = await self.approvals.kept().find(change_in(words))
        assert found is not None
        return found

    async def shown(self, words: str) -> Preview:
        """What the page that an answer names shows."""
        return (await self.approvals.kept().shown(await self.change(words))).preview


def change_in(words: str) -> str:
    """The id of the change that an answer tells of."""
    found = re.search(r"/changes/([\w-]+)", words)
    assert found, words
    return found[1]


@asynccontextmanager
async def team(
    azure: FakeAzure,
    *rules: Any,
    who: Principal = OWNER,
    settings: AzureSettings | None = None,
    fetch_link: FetchLink | None = None,
    fetch_prices: FetchPrices | None = None,
    catalog: Catalog = CATALOG,
) -> AsyncIterator[Team]:
    """A deployment with these rules, at which all have the rights of one on Azure."""
    text = json.dumps({**ROLES, "changes": list(rules)} if rules else ROLES)
    roles = Roles.read(text, "roles.yaml", NAMES)
    kept = Rules(rules_in(text, "roles.yaml", NAMES, roles.roles))
    approvals = approving(rules=kept, by_argument=False, grants_of=roles.grants_of, has_to_ask=roles.has_to_ask)
    door = door_of(roles)
    async with asking(
        azure,
        who,
        settings,
        approvals=approvals,
        door=door,
        fetch_link=fetch_link,
        fetch_prices=fetch_prices,
        catalog=catalog,
    ) as caller:
        yield Team(caller, approvals)
