"""All tools this server has, and the view of them that a caller's choices leave."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from identity.grants import UNLIMITED, Grants
from mcp_server.catalog.learn import ways_of
from mcp_server.catalog.narrowing import granted, named_tools, named_toolsets, narrowed, only_reading, tools_of
from mcp_server.catalog.telling_apart import refuse_alike
from mcp_server.declarations.names import Names, command_of, folded
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.declarations.vocabulary import NO_WORDS, Vocabulary
from mcp_server.view import NOTHING_ABSENT, CacheScope, View, why_absent
from refusal import Refusal

# Callers decide which selections there are, and may send ever new ones.
_VIEWS_KEPT = 32


@dataclass(frozen=True, slots=True)
class Selection:
    """What a caller chose. A part that is None chooses nothing, and each part only narrows what can be reached."""

    path: tuple[str, ...] | None = None
    toolsets: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    read_only: bool = False

    @property
    def is_open(self) -> bool:
        return self.path is None and self.toolsets is None and self.tools is None

    @property
    def is_callers_own(self) -> bool:
        """Whether two callers of the same address may see different things."""
        return self.toolsets is not None or self.tools is not None or self.read_only


class Catalog:
    """The toolsets offered, and the surface: the few tools listed to callers who chose none. It never changes."""

    def __init__(
        self,
        toolsets: Sequence[Toolset],
        surface: Collection[str],
        absent: Mapping[str, str] = NOTHING_ABSENT,
        external: Sequence[Toolset] = (),
        vocabulary: Vocabulary = NO_WORDS,
    ) -> None:
        """`absent` says of toolsets that are not offered, or of groups of them, what they lack.

        `vocabulary` is what people call what the tools are about.

        Raises:
            Refusal: Its tools cannot be told apart by their names.
        """
        self.toolsets = (*toolsets, *external)
        refuse_alike(self.toolsets)
        self._absent = absent
        self._vocabulary = vocabulary
        # Tools and not names: a tool from outside cannot come to the surface by being called as one that is there.
        self._surface = {tool for tool in tools_of(toolsets) if tool.name in surface}
        self._names = Names(tools_of(self.toolsets))
        self._by_name = {folded(toolset.name): toolset for toolset in self.toolsets}
        # Views belong to their catalog, and with them their ready answers: what takes the place of this catalog begins
        # without any, so that nothing has to be found out about what became stale.
        self.view = lru_cache(maxsize=_VIEWS_KEPT)(self._view)

    def with_external(self, toolsets: Sequence[Toolset]) -> Catalog:
        """The catalog that has these toolsets from outside besides.

        Raises:
            Refusal: Their tools cannot be told apart from those that are there.
        """
        return Catalog(self.toolsets, {tool.name for tool in self._surface}, self._absent, toolsets, self._vocabulary)

    @property
    def has_tools(self) -> bool:
        return any(toolset.tools for toolset in self.toolsets)

    def named(self, name: str) -> list[Tool]:
        """The tools that a direct call of this name may mean; which one it does, a view tells."""
        return self._names.named(name)

    def command(self, toolset: str, name: str) -> Tool | None:
        found = self._by_name.get(folded(toolset))
        return command_of(found, name) if found else None

    def _view(self, selection: Selection, grants: Grants = UNLIMITED) -> View:
        """Build what the grants and the selection leave.

        The order counts. The grants narrow first, so that nothing which follows can tell what is not granted from what
        is not there. Of names that several people share, some may be closed to one of them: these are left out.

        Raises:
            Refusal: It names a toolset or a tool that is not there.
        """
        for name in (*(selection.path or ()), *(selection.toolsets or ())):
            # A toolset may be there whose name begins as that of another one which is not.
            if folded(name) not in self._by_name and (lacking := why_absent(name, self._absent)):
                raise Refusal(f"There is no toolset {name!r} here: {lacking}")
        toolsets, some_will_do = granted(self.toolsets, grants), not grants.are_unlimited
        opened = toolsets
        if not toolsets:
            return View((), (), _scope(selection, grants), self._absent)
        toolsets = named_toolsets(selection.path, toolsets, some_will_do=some_will_do)
        toolsets = named_toolsets(selection.toolsets, toolsets, some_will_do=some_will_do)
        if selection.read_only:
            toolsets = only_reading(toolsets)
        chosen = named_tools(selection.tools or (), toolsets, some_will_do=some_will_do)
        if chosen:
            # Of the two that reach others, neither chooses what is reached.
            reached = {tool.original for tool in chosen}
            toolsets = narrowed(toolsets, lambda tool: tool in reached)
        listed = self._listed(selection, chosen, toolsets)
        view = View(toolsets, listed, _scope(selection, grants), self._absent, self._vocabulary)
        view.opened = opened
        return view

    def _listed(self, selection: Selection, chosen: Sequence[Tool], toolsets: Sequence[Toolset]) -> list[Tool]:
        reachable = tools_of(toolsets)
        if selection.is_open:
            listed = [tool for tool in reachable if tool in self._surface]
        elif selection.tools is None:
            listed = reachable
        else:
            listed = [form for tool in reachable for form in _forms(tool, chosen)]
        # Where all is narrowed away there is nothing to learn, either.
        if reachable and (selection.is_open or selection.tools):
            listed = [*listed, *ways_of(toolsets, selection.tools)]
        return listed


def _forms(tool: Tool, chosen: Sequence[Tool]) -> list[Tool]:
    """The forms in which this tool was chosen, each once: a further name is listed where it was chosen by name."""
    return list({form.name: form for form in chosen if form.original is tool}.values())


def _scope(selection: Selection, grants: Grants) -> CacheScope:
    return "private" if selection.is_callers_own or grants.are_personal else "public"
