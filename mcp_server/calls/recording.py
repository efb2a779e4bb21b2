"""Records the telemetry of each call: an audit record, metrics, and a span of a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Final, cast

from opentelemetry.context import Context, get_current

from changes.approval_request import ApprovalRequest, Who
from identity.access import Access
from identity.caller import Caller
from mcp_server.calls.audit import Agreement, Attempt, OfAttempt, OfCall, Outcome, Record, write_attempt, write_call
from mcp_server.declarations.tool import Tool
from mcp_server.visit import Trace, Way
from mcp_server.wording import speakable
from telemetry.metrics import count_call
from telemetry.tool_call import ToolCall
from telemetry.tracing import ToolCallSpan, parent_of

_LONGEST_VALUE: Final = 200
_LARGEST_NUMBER: Final = 2**53
_MOST_NUMBERS: Final = 200


@dataclass(slots=True)
class Call:
    """A call in progress. The outcome is FAILED until another outcome is set."""

    trace: Trace
    tool: Tool
    arguments: Mapping[str, Any]
    way: Way
    outcome: Outcome = Outcome.FAILED
    started: float = field(default_factory=perf_counter)
    in_short: ToolCall = field(init=False)

    def __post_init__(self) -> None:
        tool = self.tool.original
        self.in_short = ToolCall(tool.toolset, tool.name, tool.own_access.label, self.way)

    @property
    def parent(self) -> Context:
        """The parent of the call's span: the span of `azure` if it called the tool, otherwise the caller's span."""
        return get_current() if self.way is Way.LEARNED else parent_of(self.trace.requester.headers, self.trace.meta)

    def tell(self, span: str) -> None:
        """Write the audit record, and count the call.

        If `azure` called another tool, only the call to the other tool is recorded and counted.
        """
        if self.trace.is_recorded:
            return
        self.trace.is_recorded = True
        seconds = perf_counter() - self.started
        # The record of a change must be on disk before the caller gets the response.
        write_call(self._record(seconds, span), at_once=self.tool.original.own_access is not Access.READ)
        count_call(self.in_short, self.outcome, self.trace.client_name, seconds)

    def _record(self, seconds: float, span: str) -> Record:
        requester, tool = self.trace.requester, self.tool.original
        caller = requester.caller
        return {
            "time": _now(),
            "kind": caller.acts,
            "tenant": caller.tenant,
            "subject": caller.subject,
            "client": caller.client,
            "toolset": tool.toolset,
            "tool": tool.name,
            "access": self.in_short.access,
            "way": self.way,
            "arguments": _storable(self.tool, self.arguments),
            "outcome": self.outcome,
            "milliseconds": round(seconds * 1000),
            "invocation": requester.invocation,
            "trace": span,
            "address": requester.address,
            "token": caller.token_id,
            **self._beside(),
        }

    def _beside(self) -> OfCall:
        trace, tool = self.trace, self.tool.original
        beside = {
            **_agent_of(trace.requester.caller),
            "called_as": self.tool.name if self.tool is not tool else "",
            "crosses_to": trace.crosses_to,
            "asked_model": trace.asked_model,
            "omitted": trace.omitted,
            "secret": tool.gives_secret,
            **_agreement_to(trace.change),
        }
        return cast("OfCall", {name: value for name, value in beside.items() if value})


@contextmanager
def recorded(trace: Trace, tool: Tool, arguments: Mapping[str, Any], way: Way) -> Iterator[Call]:
    """Write one audit record for the call, regardless of its outcome."""
    call = Call(trace, tool, arguments, way)
    with ToolCallSpan(call.in_short, call.parent) as span:
        try:
            yield call
        finally:
            span.end_as(call.outcome, defect=call.outcome is Outcome.FAILED)
            call.tell(span.trace)


def record_unanswered(trace: Trace, outcome: Outcome) -> None:
    """Write the audit record of a request that calls no tool, or whose call was rejected before it started."""
    requested = trace.requested
    if requested and requested.tools:
        with recorded(trace, requested.tool, requested.arguments, requested.way or trace.requester.way) as call:
            call.outcome = outcome
    else:
        record_attempt(trace, trace.tried(), outcome)


def record_attempt(trace: Trace, tried: str, outcome: Outcome, client: str = "", towards: str = "") -> None:
    requester = trace.requester
    caller = requester.caller
    trace.is_recorded = True
    beside = {
        **_agent_of(caller),
        "towards": towards,
        "omitted": trace.omitted,
        "asked_by": _named(trace.change.asked_by) if trace.change else "",
        **_agreement_to(trace.change),
    }
    attempt: Attempt = {
        "time": _now(),
        "kind": caller.acts,
        "tenant": caller.tenant,
        "subject": caller.subject,
        "client": client or caller.client,
        "tried": tried,
        "outcome": outcome,
        "invocation": requester.invocation,
        "address": requester.address,
        "token": caller.token_id,
        **cast("OfAttempt", {name: value for name, value in beside.items() if value}),
    }
    write_attempt(attempt)


def _agent_of(caller: Caller) -> dict[str, str]:
    return {"agent": caller.agent.id, "blueprint": caller.agent.blueprint} if caller.agent else {}


def _agreement_to(change: ApprovalRequest | None) -> Agreement:
    """The fields of the audit record that describe the approval of a change."""
    if change is None or change.decision is None:
        return {"change": change.id} if change else {}
    decision = change.decision
    said = "yes" if decision.is_yes else "no"
    return {"change": change.id, "decided": said, "by": decision.by, "decided_by": _named(decision.who)}


def _named(who: Who) -> str:
    return f"{who.tenant}/{who.subject}" if who.subject else who.kind


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _storable(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, object]:
    """Return the arguments to store. Harmless values are kept, or shortened if they are long. All other values become
    None.

    Arguments with unknown names are left out, because an unknown name could contain anything.
    """
    names = [name for name in tool.input_schema.get("properties", {}) if name in arguments]
    return {name: _cut(arguments[name]) if name in tool.harmless else None for name in names}


def _cut(value: object) -> object:
    """Shorten a value for storage. Short lists of numbers stay complete, because they identify changed items."""
    is_row = isinstance(value, list) and len(value) <= _MOST_NUMBERS and all(map(_is_short, value))
    return value if is_row or _is_short(value) else speakable(str(value)[:_LONGEST_VALUE])


def _is_short(value: object) -> bool:
    return isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < _LARGEST_NUMBER)


def record_beside(trace: Trace, tried: str, outcome: Outcome) -> None:
    """Write an additional audit record about an action during a call."""
    is_recorded = trace.is_recorded
    record_attempt(trace, tried, outcome)
    trace.is_recorded = is_recorded
