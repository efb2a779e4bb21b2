"""A call of a golden case in its three steps: it is shown, somebody approves it, and it is sent again."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from changes.approval_request import ApprovalRequest, By, RequiredApprover
from changes.approvals import Approvals
from changes.ledger import Ledger
from changes.preview import Preview
from changes.rule import Rule
from changes.rules import Rules
from clients.folder_storage import FolderStorage
from identity.caller import ANONYMOUS
from tests.changes.exact.services import Service
from tests.changes.exact.stage import Stage
from tests.mcp_server.caller import Caller
from tests.tools.golden import Case

# A golden case cannot say from where a file comes.
NOT_REHEARSED: Final = frozenset({"add_work_item_attachment_from_url"})
_ALL: Final = Rules([Rule(RequiredApprover.CALLER)])


@dataclass
class NotedLedger(Ledger):
    """Says when an approval is claimed: from then on nothing but the tool itself can stop it."""

    claimed: list[int] = field(default_factory=list)
    requests: Any = None

    async def begin(self, change: ApprovalRequest) -> ApprovalRequest:
        begun = await super().begin(change)
        self.claimed.append(self.requests())
        return begun


@dataclass
class Shown:
    request: ApprovalRequest
    preview: Preview
    arguments: Mapping[str, Any]


@dataclass
class Rehearsal:
    stage: Stage
    caller: Caller
    approvals: Approvals
    ledger: NotedLedger
    arguments: Mapping[str, Any]

    async def shown(self) -> Shown | str:
        """What is shown of the call, or in which words it is refused."""
        words = await self.sent()
        found = re.search(r"/changes/([\w-]+)", words)
        request = await self.ledger.find(found[1]) if found else None
        if request is None:
            return words
        shown = await self.ledger.shown(request)
        return Shown(request, shown.preview, shown.arguments)

    async def approve(self, shown: Shown) -> None:
        await self.approvals.decide(ANONYMOUS, shown.request, is_yes=True, by=By.LAPTOP)

    async def sent(self) -> str:
        """What the call is answered."""
        result = await self.caller.call(self.stage.case.tool, **self.arguments)
        return str(result["content"][0]["text"]) if result.get("isError") else ""

    @property
    def claimed(self) -> int:
        """How many requests there were when the approval was claimed."""
        return self.ledger.claimed[-1]


@asynccontextmanager
async def rehearsing(
    service: Service, case: Case, arguments: Mapping[str, Any] | None = None, spelt: Mapping[str, str] | None = None
) -> AsyncIterator[Rehearsal]:
    stage = Stage(case, service.manners, spelt or {})
    with TemporaryDirectory(prefix="exact-") as folder:
        ledger = NotedLedger(lambda: FolderStorage(Path(folder)), requests=lambda: len(stage.sent))
        approvals = Approvals(rules=_ALL, ledger=ledger, page="{}/changes/{}".format, is_laptop=True)
        async with stage.serving() as url, service.calling(url, approvals) as caller:
            yield Rehearsal(stage, caller, approvals, ledger, case.arguments if arguments is None else arguments)
