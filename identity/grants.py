"""What a caller may do: the access level for each toolset, and other levels for individual tools."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Final

from clients.azure_devops.reach import EVERYTHING, NOTHING, DevOpsReach
from identity.access import Access
from identity.toolset_names import opened_as


@dataclass(frozen=True, slots=True)
class Grants:
    """The access level for each toolset. For the caller, toolsets without a level do not exist.

    `exceptions` lists, by toolset and name, the tools whose level differs from the level of their toolset. Callers with
    equal grants see the same tools.
    """

    levels: frozenset[tuple[str, Access]] | None
    # Whether other callers may have different grants. If true, callers must not share a cached list of tools.
    are_personal: bool = True
    exceptions: frozenset[tuple[str, str, Access | None]] = frozenset()
    # Pairs of a grant and the parts of Azure DevOps that this grant allows. There are no pairs if no grant is limited
    # to parts of Azure DevOps.
    shares: frozenset[tuple[Grants, DevOpsReach]] = frozenset()

    @classmethod
    def of(
        cls,
        levels: Iterable[tuple[str, Access]],
        exceptions: Iterable[tuple[str, str, Access | None]] = (),
        *,
        are_personal: bool = True,
    ) -> Grants:
        return cls(frozenset(levels), are_personal, frozenset(exceptions))

    def level(self, toolset: str) -> Access | None:
        if self.levels is None:
            return Access.DESTROY
        return dict(self.levels).get(opened_as(toolset))

    def allow(self, toolset: str, tool: str, access: Access) -> bool:
        """Whether the caller may call this tool, which requires the access level `access`."""
        level = self.of_tool(toolset, tool)
        return level is not None and access <= level

    def opens(self, toolset: str) -> bool:
        """Whether the caller may use the toolset or at least one of its tools."""
        levels = [self.level(toolset), *(level for of, _, level in self.exceptions if of == opened_as(toolset))]
        return any(level is not None for level in levels)

    def name(self, toolset: str, tool: str) -> bool:
        """Whether the grants name this tool itself, and not only its toolset."""
        return any(
            (of, name) == (opened_as(toolset), tool) and level is not None for of, name, level in self.exceptions
        )

    def reach(self, toolset: str, tool: str, access: Access) -> DevOpsReach:
        """The parts of Azure DevOps that a tool may access: the union of the parts in all grants of this tool."""
        if not self.allow(toolset, tool, access):
            return NOTHING
        if not self.shares:
            return EVERYTHING
        return reduce(or_, (reach for own, reach in self.shares if own.allow(toolset, tool, access)), NOTHING)

    def __and__(self, other: Grants) -> Grants:
        """The access that both `self` and `other` give, limited to the parts of Azure DevOps that both allow."""
        if self.levels is None or other.levels is None:
            return other if self.levels is None else self
        mine, others = dict(self.levels), dict(other.levels)
        levels = [(toolset, min(mine[toolset], others[toolset])) for toolset in mine.keys() & others.keys()]
        tools = {(toolset, name) for one in (self, other) for toolset, name, _ in one.exceptions}
        exceptions = [(*tool, _least(self.of_tool(*tool), other.of_tool(*tool))) for tool in tools]
        both = Grants.of(levels, exceptions)
        return replace(both, shares=self._shares_with(other)) if self.shares or other.shares else both

    def _shares_with(self, other: Grants) -> frozenset[tuple[Grants, DevOpsReach]]:
        pairs = ((one, another) for one in self._parts for another in other._parts)
        return frozenset((one[0] & another[0], one[1] & another[1]) for one, another in pairs)

    @property
    def _parts(self) -> frozenset[tuple[Grants, DevOpsReach]]:
        return self.shares or frozenset({(self, EVERYTHING)})

    def of_tool(self, toolset: str, tool: str) -> Access | None:
        """The access level of a tool: its own level if it has one, otherwise the level of its toolset."""
        otherwise = {(of, name): level for of, name, level in self.exceptions}
        return otherwise.get((opened_as(toolset), tool), self.level(toolset))

    @property
    def are_unlimited(self) -> bool:
        return self.levels is None


NO_GRANTS: Final = Grants(frozenset())


def _least(one: Access | None, another: Access | None) -> Access | None:
    return None if one is None or another is None else min(one, another)


UNLIMITED: Final = Grants(None, are_personal=False)
