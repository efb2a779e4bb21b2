"""What a caller may do: for each toolset how far, and for some tools otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

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

    @property
    def are_unlimited(self) -> bool:
        return self.levels is None


UNLIMITED: Final = Grants(None, are_personal=False)
