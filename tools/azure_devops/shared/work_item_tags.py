"""Tags of work items, of which some come and some go while the rest stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from refusal import Refusal


@dataclass(frozen=True, slots=True)
class TagChange:
    added: Sequence[str] = ()
    removed: Sequence[str] = ()

    @classmethod
    def of(cls, added: Sequence[str] | None, removed: Sequence[str] | None, *, all_of_them: object) -> TagChange:
        """What is to come and to go.

        Raises:
            Refusal: A tag is none, or all tags are given as well.
        """
        change = cls(tuple(added or ()), tuple(removed or ()))
        if change and all_of_them is not None:
            raise Refusal("tags replaces all tags: pass either that, or addTags and removeTags. Nothing was changed.")
        if any(not one.strip() or set(one) & set(";,") for one in (*change.added, *change.removed)):
            raise Refusal("A tag is a text without ; and comma. Nothing was changed.")
        return change

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)

    def applied_to(self, text: str | None) -> str:
        """The tags of a work item as they would be, in their order."""
        there = {one.strip().casefold(): one.strip() for one in (text or "").split(";") if one.strip()}
        gone = {one.strip().casefold() for one in self.removed}
        left = {key: one for key, one in there.items() if key not in gone}
        more = {one.strip().casefold(): one.strip() for one in self.added}
        return "; ".join({**more, **left}[key] for key in dict.fromkeys([*left, *more]))


NO_TAGS: Final = TagChange()
