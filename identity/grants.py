"""What a caller may do: for each toolset how far, and for some tools otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

from clients.azure_devops.reach import EVERYTHING, NOTHING, Reach
from identity.access import Access


@dataclass(frozen=True, slots=True)
class Grants:
    """How far a caller may go in each toolset; one that is not named is not there. Equal grants see the same.

    `exceptions` are tools, each by its toolset and its own name, with which it is otherwise: further, or not as far.
    """

    levels: frozenset[tuple[str, Access]] | None
    # Whether others may see something else, so that what is listed is for this caller alone.
    are_personal: bool = True
    exceptions: frozenset[tuple[str, str, Access | None]] = frozenset()
    # Where some of what grants them reaches less than everything: what each opens by itself, and within which reach.
    shares: frozenset[tuple[Grants, Reach]] = frozenset()

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
        return dict(self.levels).get(toolset)

    def allow(self, toolset: str, tool: str, access: Access) -> bool:
        """Whether this tool, which needs this access, may be called."""
        otherwise = {(of, name): level for of, name, level in self.exceptions}
        level = otherwise.get((toolset, tool), self.level(toolset))
        return level is not None and access <= level

    def name(self, toolset: str, tool: str) -> bool:
        """Whether this very tool is opened, and not only its toolset."""
        return any((of, name) == (toolset, tool) and level is not None for of, name, level in self.exceptions)

    def reach(self, toolset: str, tool: str, access: Access) -> Reach:
        """How far a tool that may be called reaches: wherever one reaches by itself that opens it."""
        if not self.allow(toolset, tool, access):
            return NOTHING
        if not self.shares:
            return EVERYTHING
        return reduce(or_, (reach for own, reach in self.shares if own.allow(toolset, tool, access)), NOTHING)

    @property
    def are_unlimited(self) -> bool:
        return self.levels is None


NO_GRANTS: Final = Grants(frozenset())
UNLIMITED: Final = Grants(None, are_personal=False)
