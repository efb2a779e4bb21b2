"""A planned call and exactly what it would do, with digests that detect any difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from pydantic_core import from_json, to_json

from changes.preview import Preview

LARGEST_ARGUMENTS: Final = 256 * 1024
_TOO_LONG: Final = "all arguments: they are too long to show"


@dataclass(frozen=True, slots=True)
class Plan:
    """`arguments` are the tool's actual arguments, in its names and form."""

    toolset: str
    tool: str
    access: str
    arguments: Mapping[str, Any]
    preview: Preview

    @classmethod
    def of(cls, toolset: str, tool: str, access: str, arguments: Mapping[str, Any], preview: Preview) -> Plan:
        """A plan; what is too long to read counts as not shown."""
        is_long = len(_json(arguments)) > LARGEST_ARGUMENTS
        shown = preview.fitting
        if is_long:
            shown = replace(shown, missing=[*shown.missing, _TOO_LONG])
        return cls(toolset, tool, access, arguments, shown)

    @property
    def shown_arguments(self) -> dict[str, Any]:
        """The arguments stored for approvers; only names if they are too long."""
        if len(_json(self.arguments)) > LARGEST_ARGUMENTS:
            return not_kept(self.arguments)
        return dict(self.arguments)

    @property
    def call(self) -> str:
        """Identifies a call: the same tool with the same arguments."""
        return call_of(self.toolset, self.tool, self.arguments)

    @property
    def digest(self) -> str:
        """Identifies a plan: a call and what it would do now."""
        return digest_of(self.call, self.access, self.preview)


def call_of(toolset: str, tool: str, arguments: Mapping[str, Any]) -> str:
    return _digest(toolset, tool, _sorted(from_json(_json(arguments))))


def digest_of(call: str, access: str, preview: Preview) -> str:
    return _digest(call, access, preview.bound.decode())


def not_kept(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The placeholders for arguments that are too long or secret."""
    return dict.fromkeys(arguments, "…")


def _json(value: Any) -> bytes:
    return to_json(value, inf_nan_mode="constants")


def _digest(*parts: Any) -> str:
    return sha256(_json(parts)).hexdigest()


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        # Still a mapping, because a list of pairs would be a different argument.
        return dict(sorted((str(name), _sorted(one)) for name, one in value.items()))
    return [_sorted(one) for one in value] if isinstance(value, list | tuple) else value
