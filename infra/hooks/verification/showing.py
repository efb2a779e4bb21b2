"""Formats the report of the probes: a table for people, JSON for programs, and a text for public issues."""

from __future__ import annotations

import json
from collections.abc import Iterator
from statistics import median

from verification.probe import FAILED, SKIPPED, Report

WIDTH = 46


def table(report: Report) -> Iterator[str]:
    for one in report.outcomes:
        found = "" if one.result == FAILED else one.found
        yield f"{one.number:>2}  {one.what:<{WIDTH}}  {one.result:<7}  {found}".rstrip()
    for one in report.failed:
        yield f"\n{one.number}: {one.found}\n   Run: {one.command}"
    for name, measured in report.timings.items():
        if measured:
            yield f"\n{name}, ms: {', '.join(map(str, measured))} (median {median(measured):.0f})"
    yield f"\n{_summary(report)}"


def _summary(report: Report) -> str:
    skipped = sum(one.result == SKIPPED for one in report.outcomes)
    checked = len(report.outcomes) - skipped
    words = f"{len(report.failed)} of {checked} probes failed" if report.failed else f"All {checked} probes passed"
    return f"{words}; {skipped} skipped." if skipped else f"{words}."


def as_json(report: Report) -> str:
    document = {
        "url": report.url,
        "probes": [one.document for one in report.outcomes],
        "milliseconds": report.timings,
    }
    return json.dumps(document, indent=2)


def for_an_issue(report: Report) -> Iterator[str]:
    """The text that users can paste into a public issue. The text contains facts about Azure, but no URLs, names or
    IDs.
    """
    yield "To share what was learned, paste the following lines into the issue form 'A deployment to Azure':"
    yield ""
    for one in report.outcomes:
        if one.is_undocumented:
            yield f"- probe {one.number}, {one.what}: {one.result}{_public(report, one.found)}"
    for name, measured in report.timings.items():
        if measured:
            yield f"- {name}, ms: {', '.join(map(str, measured))}"


def _public(report: Report, found: str) -> str:
    host = report.url.partition("://")[2]
    return f" ({found.replace(report.url, '<url>').replace(host, '<host>')})" if found else ""
