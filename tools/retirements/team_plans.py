"""Plans changes to a team's work items, for a caller or for the daily job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from refusal import Refusal
from retirements.assessment import Assessment, RetirementInquiry
from retirements.planning import Fate, KnownItem, PlannedItem, RetirementPlan, missing_from, wanted_of
from tools.retirements.fates import fates_of
from tools.retirements.work_items import RetirementBoard
from updates.searching.index import UpdatesIndex

MOST: Final = 100


@dataclass(frozen=True, slots=True)
class TeamPlan:
    """The first `MOST` planned changes. `more` counts the rest."""

    items: Sequence[PlannedItem]
    more: int = 0


async def team_plan(
    board: RetirementBoard, inquiry: RetirementInquiry, found: Assessment, index: UpdatesIndex | None
) -> TeamPlan:
    """Plan the changes by comparing retirements with the existing work items."""
    known = await board.known()
    wanted = wanted_of(found.retiring)
    fates = await fates_of(inquiry.azure, inquiry.scope, missing_from(wanted, known))
    looked_at = frozenset(_looked_at(inquiry, found, known))
    plan = RetirementPlan(wanted, known, looked_at, _believed(fates, found), _withdrawn(known, index)).items
    return TeamPlan(plan[:MOST], max(len(plan) - MOST, 0))


def _looked_at(inquiry: RetirementInquiry, found: Assessment, known: Iterable[KnownItem]) -> Iterable[str]:
    """Yield the keys of the retirements that were checked. If a checked retirement is missing from the findings, the
    retirement affects no resource.
    """
    yield from (one.update for one in inquiry.asked)
    # Also include retirements that no update announces: only Advisor or Service Health reports them.
    yield from (one.mark.key for one in known if one.mark.key.startswith("advised-") and found.is_whole)


def _believed(fates: Mapping[str, Fate], found: Assessment) -> Mapping[str, Fate]:
    """If a source did not answer, resources that are no longer found count as unchecked."""
    if found.is_whole:
        return fates
    return {key: Fate.UNSEEN if fate is Fate.FIXED else fate for key, fate in fates.items()}


def _withdrawn(known: Iterable[KnownItem], index: UpdatesIndex | None) -> frozenset[str]:
    return frozenset(one.mark.key for one in known if index and _is_withdrawn(index, one.mark.key))


def _is_withdrawn(index: UpdatesIndex, update: str) -> bool:
    try:
        return index.find(update).withdrawn is not None
    except Refusal:  # the key is not the id of an update
        return False
