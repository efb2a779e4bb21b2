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
    # Explains a figure that does not meet its target, or whose target is not a number. Otherwise empty.
    obstacle: str = ""


# The targets and the figures measured for them. Update the figures by hand after new measurements.
TARGETS: Final = (
    SpeedTarget("CPU instructions until the first `tools/list` answer", "at most 0.6", "0.42"),
    SpeedTarget("Wall time until the first `tools/list` answer", "at most 0.7", "0.34"),
    SpeedTarget(
        "CPU instructions until both `tools/list` and a first request in plain words are answered",
        "as close as possible to 0.42, the measured value of `tools/list` alone",
        "0.56",
        "The request adds 0.14. A third of this is for loading `pydantic_core`.",
    ),
    SpeedTarget(
        "CPU instructions until both `tools/list` and a first search for updates are answered",
        "as close as possible to 0.42, the measured value of `tools/list` alone",
        "0.70",
        "The search adds 0.28. It loads `pydantic` and `pydantic_core`.",
    ),
    SpeedTarget(
        "Time of a call to a trivial tool with MCP version 2026-07-28, relative to the plain SDK",
        "at most 0.5",
        "0.76",
        "Our server spends a quarter of the time on the audit record (a log entry about the call), the tracing span and"
        " the metrics.",
    ),
    SpeedTarget(
        "Time of a call to a trivial tool with MCP version 2025-11-25, relative to the plain SDK",
        "at most 0.5",
        "0.34",
    ),
    SpeedTarget(
        "Time for the audit record, the span and the metrics of a call",
        "at most 40 µs",
        "26 to 42 µs",
        "With OpenTelemetry, the time can exceed 40 µs.",
    ),
    SpeedTarget(
        "`tools/list` answers per second without a network, relative to the plain SDK", "at least 4", "43 to 64"
    ),
    SpeedTarget(
        "Searches per second over HTTP with 100 clients, as a multiple of what a plain SDK server with a typical SQLite"
        " search reaches",
        "at least 15",
        "20",
    ),
    SpeedTarget(
        "Searches per second over HTTP with 100 clients, as a multiple of what a plain SDK server with an optimized"
        " SQLite search reaches",
        "at least 3",
        "5.2",
    ),
    SpeedTarget("Time of a call that searches 100,000 updates (p99)", "at most 6 ms", "5.8 ms"),
    SpeedTarget(
        "CPU time of the first [sync](#syncing-updates) of 10,000 updates, relative to an earlier version of this"
        " server (11.2 s)",
        "at most 0.33",
        "0.45 (4.9 to 5.3 s)",
        "Building the search index takes most of the time.",
    ),
    SpeedTarget("Peak memory of a sync of 10,000 updates", "at most 150 MB", "133 MB"),
    SpeedTarget("Memory of the server after a sync of 10,000 updates", "at most 120 MB", "85 MB"),
    SpeedTarget("Time to add a rule to a file of 1,000 firewall rules", "at most 40 ms", "30 ms"),
)


def section() -> str:
    rows = "".join(f"| {one.what} | {one.aim} | {one.figure} | {one.obstacle} |\n" for one in TARGETS)
    return f"""## Targets

The measurements are from several runs on {_MEASURED}. The first four rows are relative to a process that only imports
the SDK. [Scaling](scaling.md#load-of-a-whole-team) has more targets, for the load of a whole team.

| what | target | measured | explanation |
|---|---|---|---|
{rows}"""
