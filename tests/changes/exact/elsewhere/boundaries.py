"""The moments at which a call reaches what is kept, or another server: somebody else may act at any of them."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

import pytest

from changes.approval_request import ApprovalRequest, By, Decision
from changes.ledger import Ledger
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
    _act: Act | None = None
    _at: int = 0
    _is_open: bool = False
    _is_acting: bool = False
    _shown: tuple[Ledger, ApprovalRequest] | None = None

    def begin(self, act: Act | None = None, at: int = 0) -> None:
        self.passed, self.claimed, self.has_acted, self._act, self._at, self._is_open = 0, 0, False, act, at, True

    def end(self) -> None:
        self._is_open = False
        assert not self._is_acting, "what somebody else does has failed"

    async def reach(self) -> None:
        if not self._is_open:
            return
        self.passed += 1
        if self._act and self.passed == self._at:
            # What somebody else does passes none.
            self._is_open, self._is_acting = False, True
            self.has_acted = await self._act()
            self._is_open, self._is_acting = True, False

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
            self.claimed = self.passed
            return begun

        monkeypatch.setattr(Ledger, "begin", claimed)
        monkeypatch.setattr(Ledger, "propose", proposed)

    async def approve(self) -> None:
        """Have somebody approve what was shown last."""
        assert self._shown, "nothing was shown"
        ledger, request = self._shown
        await ledger.decide(request, Decision(ledger.clock(), request.asked_by, By.LAPTOP, is_yes=True))

    def _watched(self, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @wraps(method)
        async def reached(*args: Any, **kwargs: Any) -> Any:
            await self.reach()
            return await method(*args, **kwargs)

        return reached
