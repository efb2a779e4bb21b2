"""What one caller sees: the tools, prompts and resources that exist for them, and nothing else."""

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


# Of toolsets that a server could offer, or of groups of them, what they lack.
NOTHING_ABSENT: Final[Mapping[str, str]] = {}
_BETWEEN: Final = ", "


def told_together(names: Iterable[str]) -> str:
    """Toolsets that lack the same, or groups of them, as one name."""
    return _BETWEEN.join(names)


def why_absent(name: str, absent: Mapping[str, str]) -> str:
    """What the toolset of this name lacks, if it is known to be absent."""
    lacked = {group: lacking for groups, lacking in absent.items() for group in groups.split(_BETWEEN)}
    return lacked.get(name) or next((words for group, words in lacked.items() if name.startswith(f"{group}-")), "")


def why_tool_absent(name: str, absent: Mapping[str, str]) -> str:
    """What the toolset lacks that a tool of this name is of: those of other servers begin with its name."""
    owner = next((group for group in absent if folded(name).startswith(f"{folded(group)}_")), "")
    return absent.get(owner, "")


class View:
    """A tool outside the view can be neither listed, learned nor called, because the view does not hold it.

    `tools` are the ones listed, by the names that tell them apart here; `toolsets` hold all that can be reached,
    through `learn` too.
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
        # All that is open to the caller, of which these are what they chose.
        self.opened = toolsets
        self.absent = absent
        self.vocabulary = vocabulary
        self.tools: Mapping[str, Tool] = told_apart(list(tools))
        self.cache_scope = cache_scope
        # The ready bytes of this view's list answers, by method, and whether the version is a modern one. They belong
        # to the view and not to its selection, so that they end with the catalog that the view was made from.
        self.answers: dict[tuple[str, bool], bytes] = {}

    def called(self, name: str) -> list[Tool]:
        """The tools that a direct call of this name may mean.

        Whoever may call a tool directly may do so by any of its names: a name is no permission.
        """
        return [self.tools[name]] if name in self.tools else self._names.named(name)

    def listed_name(self, tool: Tool) -> str | None:
        """The name under which this tool is listed, if it is."""
        return self._listed_names.get(tool)

    def direct_name(self, tool: Tool) -> str | None:
        """A name by which this tool is called directly, though it may be listed by a further name alone; if it is."""
        names = (tool.name, tool.qualified_name)
        return self.listed_name(tool) or next((name for name in names if self.called(name) == [tool]), None)

    def reached_toolset(self, name: str) -> Toolset | None:
        return self._reached.get(folded(name))

    def opens(self, toolset: str, tool: str) -> bool:
        """Whether the caller may call this tool, had they chosen it.

        A tool that answers out of several toolsets asks this for each, so that nobody reads through it what is closed.
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
        """What other servers have beside tools, by their toolsets."""
        return {toolset.name: toolset.remote_content for toolset in self.toolsets if toolset.remote_content}

    def shelf_tool(self, name: str, uri: str = "") -> Tool | None:
        """The tool of a shelf, of the one that holds this address if one is given; nothing where it is not open."""
        held = (toolset for toolset, shelf in self.shelves.items() if not uri or shelf.holds(uri))
        return next((tool for toolset in held for tool in toolset.tools if tool.name == name), None)

    @cached_property
    def completers(self) -> Mapping[tuple[str, str], Completer]:
        return {key: completer for toolset in self.toolsets for key, completer in toolset.completers.items()}

    @cached_property
    def listed_tools(self) -> list[Json]:
        return [tool.published_as(name) for name, tool in self.tools.items()]


NOTHING: Final = View((), (), "private")
