"""Parses the arguments of `azure`.

Both the permission check, which must know which tool a request calls, and the call itself use this parser. With two
different parsers, a caller could bypass the check: the check could read the arguments as a request for an explanation,
while the tool reads the same arguments as a call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class GatewayRequest:
    intent: str = ""
    tool: str = ""
    command: str = ""
    select: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    is_to_explain: bool = False

    @classmethod
    def of(
        cls, *, parameters: dict[str, Any] | None = None, learn: bool | None = None, **texts: str | None
    ) -> GatewayRequest:
        said = {name: text for name, text in texts.items() if text}
        return cls(parameters=parameters or {}, is_to_explain=bool(learn), **said)

    @property
    def is_call(self) -> bool:
        return bool(self.tool and self.command) and not self.is_to_explain
