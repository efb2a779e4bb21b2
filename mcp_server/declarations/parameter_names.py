"""Aliases of parameters: one tool says `vault`, another `resource`, and callers say `name`.

Aliases are not in the schema. Arguments are renamed on arrival, so everything after (the record, the check, the
preview, the approval) sees only the tool's own parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_server.declarations.names import folded
from mcp_server.declarations.tool import Tool

_Words = Mapping[str, str]
# Generic names: they only match required parameters.
_ANYTHING: Final = {"name", "id"}


@dataclass(frozen=True, eq=False, kw_only=True)
class ParameterNames:
    """Aliases for the parameters of one toolset. Names within an entry are separated by commas."""

    # Parameters that name a thing. If the tool requires one, `name` and `id` match it, too.
    things: _Words = field(default_factory=dict)
    others: _Words = field(default_factory=dict)

    def renamed(self, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Rename the arguments to the tool's own parameters, where an unknown name can mean only one of them."""
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
    """The only parameter that this name can mean; the name unchanged if none or several match."""
    spelt = compact(name)
    alike = [parameter for parameter in called if compact(parameter) == spelt]
    meant = alike or [parameter for parameter, words in called.items() if spelt in words]
    return meant[0] if len(meant) == 1 else name


def compact(name: str) -> str:
    """The name without what callers confuse: `resourceGroup`, `resource_group` and `resource-group` are the same."""
    return folded(name).replace("_", "").replace(" ", "")


NO_FURTHER_NAMES: Final[Mapping[str, ParameterNames]] = {}


def renamed(tool: Tool, arguments: Mapping[str, Any], by_toolset: Mapping[str, ParameterNames]) -> dict[str, Any]:
    """Rename the arguments to the tool's own parameters; arguments of external tools stay unchanged."""
    names = by_toolset.get(tool.toolset)
    return names.renamed(tool, arguments) if names else dict(arguments)
