"""The moments at which a call reaches what is kept, or another server: somebody else may act at any of them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

import pytest

from changes.approval_request import ApprovalRequest, By, Decision
from changes.ledger import Ledger
from changes.preview import Preview
from clients.folder_files import FolderFiles
from clients.folder_storage import FolderStorage
from tests.fakes.cosmos_data.peer import Door
from tests.fakes.extensions.peer import Peer
from tests.fakes.workspaces.git_server import GitServer

Act = Callable[[], Awaitable[bool]]

_REACHED: Final[tuple[tuple[type, str], ...]] = (
    *((FolderFiles, name) for name in ("page", "look", "read", "write", "delete")),
    *(
        (FolderStorage, name)
        for name in vars(FolderStorage)
        if not name.startswith("_") and inspect.iscoroutinefunction(getattr(FolderStorage, name)) and name != "close"
    ),
    (Door, "__call__"),
    (Peer, "answer"),
    (GitServer, "_answer"),
)


@dataclass
class Boundaries:
    """`passed` counts them; `claimed` is at which the approval was claimed."""

    passed: int = 0
    claimed: int = 0
    # Whether somebody acted, and there was still something to change.
    has_acted: bool = False
    # Whether somebody had acted when the approval was claimed: parts of a call may go on while somebody acts.
    has_acted_first: bool = False
    _act: Act | None = None
    _at: int = 0
    _is_open: bool = False
    _acting: asyncio.Task[None] | None = None
    _shown: tuple[Ledger, ApprovalRequest] | None = None

    def begin(self, act: Act | None = None, at: int = 0) -> None:
        self.passed, self.claimed, self.has_acted, self.has_acted_first = 0, 0, False, False
        self._act, self._at, self._is_open, self._acting = act, at, True, None

    async def end(self) -> None:
        self._is_open = False
        if self._acting:
            await self._acting

    async def reach(self) -> None:
        if not self._is_open:
            return
        self.passed += 1
        if self._act and self.passed == self._at:
            # A task of its own: somebody goes on when the part of the call that is here is given up.
            self._acting = asyncio.create_task(self._meddle(self._act))
            await asyncio.shield(self._acting)

    async def _meddle(self, act: Act) -> None:
        """What somebody else does passes no boundary."""
        self._is_open = False
        self.has_acted = await act()
        self._is_open = True

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for kind, name in _REACHED:
            monkeypatch.setattr(kind, name, self._watched(getattr(kind, name)))
        begin, propose = Ledger.begin, Ledger.propose

        async def proposed(ledger: Ledger, *what: Any) -> ApprovalRequest:
            request = await propose(ledger, *what)
            self._shown = ledger, request
            return request

        async def claimed(ledger: Ledger, change: ApprovalRequest) -> ApprovalRequest:
            begun = await begin(ledger, change)
            self.claimed, self.has_acted_first = self.passed, self.has_acted
            return begun

        monkeypatch.setattr(Ledger, "begin", claimed)
        monkeypatch.setattr(Ledger, "propose", proposed)

    async def approve(self) -> None:
        """Have somebody approve what was shown last."""
        assert self._shown, "nothing was shown"
        ledger, request = self._shown
        await ledger.decide(request, Decision(ledger.clock(), request.asked_by, By.LAPTOP, is_yes=True))

    async def shown(self) -> Preview:
        """What was shown last."""
        assert self._shown, "nothing was shown"
        ledger, request = self._shown
        return (await ledger.shown(request)).preview

    def _watched(self, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @wraps(method)
        async def reached(*args: Any, **kwargs: Any) -> Any:
            await self.reach()
            return await method(*args, **kwargs)

        return reached
