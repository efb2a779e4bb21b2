"""What one caller sees: only the tools, prompts and resources that they have access to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, Literal

from mcp_server.declarations.names import Names, folded, told_apart
from mcp_server.declarations.prompt import Prompt
from mcp_server.declarations.remote_content import RemoteContent
from mcp_server.declarations.resource import Resource
from mcp_server.declarations.shelf import Shelf
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Completer, Toolset
from mcp_server.declarations.vocabulary import NO_WORDS, Vocabulary
from mcp_server.protocol.results import Json

CacheScope = Literal["public", "private"]


# By toolset or group: what this server needs in order to offer it.
NOTHING_ABSENT: Final[Mapping[str, str]] = {}
_BETWEEN: Final = ", "


def told_together(names: Iterable[str]) -> str:
    """A single key for toolsets, or groups of them, with the same requirement."""
    return _BETWEEN.join(names)


def why_absent(name: str, absent: Mapping[str, str]) -> str:
    """What the toolset with this name needs, if it is known to be absent."""
    lacked = {group: lacking for groups, lacking in absent.items() for group in groups.split(_BETWEEN)}
    return lacked.get(name) or next((words for group, words in lacked.items() if name.startswith(f"{group}-")), "")


def why_tool_absent(name: str, absent: Mapping[str, str]) -> str:
    """What the toolset of a tool with this name needs: tools of other servers start with its name."""
    owner = next((group for group in absent if folded(name).startswith(f"{folded(group)}_")), "")
    return absent.get(owner, "")


class View:
    """A tool outside the view cannot be listed, learned or called, because the view does not contain it.

    `tools` are the listed ones, by unambiguous names; `toolsets` hold all that can be reached, including through
    `learn`.
    """

    def __init__(
        self,
        toolsets: Sequence[Toolset],
        tools: Iterable[Tool],
        cache_scope: CacheScope,
        absent: Mapping[str, str] = NOTHING_ABSENT,
        vocabulary: Vocabulary = NO_WORDS,
    ) -> None:
        self.toolsets = toolsets
        # Everything the caller has access to; `toolsets` are what they selected from it.
        self.opened = toolsets
        self.absent = absent
        self.vocabulary = vocabulary
        self.tools: Mapping[str, Tool] = told_apart(list(tools))
        self.cache_scope = cache_scope
        # The ready bytes of this view's list answers, by method and whether the version is a modern one. They belong to
        # the view and not to its selection, so that they are dropped with the view's catalog.
        self.answers: dict[tuple[str, bool], bytes] = {}

    def called(self, name: str) -> list[Tool]:
        """The tools that a direct call of this name may mean.

        A tool that can be called directly can be called by any of its names: a name is not a permission.
        """
        return [self.tools[name]] if name in self.tools else self._names.named(name)

    def listed_name(self, tool: Tool) -> str | None:
        """The name under which this tool is listed, if any."""
        return self._listed_names.get(tool)

    def direct_name(self, tool: Tool) -> str | None:
        """A name for calling this tool directly, if any. It may be listed only under an alias."""
        names = (tool.name, tool.qualified_name)
        return self.listed_name(tool) or next((name for name in names if self.called(name) == [tool]), None)

    def reached_toolset(self, name: str) -> Toolset | None:
        return self._reached.get(folded(name))

    def opens(self, toolset: str, tool: str) -> bool:
        """Whether the caller may call this tool, ignoring their selection.

        A tool that combines several toolsets checks this for each, so that it reveals nothing the caller has no access
        to.
        """
        found = (one for one in self.opened if one.name == toolset)
        return any(entry.name == tool for one in found for entry in one.tools)

    def holds(self, tool: Tool) -> bool:
        return any(tool.original in toolset.tools for toolset in self.toolsets)

    @cached_property
    def _names(self) -> Names:
        return Names(dict.fromkeys(tool.original for tool in self.tools.values()))

    @cached_property
    def _listed_names(self) -> Mapping[Tool, str]:
        return {tool: name for name, tool in self.tools.items()}

    @cached_property
    def _reached(self) -> Mapping[str, Toolset]:
        return {folded(toolset.name): toolset for toolset in self.toolsets if toolset.tools}

    @cached_property
    def prompts(self) -> Mapping[str, Prompt]:
        return {prompt.name: prompt for toolset in self.toolsets for prompt in toolset.prompts}

    @cached_property
    def resources(self) -> Sequence[Resource]:
        return [resource for toolset in self.toolsets for resource in toolset.resources]

    @cached_property
    def shelves(self) -> Mapping[Toolset, Shelf]:
        opened = {toolset.name for toolset in self.opened}
        return {toolset: toolset.shelf.opened(opened) for toolset in self.toolsets if toolset.shelf}

    @cached_property
    def remote_content(self) -> Mapping[str, RemoteContent]:
        """What other servers have besides tools, by toolset."""
        return {toolset.name: toolset.remote_content for toolset in self.toolsets if toolset.remote_content}

    def shelf_tool(self, name: str, uri: str = "") -> Tool | None:
        """A shelf's tool, from the shelf with this address if one is given; None without access to it."""
        held = (toolset for toolset, shelf in self.shelves.items() if not uri or shelf.holds(uri))
        return next((tool for toolset in held for tool in toolset.tools if tool.name == name), None)

    @cached_property
    def completers(self) -> Mapping[tuple[str, str], Completer]:
        return {key: completer for toolset in self.toolsets for key, completer in toolset.completers.items()}

    @cached_property
    def listed_tools(self) -> list[Json]:
        return [tool.published_as(name) for name, tool in self.tools.items()]


NOTHING: Final = View((), (), "private")
