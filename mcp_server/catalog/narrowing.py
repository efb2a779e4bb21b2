"""Selects toolsets and tools by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from identity.access import Access
from identity.grants import Grants
from identity.toolset_names import ALL, is_about, is_or_holds
from mcp_server.catalog.right_call import WAYS
from mcp_server.declarations.adaptation import AS_DECLARED, Adaptation
from mcp_server.declarations.names import Names
from mcp_server.declarations.outlined import OutlinedTool
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.wording import listing, nearest
from refusal import Refusal

# Names from callers are truncated to this length in messages. The names of all tools and toolsets are shorter.
_ECHOED: Final = 100


def tools_of(toolsets: Iterable[Toolset]) -> list[Tool]:
    return [tool for toolset in toolsets for tool in toolset.tools]


def narrowed(toolsets: Iterable[Toolset], is_kept: Callable[[Tool], bool]) -> list[Toolset]:
    """Keep the tools for which `is_kept` returns true.

    A toolset that loses all of its tools is removed, with its prompts and resources. A toolset that had no tools to
    begin with is kept.
    """
    return [
        toolset.narrowed(kept)
        for toolset in toolsets
        if (kept := list(filter(is_kept, toolset.tools))) or not toolset.tools
    ]


def granted(toolsets: Sequence[Toolset], grants: Grants) -> Sequence[Toolset]:
    toolsets = [_without_unnamed(toolset, grants) for toolset in toolsets]
    if grants.are_unlimited:
        return toolsets
    # Grants for individual tools do not include the prompts and resources of their toolset.
    opened = [toolset if grants.level(toolset.name) else toolset.with_tools_alone() for toolset in toolsets]
    there = [toolset for toolset in opened if toolset.tools or grants.level(toolset.name)]
    return narrowed(there, lambda tool: grants.allow(tool.toolset, tool.name, tool.access))


def _without_unnamed(toolset: Toolset, grants: Grants) -> Toolset:
    closed = {name for name in toolset.by_name_only if not grants.name(toolset.name, name)}
    return toolset.narrowed(tool for tool in toolset.tools if tool.name not in closed) if closed else toolset


def only_reading(toolsets: Sequence[Toolset]) -> Sequence[Toolset]:
    return narrowed(toolsets, lambda tool: tool.access is Access.READ)


def named_toolsets(
    names: Collection[str] | None, toolsets: Sequence[Toolset], *, some_will_do: bool = False
) -> Sequence[Toolset]:
    """Select the toolsets with these names. The name of a group, such as `devops`, selects all its toolsets."""
    if names is None:
        return toolsets
    matching = {name: [toolset.name for toolset in toolsets if is_or_holds(name, toolset.name)] for name in names}
    if unknown := _unknown(matching, some_will_do=some_will_do):
        valid = [toolset.name for toolset in toolsets]
        raise Refusal(f"Unknown toolset {unknown!r}.{nearest(unknown, valid)} Valid: {listing([ALL, *valid])}.")
    kept = {name for found in matching.values() for name in found}
    return [toolset for toolset in toolsets if toolset.name in kept]


def named_tools(names: Iterable[str], toolsets: Sequence[Toolset], *, some_will_do: bool = False) -> list[Tool]:
    """Find all tools with these names. For an alias, the result contains the alias and not the tool itself.

    Raises:
        Refusal: A name was not found; with `some_will_do`, none of the names was found.
    """
    known = Names(tools_of(toolsets))
    found = {name: known.named(name) for name in names if name not in WAYS}
    if unknown := _unknown(found, some_will_do=some_will_do):
        valid = [*WAYS, *known]
        raise Refusal(f"Unknown tool {unknown!r}.{nearest(unknown, valid)} Valid: {listing(valid)}.")
    return [tool for tools in found.values() for tool in tools]


def _unknown(found: Mapping[str, Collection[object]], *, some_will_do: bool) -> str:
    """The first name that was not found, if a missing name is an error. Empty otherwise.

    It is always an error if none of the names was found, because the caller would otherwise get all tools.
    """
    unknown = [name for name, matching in found.items() if not matching]
    is_told = unknown and (len(unknown) == len(found) or not some_will_do)
    return unknown[0][:_ECHOED] if is_told else ""


def without(toolsets: Sequence[Toolset], names: Collection[str]) -> Sequence[Toolset]:
    """Remove the tools and toolsets with these names. If several tools have the same name, all of them are removed."""
    for way, others in WAYS.items():
        if way in names:
            raise Refusal(
                f"You cannot remove {way!r} alone, because it gives access to {others}. Remove those tools instead."
            )
    if not names:
        return toolsets  # Return before importing the toolsets, because their dependencies might not be installed.
    known = Names(tools_of(toolsets))
    tools = {tool.original for name in names for tool in known.named(name)}
    denied = {toolset.name for toolset in named_toolsets([name for name in names if not known.named(name)], toolsets)}
    kept = [toolset for toolset in toolsets if toolset.name not in denied]
    return narrowed(kept, lambda tool: tool not in tools)


def confirmed(toolset: Toolset) -> Toolset:
    """Let models confirm, by repeating the code from the preview, that the user approved a destructive call."""
    return toolset.adapted(lambda tool: replace(tool, takes_confirm=tool.may_destroy))


def adapted(toolset: Toolset, adaptations: Iterable[Adaptation]) -> Toolset:
    """Add the parameters from the settings to all tools that accept additional parameters.

    The values of these parameters may be logged, because they are names.
    """
    for adaptation in adaptations:
        if adaptation is not AS_DECLARED:
            toolset = toolset.adapted(partial(_adapted, adaptation))
    return toolset


def _adapted(adaptation: Adaptation, tool: Tool) -> Tool:
    from mcp_server.declarations.function_tool import FunctionTool

    if not isinstance(tool, FunctionTool | OutlinedTool):
        return tool
    return replace(tool, adaptation=adaptation, harmless=(*tool.harmless, *adaptation.choices))


@dataclass(frozen=True, slots=True)
class Offer:
    """The toolsets and tools that an operator offers to all callers.

    The operator's selection also applies to toolsets that are added later.
    """

    chosen: tuple[str, ...] = (ALL,)
    denied: tuple[str, ...] = ()
    read_only: bool = False
    # Whether a model is allowed to state, in an argument, that the user approved a change.
    by_argument: bool = False

    def apart_from(self, external: Collection[str]) -> Offer:
        """A copy without these external toolsets and their tools, whose names are not known yet."""
        chosen, denied = (
            tuple(name for name in names if not is_about(name, external)) for names in (self.chosen, self.denied)
        )
        return replace(self, chosen=chosen, denied=denied)

    def of(self, toolsets: Sequence[Toolset]) -> Sequence[Toolset]:
        """Keep only those toolsets and tools that the operator offers.

        Unknown names are ignored, because they may belong to other toolsets.
        """
        if self.read_only:
            toolsets = only_reading(toolsets)
        if self.by_argument:
            toolsets = [confirmed(toolset) for toolset in toolsets]
        known = Names(tools_of(toolsets))
        denied = [name for name in self.denied if known.named(name)] + _about(self.denied, toolsets)
        toolsets = without(toolsets, denied)
        return named_toolsets(_about(self.chosen, toolsets), toolsets)


def _about(names: Iterable[str], toolsets: Sequence[Toolset]) -> list[str]:
    return [name for name in names if any(is_or_holds(name, toolset.name) for toolset in toolsets)]
