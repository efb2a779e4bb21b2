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
    SpeedTarget("CPU instructions from the start to the first list, relative to `import mcp.server`", "0.6", "0.42"),
    SpeedTarget("Wall time from the start to the first list, relative to `import mcp.server`", "0.7", "0.34"),
    SpeedTarget(
        "CPU instructions from the start to the first intent, including the first list",
        "at most 0.42 (the list) plus the intent's own work",
        "0.56",
        "The intent adds 0.13 to the 0.42 of the list. A third of the 0.13 is for pydantic's core, which writes JSON."
        " The rest is for the code of calls and intents.",
    ),
    SpeedTarget(
        "CPU instructions from the start to the first search, including the first list",
        "at most 0.42 (the list) plus the search's own work",
        "0.70",
    ),
    SpeedTarget(
        "A small call in protocol version 2026-07-28, relative to the plain SDK",
        "0.5",
        "0.76",
        "The plain SDK needs only 150 µs. Our server spends a quarter of its time on the audit record, the span and the"
        " metrics. It spends the rest on checking the request, parsing, the timeout, and writing the answer.",
    ),
    SpeedTarget("A small call in protocol version 2025-11-25, relative to the plain SDK", "0.5", "0.34"),
    SpeedTarget(
        "Time for the audit record, the span and the metrics of a call",
        "40 µs",
        "26 to 42 µs",
        "With OpenTelemetry, a call can take longer than the target. Writing the record after the answer would make the"
        " call shorter, but the host drops everything that a worker logs after its answer.",
    ),
    SpeedTarget("Lists per second without a network, relative to the plain SDK", "4 times", "43 to 64 times"),
    SpeedTarget("Searches per second over HTTP with 100 clients, relative to FTS5", "15 times", "20 times"),
    SpeedTarget("Searches per second over HTTP with 100 clients, relative to tuned FTS5", "3 times", "5.2 times"),
    SpeedTarget("Time of a search among 100,000 updates (p99)", "6 ms", "5.8 ms"),
    SpeedTarget(
        "Time of the first sync of 10,000 updates, relative to an earlier version (11.2 s)",
        "0.33",
        "0.45 (4.9 to 5.3 s)",
        "No single part dominates. The largest parts are the work on Markdown (25 %), word meanings (19 %),"
        " descriptions (15 %) and table rows (13 %).",
    ),
    SpeedTarget("Peak memory of a sync", "150 MB", "133 MB"),
    SpeedTarget("Memory while serving", "120 MB", "85 MB"),
    SpeedTarget("Time to add a rule to a file of 1,000 rules", "40 ms", "30 ms"),
)


def section() -> str:
    rows = "".join(f"| {one.what} | {one.aim} | {one.figure} | {one.obstacle} |\n" for one in TARGETS)
    return f"""## Targets

The measurements are from {_MEASURED}. For targets under load, see [Scaling](scaling.md#load-of-a-whole-team).

| what | target | measured | reason if not met |
|---|---|---|---|
{rows}"""
