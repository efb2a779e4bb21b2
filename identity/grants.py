"""What a caller may do: for each toolset, how far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from identity.access import Access


@dataclass(frozen=True, slots=True)
class Grants:
    """How far a caller may go in each toolset; one that is not named is not there. Equal grants see the same."""

    levels: frozenset[tuple[str, Access]] | None
    # Whether others may see something else, so that what is listed is for this caller alone.
    are_personal: bool = True

    @classmethod
    def of(cls, levels: Iterable[tuple[str, Access]], *, are_personal: bool = True) -> Grants:
        return cls(frozenset(levels), are_personal)

    def level(self, toolset: str) -> Access | None:
        if self.levels is None:
            return Access.DESTROY
        return dict(self.levels).get(toolset)

    def allow(self, toolset: str, access: Access) -> bool:
        level = self.level(toolset)
        return level is not None and access <= level

    @property
    def are_unlimited(self) -> bool:
        return self.levels is None


UNLIMITED: Final = Grants(None, are_personal=False)
