"""How a server's settings extend the parameters of its tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mcp_server.context import AnyContext
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError

if TYPE_CHECKING:
    from changes.preview import Place

Places = Mapping[str, "Place"]
# Determines the place of a call from its arguments and from what the tool reported.
Placing = Callable[[AnyContext, Mapping[str, Any], Places], Awaitable[Places]]
# Rejects a call that the caller is not permitted to make, or says why permission is unknown.
Permitting = Callable[[AnyContext, str, Mapping[str, Any]], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """Extra text parameters that every tool takes: each name with its description.

    Their values are for the service behind the tool. The tool's function does not receive them.
    """

    choices: Mapping[str, str] = field(default_factory=dict)
    # Adds the place to a preview, with the names that the service uses and not the caller's spelling.
    placing: Placing | None = None
    # Checks whether the caller is permitted to make a tool's change, before anyone is asked to approve it.
    permitting: Permitting | None = None

    def schema(self, own: dict[str, Any]) -> dict[str, Any]:
        chosen = {name: {"type": "string", "description": meaning} for name, meaning in self.choices.items()}
        return {**own, "properties": own.get("properties", {}) | chosen}

    def split(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """Separate the tool's own arguments from those for the extra parameters.

        Raises:
            InvalidArgumentsError: A value is not text.
        """
        if not self.choices:
            return dict(arguments), {}
        chosen = {name: value for name, value in arguments.items() if name in self.choices}
        if wrong := [f"{name}: must be a string." for name, value in chosen.items() if not isinstance(value, str)]:
            raise InvalidArgumentsError(wrong)
        return {name: value for name, value in arguments.items() if name not in chosen}, chosen


AS_DECLARED: Final = Adaptation()
