"""Narrowing toolsets to those, and to the tools, that are named."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from identity.access import Access
from identity.grants import UNLIMITED, Grants
from identity.toolset_names import ALL, is_about, is_or_holds
from mcp_server.catalog.learn import LEARN
from mcp_server.declarations.names import Names
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.wording import listing, nearest
from refusal import Refusal


def tools_of(toolsets: Iterable[Toolset]) -> list[Tool]:
    return [tool for toolset in toolsets for tool in toolset.tools]


def narrowed(toolsets: Iterable[Toolset], is_kept: Callable[[Tool], bool]) -> list[Toolset]:
    """Keep some tools. A toolset that loses all of them goes with its prompts and resources; one without any stays."""
    return [
        toolset.narrowed(kept)
        for toolset in toolsets
        if (kept := list(filter(is_kept, toolset.tools))) or not toolset.tools
    ]


def granted(toolsets: Sequence[Toolset], grants: Grants) -> Sequence[Toolset]:
    if grants.are_unlimited:
        return toolsets
    opened = [toolset for toolset in toolsets if grants.level(toolset.name)]
    return narrowed(opened, lambda tool: grants.allow(tool.toolset, tool.access))


def only_reading(toolsets: Sequence[Toolset]) -> Sequence[Toolset]:
    return narrowed(toolsets, lambda tool: tool.access is Access.READ)


def named_toolsets(
    names: Iterable[str] | None, toolsets: Sequence[Toolset], grants: Grants = UNLIMITED
) -> Sequence[Toolset]:
    """Keep the toolsets named. A name also stands for its group: `devops` for `devops-boards` and all the others.

    Names that are wrong are answered with those that are granted.
    """
    if names is None:
        return toolsets
    kept: set[str] = set()
    for name in names:
        matching = {toolset.name for toolset in toolsets if is_or_holds(name, toolset.name)}
        if not matching:
            valid = [toolset.name for toolset in granted(toolsets, grants)]
            raise Refusal(f"Unknown toolset {name!r}.{nearest(name, valid)} Valid: {listing([ALL, *valid])}.")
        kept |= matching
    return [toolset for toolset in toolsets if toolset.name in kept]


def named_tools(names: Iterable[str], toolsets: Sequence[Toolset], grants: Grants) -> list[Tool]:
    """The tools of these names, each in the form that it has under the name; a name may mean several."""
    known = Names(tools_of(toolsets))
    found: list[Tool] = []
    for name in names:
        tools = known.named(name)
        if not tools and name != LEARN:
            valid = [LEARN, *Names(tools_of(granted(toolsets, grants)))]
            raise Refusal(f"Unknown tool {name!r}.{nearest(name, valid)} Valid: {listing(valid)}.")
        found += tools
    return found


def without(toolsets: Sequence[Toolset], names: Collection[str]) -> Sequence[Toolset]:
    """Leave out the tools and toolsets of these names, and all tools of a name that several have.

    Raises:
        Refusal: There are none of such a name.
    """
    if LEARN in names:
        raise Refusal(f"{LEARN!r} is the way to all other tools, and cannot be left out by itself: name those.")
    known = Names(tools_of(toolsets))
    tools = {tool.original for name in names for tool in known.named(name)}
    denied = {toolset.name for toolset in named_toolsets([name for name in names if not known.named(name)], toolsets)}
    kept = [toolset for toolset in toolsets if toolset.name not in denied]
    return narrowed(kept, lambda tool: tool not in tools)


def unasked(toolsets: Sequence[Toolset], names: Collection[str]) -> Sequence[Toolset]:
    """Let the tools of the toolsets of these names destroy without asking.

    Raises:
        Refusal: There are none of such a name.
    """
    waived = {toolset.name for toolset in named_toolsets(names, toolsets)}
    return [
        toolset.narrowed(replace(tool, confirm=None) for tool in toolset.tools) if toolset.name in waived else toolset
        for toolset in toolsets
    ]


@dataclass(frozen=True, slots=True)
class Offer:
    """What an operator offers to everybody, said before all toolsets are known: some come and go while it runs."""

    chosen: tuple[str, ...] = (ALL,)
    denied: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()
    read_only: bool = False

    def apart_from(self, external: Collection[str]) -> Offer:
        """What it says of others than these, of which nobody can know yet whether they have what it names."""
        chosen, denied, waived = (
            tuple(name for name in names if not is_about(name, external))
            for names in (self.chosen, self.denied, self.waived)
        )
        return Offer(chosen, denied, waived, self.read_only)

    def of(self, toolsets: Sequence[Toolset]) -> Sequence[Toolset]:
        """What is left of these toolsets. A name that means none of them is about others."""
        if self.read_only:
            toolsets = only_reading(toolsets)
        toolsets = unasked(toolsets, _about(self.waived, toolsets))
        known = Names(tools_of(toolsets))
        denied = [name for name in self.denied if known.named(name)] + _about(self.denied, toolsets)
        toolsets = without(toolsets, denied)
        return named_toolsets(_about(self.chosen, toolsets), toolsets)


def _about(names: Iterable[str], toolsets: Sequence[Toolset]) -> list[str]:
    return [name for name in names if any(is_or_holds(name, toolset.name) for toolset in toolsets)]
