"""All tools of this server, and the views of these tools for callers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Self

from identity.grants import UNLIMITED, Grants
from mcp_server.catalog.gateway import ways_of
from mcp_server.catalog.narrowing import granted, named_tools, named_toolsets, narrowed, only_reading, tools_of
from mcp_server.catalog.right_call import WAYS
from mcp_server.catalog.telling_apart import refuse_alike
from mcp_server.declarations.names import Names as NamesOfTools
from mcp_server.declarations.names import command_of, folded
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.declarations.vocabulary import NO_WORDS, Vocabulary
from mcp_server.view import NOTHING_ABSENT, CacheScope, View, why_absent
from refusal import Refusal

# The maximum number of cached views. There is a limit because callers can send any number of different selections.
_VIEWS_KEPT = 32


Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """The toolsets and tools that a caller selected. None means all. Each field only narrows the selection.

    `also_toolsets` and `also_tools` are additional lists. A tool must match all of the lists.
    """

    path: Names | None = None
    toolsets: Names | None = None
    tools: Names | None = None
    read_only: bool = False
    also_toolsets: tuple[Names, ...] = ()
    also_tools: tuple[Names, ...] = ()

    @classmethod
    def of(cls, path: Names | None, toolsets: Sequence[Names], tools: Sequence[Names], *, read_only: bool) -> Self:
        """Combine several lists of toolsets and tools into a selection."""
        return cls(
            path,
            next(iter(toolsets), None),
            next(iter(tools), None),
            read_only,
            tuple(toolsets[1:]),
            tuple(tools[1:]),
        )

    @property
    def lists_of_toolsets(self) -> Sequence[Names]:
        return () if self.toolsets is None else (self.toolsets, *self.also_toolsets)

    @property
    def lists_of_tools(self) -> Sequence[Names]:
        return () if self.tools is None else (self.tools, *self.also_tools)

    @property
    def is_open(self) -> bool:
        return self.path is None and self.toolsets is None and self.tools is None

    @property
    def is_callers_own(self) -> bool:
        """Whether headers select the tools, so that two callers of the same URL may see different tools."""
        return self.toolsets is not None or self.tools is not None or self.read_only


class Catalog:
    """The toolsets that this server offers, and the few tools that are listed by default. Immutable."""

    def __init__(
        self,
        toolsets: Sequence[Toolset],
        surface: Collection[str],
        absent: Mapping[str, str] = NOTHING_ABSENT,
        external: Sequence[Toolset] = (),
        vocabulary: Vocabulary = NO_WORDS,
    ) -> None:
        """Create a catalog.

        For each missing toolset or group, `absent` says which configuration it requires. `vocabulary` contains the
        words that people use to ask for tools.

        Raises:
            Refusal: Two tools have names that cannot be distinguished.
        """
        self.toolsets = (*toolsets, *external)
        refuse_alike(self.toolsets)
        self._absent = absent
        self._awaited = NOTHING_ABSENT
        self._vocabulary = vocabulary
        # The set contains tools instead of names, so that an external tool cannot get listed by copying a name.
        self._surface = {tool for tool in tools_of(toolsets) if tool.name in surface}
        self._names = NamesOfTools(tools_of(self.toolsets))
        self._by_name = {folded(toolset.name): toolset for toolset in self.toolsets}
        # Each catalog has its own cache of views, and each view caches its answers. A new catalog starts with an empty
        # cache, so cached entries never need to be invalidated.
        self.view = lru_cache(maxsize=_VIEWS_KEPT)(self._view)

    def with_external(self, toolsets: Sequence[Toolset], awaited: Mapping[str, str] = NOTHING_ABSENT) -> Catalog:
        """A copy of the catalog that contains these external toolsets.

        `awaited` says why other external toolsets are not available yet.

        Raises:
            Refusal: The name of a tool conflicts with another name.
        """
        surface = {tool.name for tool in self._surface}
        catalog = Catalog(self.toolsets, surface, self._absent, toolsets, self._vocabulary)
        catalog._awaited = awaited
        return catalog

    @property
    def has_tools(self) -> bool:
        return any(toolset.tools for toolset in self.toolsets)

    def named(self, name: str) -> list[Tool]:
        """The tools with this name.

        A direct call may mean any of these tools; the view decides which tool is called.
        """
        return self._names.named(name)

    def command(self, toolset: str, name: str) -> Tool | None:
        found = self._by_name.get(folded(toolset))
        return command_of(found, name) if found else None

    def _view(self, selection: Selection, grants: Grants = UNLIMITED) -> View:
        """Build the view for grants and a selection.

        Grants apply first, so that later steps ignore all tools that the caller has no access to. For example, if
        several tools have the same name, only accessible tools are considered.

        Raises:
            Refusal: The selection names a toolset or tool that does not exist.
        """
        awaited = {name: why for name, why in self._awaited.items() if grants.opens(name)}
        absent = {**self._absent, **awaited}
        for name in chain(selection.path or (), *selection.lists_of_toolsets):
            # First look for a toolset with exactly this name. Without this step, an existing toolset whose name starts
            # with the name of a missing group would be reported as missing.
            if folded(name) not in self._by_name and (lacking := why_absent(name, absent)):
                raise Refusal(f"Toolset {name!r} is not available: {lacking}")
        toolsets, some_will_do = granted(self.toolsets, grants), not grants.are_unlimited
        opened = toolsets
        if not toolsets:
            return View((), (), _scope(selection, grants), absent)
        toolsets = named_toolsets(selection.path, toolsets, some_will_do=some_will_do)
        for at, names in enumerate(selection.lists_of_toolsets):
            toolsets = named_toolsets(names, toolsets, some_will_do=some_will_do or at > 0)
        if selection.read_only:
            toolsets = only_reading(toolsets)
        chosen = [
            named_tools(names, toolsets, some_will_do=some_will_do or at > 0)
            for at, names in enumerate(selection.lists_of_tools)
        ]
        # Ignore the gateway tools here, because this step determines which tools they can call.
        if reaches := [{tool.original for tool in tools} for tools in chosen if tools]:
            reached = set.intersection(*reaches)
            toolsets = narrowed(toolsets, lambda tool: tool in reached)
        listed = self._listed(selection, chosen, toolsets)
        view = View(toolsets, listed, _scope(selection, grants), absent, self._vocabulary)
        view.opened = opened
        return view

    def _listed(
        self, selection: Selection, chosen: Sequence[Sequence[Tool]], toolsets: Sequence[Toolset]
    ) -> list[Tool]:
        reachable = tools_of(toolsets)
        if selection.is_open:
            listed = [tool for tool in reachable if tool in self._surface]
        elif selection.tools is None:
            listed = reachable
        else:
            listed = [form for tool in reachable for form in _forms(tool, chosen)]
        # Without reachable tools, the gateway tools would have nothing to call or explain.
        if reachable and (selection.is_open or selection.tools):
            listed = [*listed, *ways_of(toolsets, _names_of_ways(selection.lists_of_tools))]
        if selection.also_tools and not listed:
            raise Refusal(
                "The tool selections have no tool in common. Change them so that they share at least one tool."
            )
        return listed


def _names_of_ways(lists: Sequence[Names]) -> Collection[str] | None:
    """All names in the lists. Gateway tools are included only if every list contains them.

    None if there are no lists.
    """
    if not lists:
        return None
    in_all = set.intersection(*map(set, lists))
    return {name for name in chain(*lists) if name in in_all or name not in WAYS}


def _forms(tool: Tool, chosen: Sequence[Sequence[Tool]]) -> list[Tool]:
    """The names by which a tool is listed: its own name, or its aliases.

    An alias is listed if the caller selected the tool by this alias.
    """
    if not all(any(form.original is tool for form in tools) for tools in chosen):
        return []
    return list({form.name: form for form in chosen[0] if form.original is tool}.values())


def _scope(selection: Selection, grants: Grants) -> CacheScope:
    return "private" if selection.is_callers_own or grants.are_personal else "public"
