"""Shows which retirements affect resources that the caller can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby, islice
from typing import Annotated, Any, Final

from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from mcp_server.visit import Context
from retirements.announcements import last_day_of
from retirements.assessment import Assessment
from retirements.planned_work import NO_WORK, WORK_ITEMS, PlannedWork
from retirements.retiring import Affected, RetirementHere, Unassessed
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, answer, present
from tools.azure.shared.compact import shortened
from tools.retirements.looking import Look, look

part = Part()

Until = Annotated[str | None, Field(max_length=10, description="Such as 2027-03 or 2027-03-31; default: any date")]
Scope = Annotated[
    str | None, Field(max_length=300, description="Subscription or resource group, name or id; default: all")
]
_MOST_RESOURCES: Final = 10
_MOST_UNASSESSED: Final = 12
_MOST_WORK_ITEMS: Final = 10
_LONGEST_NAME: Final = 140
_NO_PROOF: Final = "Azure has no complete list of retirements: resources not listed here may retire, too."
_MORE: Final = "There are more results: raise max_results, or narrow `scope` or `until`."


@part.tool(Access.READ, harmless=("until", "scope"), seconds=90)
async def what_retires_here(
    context: Context,
    azure: Arm,
    until: Until = None,
    scope: Scope = None,
    max_results: Annotated[int, Field(ge=1, le=100, description="Limit")] = 20,
) -> Json:
    """List which of your resources a retirement affects, soonest first, with owner, date, action, certainty and reason.

    Combines Azure updates, resource settings, Advisor and Service Health. `workItems`: id and state of planned work.
    """
    found = await look(context, azure, scope, until)
    return retirements_answer(found, await _work_for(context, found), max_results)


async def _work_for(context: Context, found: Look) -> PlannedWork:
    """Return the planned work for these retirements, if the caller may read work items."""
    if WORK_ITEMS not in found.permitted.open or not found.assessment.retiring:
        return NO_WORK
    from tools.retirements.reading_work import planned_work  # noqa: PLC0415 - not everybody has Azure DevOps

    return await planned_work(context)


def retirements_answer(found: Look, work: PlannedWork, limit: int) -> Json:
    """Return the answer for the model."""
    assessment, shown = found.assessment, found.assessment.retiring[:limit]
    ids = shortened(({"resource": one.resource} for item in shown for one in item.affected.values()), "resource")
    beginning = ids.get("idsBeginWith", "")
    items = [_retiring(one, work.about(one), len(beginning)) for one in shown]
    unassessed = assessment.unassessed
    more = len(unassessed) - _MOST_UNASSESSED
    return answer(
        asked=found.inquiry.scope.called,
        count=len(shown),
        more=_MORE if len(assessment.retiring) > limit else None,
        failed=[f"{name}: {why}" for name, why in _failed(assessment, work).items()],
        notRead=[*assessment.partly, *([f"{WORK_ITEMS}: {work.partly}"] if work.partly else [])],
        **found.permitted.said,
        note=" ".join([*found.notes, _NO_PROOF]),
        idsBeginWith=beginning,
        workItemLinksBeginWith=work.link if any("workItems" in item for item in items) else None,
        items=items,
        notAssessed=[_unassessed(one) for one in unassessed[:_MOST_UNASSESSED]],
        moreNotAssessed=more if more > 0 else None,
    )


def _failed(assessment: Assessment, work: PlannedWork) -> Mapping[str, str]:
    return {**assessment.failed, **({WORK_ITEMS: work.failed} if work.failed else {})}


def _retiring(one: RetirementHere, work: Mapping[int, str], skipped: int) -> Json:
    by_owner = sorted(one.affected.values(), key=_group)
    return present(
        {
            "retires": one.name[:_LONGEST_NAME],
            "on": one.due,
            "past": _is_past(one.due) or None,
            "do": one.do,
            "but": one.but,
            "update": [each.update for each in one.announcements] or None,
            "matchedBy": one.matched_by,
            "announced": None if one.announcements else "No announcement found.",
            "workItems": {str(item): state for item, state in islice(work.items(), _MOST_WORK_ITEMS)},
            "moreWorkItems": max(len(work) - _MOST_WORK_ITEMS, 0) or None,
            "affects": [_affected(list(found), skipped) for _, found in groupby(by_owner, _group)],
        }
    )


def _group(one: Affected) -> tuple[Any, ...]:
    return one.owner, one.confidence.rank, one.why, one.sources


def _affected(several: Sequence[Affected], skipped: int) -> Json:
    first, ids = several[0], sorted(one.resource[skipped:] for one in several)
    return present(
        {
            "owner": first.owner or "no owner tag",
            "confidence": first.confidence.value,
            "why": first.why,
            "source": list(first.sources),
            "resources": ids[:_MOST_RESOURCES],
            "moreResources": max(len(ids) - _MOST_RESOURCES, 0) or None,
        }
    )


def _unassessed(one: Unassessed) -> Json:
    concerned: Mapping[str, int] = dict(one.may_concern)
    return present(
        {
            "retires": one.name[:_LONGEST_NAME],
            "on": one.due,
            "update": one.update,
            "why": one.why,
            "mayConcern": concerned,
            "do": one.do if concerned else None,
        }
    )


def _is_past(due: str) -> bool:
    return bool(due) and last_day_of(due) < datetime.now(UTC).date().isoformat()
