"""What the settings of a server make of what its tools take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mcp_server.context import AnyContext
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError

if TYPE_CHECKING:
    from changes.preview import Place

Places = Mapping[str, "Place"]
# What is told of where a call happens, from its own arguments and from what the tool told of it.
Placing = Callable[[AnyContext, Mapping[str, Any], Places], Awaitable[Places]]
# Refuses what the caller may not do with a tool of this name and these arguments, or tells why nobody knows.
Permitting = Callable[[AnyContext, str, Mapping[str, Any]], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """Further texts that every tool takes, by their names, each with what it means.

    What is chosen so is for whatever stands behind the tool: its function does not get it.
    """

    choices: Mapping[str, str] = field(default_factory=dict)
    # Says of a preview where that is, by the names that the service has for it, and not as a caller spelt them.
    placing: Placing | None = None
    # Finds out whether the caller is permitted what a tool would change, before anybody is asked.
    permitting: Permitting | None = None

    def schema(self, own: dict[str, Any]) -> dict[str, Any]:
        chosen = {name: {"type": "string", "description": meaning} for name, meaning in self.choices.items()}
        return {**own, "properties": own.get("properties", {}) | chosen}

    def split(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """The arguments of the tool itself, and what was chosen.

        Raises:
            InvalidArgumentsError: A choice is no text.
        """
        if not self.choices:
            return dict(arguments), {}
        chosen = {name: value for name, value in arguments.items() if name in self.choices}
        if wrong := [f"{name}: must be a string." for name, value in chosen.items() if not isinstance(value, str)]:
            raise InvalidArgumentsError(wrong)
        return {name: value for name, value in arguments.items() if name not in chosen}, chosen


AS_DECLARED: Final = Adaptation()
