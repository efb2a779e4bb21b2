"""Adds and removes tags of work items. Other tags stay."""

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
        """Parse the tags to add and remove.

        Raises:
            Refusal: A tag is invalid, or the call also sets `tags`.
        """
        change = cls(tuple(added or ()), tuple(removed or ()))
        if change and all_of_them is not None:
            raise Refusal(
                "`tags` replaces all tags: pass either `tags`, or `addTags` and `removeTags`. Nothing was changed."
            )
        if any(not one.strip() or set(one) & set(";,") for one in (*change.added, *change.removed)):
            raise Refusal("A tag cannot be empty or contain a semicolon or comma. Nothing was changed.")
        return change

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)

    def applied_to(self, text: str | None) -> str:
        """Return the tags of a work item after the change: tags that stay, then new tags."""
        there = {one.strip().casefold(): one.strip() for one in (text or "").split(";") if one.strip()}
        gone = {one.strip().casefold() for one in self.removed}
        left = {key: one for key, one in there.items() if key not in gone}
        more = {one.strip().casefold(): one.strip() for one in self.added}
        return "; ".join({**more, **left}[key] for key in dict.fromkeys([*left, *more]))


NO_TAGS: Final = TagChange()
