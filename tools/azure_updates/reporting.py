"""Creates the retirement report: upcoming retirements, the caller's affected resources, planned work and recent
changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from mcp_server.declarations.tool import Tool
from mcp_server.view import why_absent
from mcp_server.visit import Context
from refusal import Refusal
from retirements.planned_work import WORK_ITEMS
from shifts import SHIFTS
from updates.showing.report.contents import (
    AffectedResources,
    RecentChange,
    ReportedRetirement,
    ReportedWork,
    RetirementReport,
    report_of,
)

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex
    from updates.searching.search import UpdateSearch

# The tool that finds affected resources. The report includes affected resources only for callers who may call this
# tool.
_TOOLSET, _TOOL = "retirements", "what_retires_here"
_MOST_AFFECTING: Final = 100
_TOLD: Final = 10
_NOT_ASKED: Final = "Affected resources were not requested."


async def report_for(
    context: Context, index: UpdatesIndex, search: UpdateSearch, months: int, *, resources: bool
) -> RetirementReport:
    """Create the report of the updates that match a search."""
    today = datetime.now(UTC).date()
    report = report_of(index, search, today, months)
    if not resources:
        return replace(report, why_unknown=_NOT_ASKED)
    answer = await _affected(context, report.last)
    return replace(report, why_unknown=answer) if isinstance(answer, str) else _with_affected(report, answer)


def _with_affected(report: RetirementReport, answer: Mapping[str, Any]) -> RetirementReport:
    work_unread = [one for one in _unread_in(answer) if one.startswith(WORK_ITEMS)]
    unread = [one for one in _unread_in(answer) if one not in work_unread]
    return replace(report, affected=list(affected_in(answer)), unread=unread, work_unread=work_unread)


async def pdf_in_shifts(report: RetirementReport, notice: str) -> bytes:
    """Render the report as a PDF in a thread, so that other requests continue."""
    import asyncio  # noqa: PLC0415 - with what follows, only where a PDF is made

    from updates.showing.report.retirement_report import pdf_of  # noqa: PLC0415

    return await asyncio.to_thread(SHIFTS.do, pdf_of, report, notice)


def report_answer(report: RetirementReport) -> dict[str, Any]:
    """Return the report for the model: the soonest retirements in detail, and the counts for all retirements."""
    unread = [*report.unread, *report.work_unread]
    return {
        "until": report.last,
        "retiring": len(report.retirements),
        "perMonth": {month: report.counts[month] for month in report.months if month in report.counts},
        "soonest": [{**_update(one), "on": str(one.day or one.month)} for one in report.retirements[:_TOLD]],
        "changedLately": [{**_update(one), "seen": one.seen, "what": one.what} for one in report.changes[:_TOLD]],
        "announcedIn30Days": len(report.announced),
        **_about_affected(report),
        **({"notRead": unread} if unread else {}),
    }


def _update(one: ReportedRetirement | RecentChange) -> dict[str, str]:
    return {"id": one.update.id, "title": one.update.title}


def _about_affected(report: RetirementReport) -> dict[str, Any]:
    if report.affected is None:
        return {"affectedUnknown": report.why_unknown}
    return {"affected": [_shown(one) for one in report.affected[:_TOLD]]}


def _shown(one: AffectedResources) -> dict[str, Any]:
    work = {each.number: each.state for each in one.work_items}
    shown = {"retires": one.name, "on": one.due, "resources": one.count, "owners": list(one.owners)}
    return {**shown, **({"workItems": work} if work else {})}


async def _affected(context: Context, until: str) -> Mapping[str, Any] | str:
    """Return the answer from the tool that finds affected resources, or the reason why there is no answer."""
    tool = _tool_of(context)
    if tool is None:
        lacking = why_absent(_TOOLSET, context.visit.view.absent)
        return lacking or f"Your roles do not allow {_TOOL}, which finds affected resources."
    try:
        given: Mapping[str, Any] = await tool.run(tool.check({"until": until, "max_results": _MOST_AFFECTING}), context)
    except Refusal as refusal:
        return str(refusal)
    return given


def _tool_of(context: Context) -> Tool | None:
    opened = (toolset for toolset in context.visit.view.opened if toolset.name == _TOOLSET)
    return next((tool for toolset in opened for tool in toolset.tools if tool.name == _TOOL), None)


def affected_in(answer: Mapping[str, Any]) -> Iterator[AffectedResources]:
    """Yield the affected resources in the tool's answer. In the answer, the common prefix of all IDs occurs only
    once.
    """
    beginning, link = answer.get("idsBeginWith", ""), answer.get("workItemLinksBeginWith", "")
    for item in islice(answer.get("items", ()), _MOST_AFFECTING):
        groups = item.get("affects", ())
        yield AffectedResources(
            item["retires"],
            item.get("on") or "",
            item.get("do") or "",
            [_named(f"{beginning}{resource}") for group in groups for resource in group["resources"]],
            sorted({group["owner"] for group in groups if group.get("owner")}),
            [ReportedWork(number, state, f"{link}{number}") for number, state in item.get("workItems", {}).items()],
            sum(group.get("moreResources", 0) for group in groups),
            item.get("moreWorkItems", 0),
        )


def _unread_in(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield notes on what is missing from the tool's answer, with reasons."""
    if "more" in answer:
        yield f"Only the {_MOST_AFFECTING} soonest retirements are listed."
    yield from answer.get("failed", ())
    yield from answer.get("notRead", ())
    yield from answer.get("notConfigured", ())
    yield from (f"{source}: your roles do not allow this source." for source in answer.get("notGranted", ()))


def _named(resource: str) -> str:
    """Return the name of a resource with the name of its resource group, because people search by these names."""
    parts = resource.strip("/").split("/")
    lower = [part.casefold() for part in parts]
    group = parts[lower.index("resourcegroups") + 1] if "resourcegroups" in lower[:-1] else ""
    return f"{parts[-1]} in {group}" if group and len(parts) > 4 else resource
