"""Data about the current call, for tools that change something.

A function receives this data as a parameter, which the server injects.
"""

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
    """The change that this call would make.

    Read a property each time it is needed, because the values differ between previewing and applying the change.
    """

    _trace: Trace
    _own: str = field(default_factory=lambda: uuid4().hex)

    @property
    def trail(self) -> Mapping[str, Any]:
        """The data that lets a preview continue where an earlier call stopped. Empty for the first preview."""
        return self._trace.trail

    @property
    def mark(self) -> str:
        """An ID with which the effects of this change can be found later."""
        name = self._trace.change.id if self._trace.change else self._own
        return sha256(f"mark of {name}".encode()).hexdigest()[:_MARK]

    @property
    def is_previewed(self) -> bool:
        return self._trace.is_previewed


async def _current(context: Context) -> CurrentChange:
    return CurrentChange(context.visit.trace)


ThisChange = Annotated[CurrentChange, Resolve(_current)]
