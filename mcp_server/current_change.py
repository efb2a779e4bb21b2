"""What a change may know of the call that makes it: for functions of providers, as an injected parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any, Final
from uuid import uuid4

from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context, Trace

_MARK: Final = 16


@dataclass(frozen=True, slots=True)
class CurrentChange:
    """Read when it is needed, because a call knows more of itself when it is applied than when it is planned."""

    _trace: Trace
    _own: str = field(default_factory=lambda: uuid4().hex)

    @property
    def trail(self) -> Mapping[str, Any]:
        """What an earlier look left, with which a preview goes on; empty where it begins."""
        return self._trace.trail

    @property
    def mark(self) -> str:
        """By which what the change does can be found again, and nothing else."""
        name = self._trace.change.id if self._trace.change else self._own
        return sha256(f"mark of {name}".encode()).hexdigest()[:_MARK]

    @property
    def is_previewed(self) -> bool:
        return self._trace.is_previewed


async def _current(context: Context) -> CurrentChange:
    return CurrentChange(context.visit.trace)


ThisChange = Annotated[CurrentChange, Resolve(_current)]
