"""Aliases of parameters, for example so that callers can pass `name` to a tool with the parameter `vault`.

Schemas do not contain the aliases. Arguments are renamed when a call arrives, so that the audit record and all later
steps contain only the tool's own parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_server.declarations.names import folded
from mcp_server.declarations.tool import Tool

_Words = Mapping[str, str]
# Generic names that can be aliases only of required parameters.
_ANYTHING: Final = {"name", "id"}


@dataclass(frozen=True, eq=False, kw_only=True)
class ParameterNames:
    """The aliases of the parameters in a toolset. Each value is a list of aliases, separated by commas."""

    # Aliases of parameters that are named after a kind of object, such as `vault`. If a tool requires such a parameter,
    # the parameter also has the aliases `name` and `id`.
    things: _Words = field(default_factory=dict)
    others: _Words = field(default_factory=dict)

    def renamed(self, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Rename each argument that has an unknown name if the name matches exactly one parameter of the tool."""
        schema = tool.input_schema
        known = schema.get("properties", {})
        if arguments.keys() <= known.keys():
            return dict(arguments)
        called = {one: self._called(one) for one in known}
        for one in {*schema.get("required", ())} & {*self.things}:
            called[one] |= _ANYTHING
        meant = {name: name if name in known else _only_meant(name, called) for name in arguments}
        claims = Counter(meant.values())
        return {meant[name] if claims[meant[name]] == 1 else name: value for name, value in arguments.items()}

    def _called(self, parameter: str) -> set[str]:
        words = self.things.get(parameter) or self.others.get(parameter) or ""
        return {compact(word) for word in words.split(",") if word}


def _only_meant(name: str, called: Mapping[str, Collection[str]]) -> str:
    """The only parameter that this name matches.

    Unless exactly one parameter matches, the result is the name itself.
    """
    spelt = compact(name)
    alike = [parameter for parameter in called if compact(parameter) == spelt]
    meant = alike or [parameter for parameter, words in called.items() if spelt in words]
    return meant[0] if len(meant) == 1 else name


def compact(name: str) -> str:
    """Normalize a name: `resourceGroup`, `resource_group` and `resource-group` count as the same name."""
    return folded(name).replace("_", "").replace(" ", "")


NO_FURTHER_NAMES: Final[Mapping[str, ParameterNames]] = {}


def renamed(tool: Tool, arguments: Mapping[str, Any], by_toolset: Mapping[str, ParameterNames]) -> dict[str, Any]:
    """Rename arguments from aliases to the tool's own parameters. Arguments of external tools stay unchanged."""
    names = by_toolset.get(tool.toolset)
    return names.renamed(tool, arguments) if names else dict(arguments)
