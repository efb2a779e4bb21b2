"""What is told of each call: its audit record, its measures and its place in the trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Final

from mcp_server.audit import Outcome, Record, Way
from mcp_server.toolset import Tool
from mcp_server.visit import Visit

_LONGEST_VALUE: Final = 200


@dataclass(slots=True)
class Call:
    """A call under way. Unless somebody says better, it failed."""

    outcome: Outcome = Outcome.FAILED
    started: float = field(default_factory=perf_counter)


@contextmanager
def recorded(visit: Visit, tool: Tool, arguments: Mapping[str, Any], way: Way) -> Iterator[Call]:
    """Leave one record of the call, however it ends."""
    call = Call()
    try:
        yield call
    finally:
        if not visit.is_recorded:
            visit.is_recorded = True
            _record(visit, tool, arguments, way, call).write()


def record_unanswered(visit: Visit, tool: Tool, arguments: Mapping[str, Any], way: Way, outcome: Outcome) -> None:
    """Leave the record of a call that was turned away before it began."""
    with recorded(visit, tool, arguments, way) as call:
        call.outcome = outcome


def _record(visit: Visit, tool: Tool, arguments: Mapping[str, Any], way: Way, call: Call) -> Record:
    caller = visit.caller
    return Record(
        time=datetime.now(UTC).isoformat(timespec="milliseconds"),
        kind=caller.kind,
        tenant=caller.tenant,
        subject=caller.subject,
        client=caller.client,
        toolset=tool.toolset,
        tool=tool.name,
        access=tool.own_access.label,
        way=way,
        arguments=_shown(tool, arguments),
        outcome=call.outcome,
        milliseconds=round((perf_counter() - call.started) * 1000),
        invocation=visit.invocation,
        trace="",
    )


def _shown(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, object]:
    """The arguments as they may be kept. Names that a caller made up are not: anything could be in them."""
    names = [name for name in tool.input_schema.get("properties", {}) if name in arguments]
    return {name: _cut(arguments[name]) if name in tool.harmless else None for name in names}


def _cut(value: object) -> object:
    return value if isinstance(value, bool | int | float) else str(value)[:_LONGEST_VALUE]
