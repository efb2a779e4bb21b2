"""Finds the tools to which a name may refer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mcp_server.declarations.further import under_further_names
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset


def names_of(tool: Tool) -> Iterator[str]:
    yield tool.name
    yield from (further.name for further in tool.further_names)


def folded(name: str) -> str:
    """Normalize a name: hyphens, underscores and case do not matter, because people and models confuse them."""
    return name.replace("-", "_").lower()


class Names:
    """Finds tools by name. Several tools may have the same name, because names are unique only within a toolset."""

    def __init__(self, tools: Iterable[Tool], spelling: Callable[[str], str] = str) -> None:
        self._spelling = spelling
        self._tools: Mapping[str, list[Tool]] = defaultdict(list)
        self._qualified: Mapping[str, list[Tool]] = defaultdict(list)
        for tool in tools:
            for name in names_of(tool):
                self._tools[spelling(name)].append(tool)
            self._qualified[spelling(tool.qualified_name)].append(tool)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def named(self, name: str) -> list[Tool]:
        """The tools with this name. If the name is an alias, the result contains the alias and not the tool itself.

        The name is treated as a qualified name only if no tool has this name.
        """
        spelt = self._spelling(name)
        return [self._form(tool, spelt) for tool in self._tools.get(spelt) or self._qualified.get(spelt, [])]

    def _form(self, tool: Tool, spelt: str) -> Tool:
        forms = [form for form in under_further_names(tool) if self._spelling(form.name) == spelt]
        return forms[0] if forms else tool


def command_of(toolset: Toolset, name: str) -> Tool | None:
    found = Names(toolset.tools, folded).named(name)
    return found[0] if found else None


def told_apart(tools: Sequence[Tool]) -> dict[str, Tool]:
    """The tools, by the names under which they are listed.

    Tools with the same name are listed by their qualified names.
    """
    count: dict[str, int] = defaultdict(int)
    for tool in tools:
        count[tool.name] += 1
    return {tool.name if count[tool.name] == 1 else tool.qualified_name: tool for tool in tools}
