"""What a change can read about its call, injected as a parameter into functions of providers."""

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
    """Read lazily, because a call knows more when it is applied than when it is planned."""

    _trace: Trace
    _own: str = field(default_factory=lambda: uuid4().hex)

    @property
    def trail(self) -> Mapping[str, Any]:
        """What an earlier preview left for the next one to continue from; empty on the first."""
        return self._trace.trail

    @property
    def mark(self) -> str:
        """Identifies the effects of this change, and of no other, so that they can be found later."""
        name = self._trace.change.id if self._trace.change else self._own
        return sha256(f"mark of {name}".encode()).hexdigest()[:_MARK]

    @property
    def is_previewed(self) -> bool:
        return self._trace.is_previewed


async def _current(context: Context) -> CurrentChange:
    return CurrentChange(context.visit.trace)


ThisChange = Annotated[CurrentChange, Resolve(_current)]
