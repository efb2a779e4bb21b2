"""Reads the planned work items of retirements, with their states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from retirements.item_text import mark_in
from retirements.retiring import RetirementHere

WORK_ITEMS: Final = "Work items"
# The fields of a work item to read.
DESCRIPTION: Final = "System.Description"
STATE: Final = "System.State"
_LONGEST_STATE: Final = 40


@dataclass(frozen=True, slots=True)
class PlannedWork:
    """The planned work items: for each retirement key, the ids and states of its work items.

    If an ID is appended to `link`, the result is the URL of the work item. `failed` is the reason why no work items
    were read, and `partly` describes missing work items.
    """

    by_key: Mapping[str, Mapping[int, str]]
    link: str = ""
    failed: str = ""
    partly: str = ""

    @classmethod
    def of(cls, items: Iterable[Mapping[str, Any]], link: str, partly: str = "") -> Self:
        """Group work items by retirement key, in the order in which Azure DevOps returns them. Work items without a
        mark are ignored.
        """
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
