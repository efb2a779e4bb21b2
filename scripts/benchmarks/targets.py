"""Generates the section of docs/benchmarks.md that compares measurements with targets and explains why a target is not
met.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MEASURED: Final = "2026-11-28"


@dataclass(frozen=True, slots=True)
class SpeedTarget:
    what: str
    aim: str
    figure: str
    # The reason why the target is not met, or an empty text if it is met.
    obstacle: str = ""


# The targets and the figures measured for them. Update the figures by hand after new measurements.
TARGETS: Final = (
    SpeedTarget("Instructions up to the first list, relative to `import mcp.server`", "0.6", "0.42"),
    SpeedTarget("Wall time up to the first list in a new process, relative to `import mcp.server`", "0.7", "0.34"),
    SpeedTarget(
        "Instructions up to the first intent, after the first list",
        "cost of the list, plus the intent's own cost",
        "0.56",
        "The intent adds 0.13. A third of this is for pydantic's core, which writes JSON; the rest is for the code of"
        " calls and intents.",
    ),
    SpeedTarget(
        "Instructions up to the first search, after the first list (0.85 in a trial)",
        "cost of the list, plus the search's own cost",
        "0.70",
    ),
    SpeedTarget(
        "A small call in protocol version 2026-07-28, relative to the plain SDK",
        "0.5",
        "0.76",
        "The SDK needs 150 µs for this version. Our server spends a quarter of its time on the audit"
        " record, the span and the metrics; the rest is for the gate, parsing, the timeout and writing.",
    ),
    SpeedTarget("A small call in protocol version 2025-11-25, relative to the plain SDK", "0.5", "0.34"),
    SpeedTarget(
        "Record, span and metrics of a call",
        "40 µs",
        "26 to 42 µs",
        "The value is at the limit with OpenTelemetry. Records are written before the answer, because the host drops"
        " everything that a worker logs afterwards.",
    ),
    SpeedTarget("Speed of lists in process, relative to the plain SDK", "4 times", "43 to 64 times"),
    SpeedTarget("Searches a second over HTTP with 100 clients, relative to FTS5", "15 times", "20 times"),
    SpeedTarget("Searches a second over HTTP with 100 clients, relative to a tuned FTS5", "3 times", "5.2 times"),
    SpeedTarget("A search among 100,000 updates, p99", "6 ms", "5.8 ms"),
    SpeedTarget(
        "First sync of 10,000 updates (previously 11.2 s)",
        "a third of the previous time",
        "4.9 to 5.3 s (0.45)",
        "No single part dominates: Markdown 25%, meanings 19%, descriptions 15%, rows 13%.",
    ),
    SpeedTarget("Peak memory of a sync", "150 MB", "133 MB"),
    SpeedTarget("Memory while serving", "120 MB", "85 MB"),
    SpeedTarget("Adding a rule to 1,000 rules", "40 ms", "30 ms"),
)


def section() -> str:
    rows = "".join(f"| {one.what} | {one.aim} | {one.figure} | {one.obstacle} |\n" for one in TARGETS)
    return f"""## Targets

As of {_MEASURED}. [Scaling](scaling.md#load-of-a-whole-team) has the targets for load.

| what | target | measured | why it is not met |
|---|---|---|---|
{rows}"""
