"""Parameters that a server's settings add to the server's tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mcp_server.context import AnyContext
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError

if TYPE_CHECKING:
    from changes.preview import Place

Places = Mapping[str, "Place"]
# Determines which places a call affects, given the call's arguments and the places that the tool reported.
Placing = Callable[[AnyContext, Mapping[str, Any], Places], Awaitable[Places]]
# Raises a Refusal if the caller does not have permission for the call. If it is unknown whether the caller has
# permission, returns a sentence that says why.
Permitting = Callable[[AnyContext, str, Mapping[str, Any]], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """Text parameters to add to tools, with a description for each name.

    The values of these parameters are for the service behind the tool. The tool's function does not receive these
    values.
    """

    choices: Mapping[str, str] = field(default_factory=dict)
    # Adds the affected places to a preview. Their names are spelled as in the service, not as in the arguments.
    placing: Placing | None = None
    # Checks the caller's permission for a change before anyone is asked to approve the change.
    permitting: Permitting | None = None

    def schema(self, own: dict[str, Any]) -> dict[str, Any]:
        chosen = {name: {"type": "string", "description": meaning} for name, meaning in self.choices.items()}
        return {**own, "properties": own.get("properties", {}) | chosen}

    def split(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """Split the arguments into the tool's own arguments and the arguments for the added parameters.

        Raises:
            InvalidArgumentsError: The value of an added parameter is not a string.
        """
        if not self.choices:
            return dict(arguments), {}
        chosen = {name: value for name, value in arguments.items() if name in self.choices}
        if wrong := [f"{name}: must be a string." for name, value in chosen.items() if not isinstance(value, str)]:
            raise InvalidArgumentsError(wrong)
        return {name: value for name, value in arguments.items() if name not in chosen}, chosen


AS_DECLARED: Final = Adaptation()
