"""Writes the retirement report as a PDF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from updates.record import MONTHS
from updates.showing.report.contents import AffectedResources, RetirementReport
from updates.showing.report.sheets import BAD, BAR, EDGE, INNER, LINK, MARGIN, SMALL, SOFT, TEXT, Sheets, Style

MEDIA_TYPE: Final = "application/pdf"
_TITLE: Final = Style(20, is_bold=True)
_HEADING: Final = Style(13, is_bold=True)
_MONTH: Final = Style(10, is_bold=True)
_LINKED: Final = replace(TEXT, color=LINK)
_LINKED_SMALL: Final = replace(SMALL, color=LINK)
_FIGURE: Final = Style(18, is_bold=True)
_WARNING: Final = Style(15, is_bold=True, color=BAD)
_CHART: Final = 92.0
_DAYS: Final = 46.0
_MOST_LISTED: Final = 250
_MOST_RESOURCES: Final = 8
_MOST_STATES: Final = 12
_MOST_GAPS: Final = 12
_SOON: Final = 3
_MADE_UP: Final = "Demo: all updates in this report are made up."


def pdf_of(report: RetirementReport, notice: str = "") -> bytes:
    sheets = Sheets("Azure retirements", f"Azure retirements, {_day(report)}")
    _head(sheets, report, notice)
    _figures(sheets, report)
    _chart(sheets, report)
    _affected(sheets, report)
    _done(sheets, report)
    _changed(sheets, report)
    _list(sheets, report)
    return sheets.content


def _head(sheets: Sheets, report: RetirementReport, notice: str) -> None:
    sheets.paragraph("Azure retirements", _TITLE)
    sheets.paragraph(
        f"{_named(report.months[0])} to {_named(report.last)}, as of {_day(report)}", replace(TEXT, color=SOFT)
    )
    for words in filter(None, (_MADE_UP if report.is_sample else "", notice)):
        sheets.gap(8)
        sheets.paragraph(words, _WARNING if words == _MADE_UP else _MONTH)


def _figures(sheets: Sheets, report: RetirementReport) -> None:
    affected = "?" if report.affected is None else str(sum(one.count for one in report.affected))
    figures = (
        (str(report.within(_SOON + 1)), "retire within 3 months"),
        (str(len(report.retirements)), f"retire by {_named(report.last)}"),
        (str(len(report.announced)), "announced in 30 days"),
        (affected, "of your resources affected"),
    )
    sheets.gap(34)
    for place, (number, words) in enumerate(figures):
        x = MARGIN + place * INNER / len(figures)
        sheets.at(x, sheets.y, number, _FIGURE)
        sheets.at(x, sheets.y - 13, words, SMALL)
    sheets.gap(28)


def _chart(sheets: Sheets, report: RetirementReport) -> None:
    """Draw one bar for each month, with the number of retirements as its label."""
    most = max(report.counts.values(), default=0) or 1
    step = INNER / len(report.months)
    sheets.gap(_CHART + 8)
    for place, month in enumerate(report.months):
        count, x = report.counts.get(month, 0), MARGIN + place * step
        height = (_CHART - 14) * count / most
        sheets.bar(x + 3, sheets.y, step - 6, height, BAR)
        if count:
            sheets.centered(x + step / 2, sheets.y + height + 4, str(count), replace(SMALL, is_bold=True))
        name = f"{MONTHS[int(month[5:]) - 1][:3]}"
        sheets.centered(x + step / 2, sheets.y - 11, name, SMALL)
        if place == 0 or month.endswith("-01"):
            sheets.centered(x + step / 2, sheets.y - 21, month[:4], SMALL)
    sheets.bar(MARGIN, sheets.y - 0.3, INNER, 0.6, EDGE)
    sheets.gap(28)


def _affected(sheets: Sheets, report: RetirementReport) -> None:
    _section(sheets, "Affected resources")
    if report.affected is None:
        sheets.paragraph(report.why_unknown)
    elif not report.affected:
        sheets.paragraph("According to Azure and the announcements, no resource that you can see is affected.")
    for one in report.affected or ():
        _resources(sheets, one)
        _work(sheets, one)
    _gaps(sheets, report.unread)


def _resources(sheets: Sheets, one: AffectedResources) -> None:
    sheets.room(40)
    sheets.gap(5)
    sheets.paragraph(f"{one.due or 'No date'}   {one.name}", _MONTH, most=2)
    if one.advice:
        sheets.paragraph(one.advice, most=4)
    more = one.count - _MOST_RESOURCES
    _listed(sheets, [*one.resources[:_MOST_RESOURCES], *([f"and {more} more"] if more > 0 else [])])
    if one.owners:
        sheets.paragraph(f"Owner: {', '.join(one.owners)}", SMALL, most=2)


def _work(sheets: Sheets, one: AffectedResources) -> None:
    for work in one.work_items:
        sheets.paragraph(f"Work item {work.text}", _LINKED_SMALL, link=work.url, most=1)
    if one.more_work:
        sheets.paragraph(f"and {one.more_work} more work items", SMALL)


def _done(sheets: Sheets, report: RetirementReport) -> None:
    """Write the number of work items in each state, and the number of retirements that need a work item."""
    if not report.affected:
        return
    _section(sheets, "Planned work")
    states = Counter(work.state for work in report.work.values())
    if counted := ", ".join(f"{count} {state}" for state, count in states.most_common(_MOST_STATES)):
        sheets.paragraph(f"Work items: {counted}.", most=4)
    unplanned = sum(not one.work_items for one in report.affected)
    if unplanned and not report.work_unread:
        sheets.paragraph(f"{unplanned} of {len(report.affected)} retirements that affect you have no work item.")
    _gaps(sheets, report.work_unread)


def _gaps(sheets: Sheets, unread: Sequence[str]) -> None:
    for gap in unread[:_MOST_GAPS]:
        sheets.paragraph(f"Not read: {gap}", SMALL, most=3)


def _changed(sheets: Sheets, report: RetirementReport) -> None:
    _section(sheets, "What changed in the last 30 days")
    if not report.changes:
        sheets.paragraph("No date moved, and no announcement was withdrawn.")
    for change in report.changes[:_MOST_LISTED]:
        sheets.room(30)
        sheets.gap(4)
        sheets.paragraph(change.update.title, _LINKED, link=change.update.url, most=2)
        sheets.paragraph(f"{change.seen}: {change.what}", SMALL, most=3)


def _list(sheets: Sheets, report: RetirementReport) -> None:
    _section(sheets, "What retires")
    if not report.retirements:
        sheets.paragraph("Nothing is announced.")
    listed = report.retirements[:_MOST_LISTED]
    for month, group in groupby(listed, lambda one: one.month):
        sheets.room(54)
        sheets.gap(9)
        sheets.paragraph(f"{_named(month)}: {report.counts[month]}", _MONTH)
        for one in group:
            sheets.room(28)
            sheets.gap(3)
            day = f"{one.day.day} {MONTHS[one.day.month - 1][:3]}" if one.day else "?"
            sheets.at(MARGIN, sheets.y - TEXT.leading, day, replace(TEXT, color=SOFT))
            sheets.paragraph(one.update.title, _LINKED, indent=_DAYS, link=one.update.url, most=3)
            if products := ", ".join(one.update.products):
                sheets.paragraph(products, SMALL, indent=_DAYS, most=1)
    if more := len(report.retirements) - len(listed):
        sheets.gap(8)
        words = f"{more} more retirements are not listed here. Narrow the report by products or categories."
        sheets.paragraph(words, SMALL)


def _section(sheets: Sheets, heading: str) -> None:
    sheets.room(90)
    sheets.gap(16)
    sheets.paragraph(heading, _HEADING)
    sheets.gap(5)
    sheets.rule()
    sheets.gap(3)


def _listed(sheets: Sheets, texts: Iterable[str]) -> None:
    for text in texts:
        sheets.paragraph(text, SMALL, indent=10, most=2)


def _named(month: str) -> str:
    return f"{MONTHS[int(month[5:7]) - 1]} {month[:4]}"


def _day(report: RetirementReport) -> str:
    return f"{report.today.day} {MONTHS[report.today.month - 1]} {report.today.year}"
