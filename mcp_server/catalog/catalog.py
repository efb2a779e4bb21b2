"""All tools this server has, and the view of them that a caller's choices leave."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from identity.access import Access
from identity.grants import UNLIMITED, Grants
from mcp_server.catalog.learn import LEARN, learn_tool
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.view import NOTHING_ABSENT, CacheScope, View, why_absent
from mcp_server.wording import listing, nearest
from refusal import Refusal

ALL = "all"
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
    """The toolsets offered, and the surface: the few tools listed to callers who chose none."""

    def __init__(
        self, toolsets: Sequence[Toolset], surface: Collection[str], absent: Mapping[str, str] = NOTHING_ABSENT
    ) -> None:
        """`absent` says of toolsets that are not offered, or of groups of them, what they lack."""
        self.toolsets = tuple(toolsets)
        self._absent = absent
        self._surface = frozenset(surface)
        self._tools = {tool.name: tool for toolset in toolsets for tool in toolset.tools}
        self.view = lru_cache(maxsize=_VIEWS_KEPT)(self._view)

    def schema_with_headers(self, name: str) -> Mapping[str, Any] | None:
        """The schema that tells which arguments a client has to repeat in headers, if it has to repeat any."""
        tool = self._tools.get(name)
        return tool.input_schema if tool and tool.takes_headers else None

    @property
    def has_tools(self) -> bool:
        return bool(self._tools)

    def tool(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def _view(self, selection: Selection, grants: Grants = UNLIMITED) -> View:
        """Build what the grants and the selection leave.

        Raises:
            Refusal: It names a toolset or a tool that is not there.
        """
        for name in (*(selection.path or ()), *(selection.toolsets or ())):
            if lacking := why_absent(name, self._absent):
                raise Refusal(f"There is no toolset {name!r} here: {lacking}")
        toolsets = _named_toolsets(selection.path, self.toolsets, grants)
        toolsets = _named_toolsets(selection.toolsets, toolsets, grants)
        if selection.read_only:
            toolsets = _narrowed(toolsets, lambda tool: tool.access is Access.READ)
        named = _named_tools(selection.tools, toolsets, grants)
        if others := named - {LEARN}:
            toolsets = _narrowed(toolsets, lambda tool: tool.name in others)
        toolsets = _granted(toolsets, grants)
        reachable = [tool for toolset in toolsets for tool in toolset.tools]
        if selection.is_open:
            listed = [tool for tool in reachable if tool.name in self._surface]
        else:
            listed = [] if named == {LEARN} else reachable
        if reachable and (selection.is_open or LEARN in named):
            listed = [*listed, learn_tool(toolsets)]
        return View(toolsets, listed, _scope(selection, grants), self._absent)


def without(toolsets: Sequence[Toolset], names: Collection[str]) -> Sequence[Toolset]:
    """Leave out the tools and toolsets of these names.

    Raises:
        Refusal: There are none of such a name.
    """
    if LEARN in names:
        raise Refusal(f"{LEARN!r} is the way to all other tools, and cannot be left out by itself: name those.")
    known = {tool.name for toolset in toolsets for tool in toolset.tools}
    denied = {toolset.name for toolset in _named_toolsets([name for name in names if name not in known], toolsets)}
    kept = [toolset for toolset in toolsets if toolset.name not in denied]
    return _narrowed(kept, lambda tool: tool.name not in names)


def unasked(toolsets: Sequence[Toolset], names: Collection[str]) -> Sequence[Toolset]:
    """Let the tools of the toolsets of these names destroy without asking.

    Raises:
        Refusal: There are none of such a name.
    """
    waived = {toolset.name for toolset in _named_toolsets(names, toolsets)}
    return [
        toolset.narrowed(replace(tool, confirm=None) for tool in toolset.tools) if toolset.name in waived else toolset
        for toolset in toolsets
    ]


def _scope(selection: Selection, grants: Grants) -> CacheScope:
    return "private" if selection.is_callers_own or grants.are_personal else "public"


def _granted(toolsets: Sequence[Toolset], grants: Grants) -> Sequence[Toolset]:
    if grants.are_unlimited:
        return toolsets
    opened = [toolset for toolset in toolsets if grants.level(toolset.name)]
    return _narrowed(opened, lambda tool: grants.allow(tool.toolset, tool.access))


def _named_toolsets(
    names: Iterable[str] | None, toolsets: Sequence[Toolset], grants: Grants = UNLIMITED
) -> Sequence[Toolset]:
    """Keep the toolsets named. A name also stands for its group: `devops` for `devops-boards` and all the others.

    Names that are wrong are answered with those that are granted.
    """
    if names is None:
        return toolsets
    kept: set[str] = set()
    for name in names:
        matching = {toolset.name for toolset in toolsets if _is_or_holds(name, toolset.name)}
        if not matching:
            valid = [toolset.name for toolset in _granted(toolsets, grants)]
            raise Refusal(f"Unknown toolset {name!r}.{nearest(name, valid)} Valid: {listing([ALL, *valid])}.")
        kept |= matching
    return [toolset for toolset in toolsets if toolset.name in kept]


def _is_or_holds(name: str, toolset: str) -> bool:
    return name in (ALL, toolset) or toolset.startswith(f"{name}-")


def _named_tools(names: Iterable[str] | None, toolsets: Sequence[Toolset], grants: Grants) -> frozenset[str]:
    known = {LEARN, *(tool.name for toolset in toolsets for tool in toolset.tools)}
    for name in names or ():
        if name not in known:
            valid = [LEARN, *(tool.name for toolset in _granted(toolsets, grants) for tool in toolset.tools)]
            raise Refusal(f"Unknown tool {name!r}.{nearest(name, valid)} Valid: {listing(valid)}.")
    return frozenset(names or ())


def _narrowed(toolsets: Iterable[Toolset], is_kept: Callable[[Tool], bool]) -> list[Toolset]:
    """Keep some tools. A toolset that loses all of them goes with its prompts and resources; one without any stays."""
    return [
        toolset.narrowed(kept)
        for toolset in toolsets
        if (kept := list(filter(is_kept, toolset.tools))) or not toolset.tools
    ]
