"""Which work items were planned for a retirement, and how far they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from retirements.item_text import mark_in
from retirements.retiring import RetirementHere

WORK_ITEMS: Final = "Work items"
# What of a work item has to be read for it.
DESCRIPTION: Final = "System.Description"
STATE: Final = "System.State"
_LONGEST_STATE: Final = 40


@dataclass(frozen=True, slots=True)
class PlannedWork:
    """States by the ids of work items, by the key of the retirement; an id after `link` is the address of its page.

    `failed` says why none were read, and `partly` what is missing.
    """

    by_key: Mapping[str, Mapping[int, str]]
    link: str = ""
    failed: str = ""
    partly: str = ""

    @classmethod
    def of(cls, items: Iterable[Mapping[str, Any]], link: str, partly: str = "") -> Self:
        """Of work items as Azure DevOps gives them, in their order. One without a mark is somebody's own."""
        by_key: dict[str, dict[int, str]] = {}
        for item in items:
            if mark := mark_in(str(item["fields"].get(DESCRIPTION) or "")):
                state = str(item["fields"].get(STATE) or "")[:_LONGEST_STATE]
                by_key.setdefault(mark.key, {})[int(item["id"])] = state
        return cls(by_key, link, partly=partly)

    def about(self, retirement: RetirementHere) -> dict[int, str]:
        found: dict[int, str] = {}
        for key in sorted(retirement.keys & self.by_key.keys()):
            found |= self.by_key[key]
        return found


NO_WORK: Final = PlannedWork({})
