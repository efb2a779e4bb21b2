"""What a call of `azure` asks for.

It is read here alone: both by the call itself, and beforehand by whoever has to know which tool a request is about.
Were it read twice, a caller could find a form that one takes for an explanation and the other for a call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Wish:
    intent: str
    tool: str
    command: str
    parameters: dict[str, Any]
    is_to_explain: bool

    @classmethod
    def of(
        cls,
        *,
        intent: str | None = None,
        tool: str | None = None,
        command: str | None = None,
        parameters: dict[str, Any] | None = None,
        learn: bool | None = None,
    ) -> Wish:
        return cls(intent or "", tool or "", command or "", parameters or {}, bool(learn))

    @property
    def is_call(self) -> bool:
        return bool(self.tool and self.command) and not self.is_to_explain
