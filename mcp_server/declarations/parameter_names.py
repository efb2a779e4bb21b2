"""Further names of parameters: one thing is called `vault` by one tool, `resource` by another, and `name` by callers.

They stand in no schema. An argument is renamed where it enters, so that whatever follows (the record, the check, the
preview, what somebody approves) knows only the tool's own parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_server.declarations.names import folded
from mcp_server.declarations.tool import Tool

_Words = Mapping[str, str]
# What anything may be called, and so means only what a call cannot do without.
_ANYTHING: Final = {"name", "id"}


@dataclass(frozen=True, eq=False, kw_only=True)
class ParameterNames:
    """What callers call the parameters of one toolset. The names of an entry are separated by commas."""

    # Parameters that name a thing. Where the tool requires one, `name` and `id` mean it as well.
    things: _Words = field(default_factory=dict)
    others: _Words = field(default_factory=dict)

    def renamed(self, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by the tool's own names, as far as each unknown name can mean only one of its parameters."""
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
    """The one parameter that is meant by this name; the name itself if there is none, or several."""
    spelt = compact(name)
    alike = [parameter for parameter in called if compact(parameter) == spelt]
    meant = alike or [parameter for parameter, words in called.items() if spelt in words]
    return meant[0] if len(meant) == 1 else name


def compact(name: str) -> str:
    """The name without what callers mix up in it: `resourceGroup`, `resource_group` and `resource-group` are one."""
    return folded(name).replace("_", "").replace(" ", "")


NO_FURTHER_NAMES: Final[Mapping[str, ParameterNames]] = {}


def renamed(tool: Tool, arguments: Mapping[str, Any], by_toolset: Mapping[str, ParameterNames]) -> dict[str, Any]:
    """The arguments by the names of the tool's own parameters; those of tools from outside as they are."""
    names = by_toolset.get(tool.toolset)
    return names.renamed(tool, arguments) if names else dict(arguments)
