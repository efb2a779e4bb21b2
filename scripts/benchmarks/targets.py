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
    SpeedTarget("CPU instructions from the start of a process to the first `tools/list` answer", "at most 0.6", "0.42"),
    SpeedTarget("Wall time from the start of a process to the first `tools/list` answer", "at most 0.7", "0.34"),
    SpeedTarget(
        "CPU instructions from the start of a process to the first answer to an intent, after a `tools/list`",
        "0.42 (for `tools/list`), plus only the code that an intent needs",
        "0.56",
        "The intent adds 0.14. A third of this is for loading `pydantic_core`, which writes the JSON of the answer.",
    ),
    SpeedTarget(
        "CPU instructions from the start of a process to the results of the first search for updates, after a"
        " `tools/list`",
        "0.42 (for `tools/list`), plus only the code that a search needs",
        "0.70",
    ),
    SpeedTarget(
        "Time of a call to a trivial tool with version 2026-07-28 of the MCP protocol, relative to the plain SDK",
        "at most 0.5",
        "0.76",
        "The plain SDK needs only about 150 µs for such a call. Our server spends a quarter of its time on the audit"
        " record (a log entry about the call), the tracing span and the metrics.",
    ),
    SpeedTarget(
        "Time of a call to a trivial tool with version 2025-11-25 of the MCP protocol, relative to the plain SDK",
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
        "Searches for updates per second over HTTP with 100 clients, relative to FTS5 with the plain SDK",
        "at least 15",
        "20",
    ),
    SpeedTarget(
        "Searches for updates per second over HTTP with 100 clients, relative to tuned FTS5 with the plain SDK",
        "at least 3",
        "5.2",
    ),
    SpeedTarget("Time of a call that searches 100,000 updates (p99)", "at most 6 ms", "5.8 ms"),
    SpeedTarget(
        "CPU time of the first [sync](#syncing-updates) of 10,000 updates, relative to an earlier version of this"
        " server (11.2 s)",
        "at most 0.33",
        "0.45 (4.9 to 5.3 s)",
        "No single part dominates. The largest part, converting HTML to Markdown, takes only 25 % of the time.",
    ),
    SpeedTarget("Peak memory of a sync of 10,000 updates", "at most 150 MB", "133 MB"),
    SpeedTarget("Memory of the server after a sync of 10,000 updates", "at most 120 MB", "85 MB"),
    SpeedTarget("Time to add a rule to a file of 1,000 firewall rules", "at most 40 ms", "30 ms"),
)


def section() -> str:
    rows = "".join(f"| {one.what} | {one.aim} | {one.figure} | {one.obstacle} |\n" for one in TARGETS)
    return f"""## Targets

The measurements are from several runs on {_MEASURED}. Numbers without a unit are ratios. The rows about the start of a
process compare with a process that only imports the SDK (`import mcp.server`): 0.42 means 42 % of its CPU instructions.
For targets under load, see [Scaling](scaling.md#load-of-a-whole-team).

| what | target | measured | reason if not met |
|---|---|---|---|
{rows}"""
