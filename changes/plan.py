"""A planned call and its preview. Two plans that differ in any way have different digests."""

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
    """A planned call and its preview. `arguments` have the names and types that the tool declares."""

    toolset: str
    tool: str
    access: str
    arguments: Mapping[str, Any]
    preview: Preview

    @classmethod
    def of(cls, toolset: str, tool: str, access: str, arguments: Mapping[str, Any], preview: Preview) -> Plan:
        """Create a plan.

        If the preview is too long to read, it is shortened, and the omitted part is marked as missing.
        """
        is_long = len(_json(arguments)) > LARGEST_ARGUMENTS
        shown = preview.fitting
        if is_long:
            shown = replace(shown, missing=[*shown.missing, _TOO_LONG])
        return cls(toolset, tool, access, arguments, shown)

    @property
    def shown_arguments(self) -> dict[str, Any]:
        """The arguments that are stored so that approvers can see them. If the arguments are too long, only their names
        are stored.
        """
        if len(_json(self.arguments)) > LARGEST_ARGUMENTS:
            return not_kept(self.arguments)
        return dict(self.arguments)

    @property
    def call(self) -> str:
        """A digest of the call: the tool and all its arguments."""
        return call_of(self.toolset, self.tool, self.arguments)

    @property
    def digest(self) -> str:
        """A digest of the plan: the call and its preview."""
        return digest_of(self.call, self.access, self.preview)


def call_of(toolset: str, tool: str, arguments: Mapping[str, Any]) -> str:
    return _digest(toolset, tool, _sorted(from_json(_json(arguments))))


def digest_of(call: str, access: str, preview: Preview) -> str:
    return _digest(call, access, preview.bound.decode())


def not_kept(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Replace all argument values with placeholders, because the values are too long or secret."""
    return dict.fromkeys(arguments, "…")


def _json(value: Any) -> bytes:
    return to_json(value, inf_nan_mode="constants")


def _digest(*parts: Any) -> str:
    return sha256(_json(parts)).hexdigest()


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        # Keep mappings as mappings, so that a mapping and a list of pairs have different digests.
        return dict(sorted((str(name), _sorted(one)) for name, one in value.items()))
    return [_sorted(one) for one in value] if isinstance(value, list | tuple) else value
