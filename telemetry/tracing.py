"""Records one span for each tool call. If the caller sends a trace, the span belongs to this trace."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import Token
from types import TracebackType
from typing import Final, Self

from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import (
    Span,
    SpanKind,
    StatusCode,
    format_trace_id,
    get_current_span,
    get_tracer,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from telemetry.tool_call import ToolCall

METHOD: Final = "mcp.method.name"
TOOL: Final = "tool"  # identifies our spans for the sampler
_HEADERS: Final = ("traceparent", "tracestate")
# The maximum length of a trace state, as in the standard. Each outgoing request contains the trace state.
_LONGEST: Final = 512

_tracer = get_tracer("azure_team_mcp")
_w3c = TraceContextTextMapPropagator()


def parent_of(headers: Mapping[str, str], meta: Mapping[str, object] | None = None) -> Context:
    """Read the parent trace of a tool call from `_meta` or, if `_meta` has no trace, from the request headers.

    Header names are lowercase. Invalid values are ignored.
    """
    within = _read(meta or {})
    return within if get_current_span(within).get_span_context().is_valid else _read(headers)


def _read(carrier: Mapping[str, object]) -> Context:
    if _HEADERS[0] not in carrier:
        return Context()
    values = {name: carrier.get(name) for name in _HEADERS}
    return _w3c.extract(
        {name: text for name, text in values.items() if isinstance(text, str) and len(text) <= _LONGEST}
    )


class ToolCallSpan:
    """A context manager that records a span for a tool call and for everything that the call does. Arguments are not
    recorded.
    """

    def __init__(self, call: ToolCall, parent: Context, method: str = "tools/call") -> None:
        attributes = {METHOD: method, **call._asdict()}
        self._span: Span = _tracer.start_span(f"{method} {call.tool}", parent, SpanKind.INTERNAL, attributes)
        self._token: Token[Context] | None = None

    @property
    def trace(self) -> str:
        """The trace ID, or an empty string if there is no exporter and the caller sent no trace."""
        context = self._span.get_span_context()
        return format_trace_id(context.trace_id) if context.is_valid else ""

    def end_as(self, outcome: str, *, defect: bool = False) -> None:
        """Set the outcome of the tool call. Call this method just before the context ends."""
        self._span.set_attribute("outcome", outcome)
        if defect:
            self._span.set_status(StatusCode.ERROR)

    def __enter__(self) -> Self:
        self._token = attach(set_span_in_context(self._span))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._token:
            detach(self._token)
        if kind:  # record the kind of the error instead of its message, which may contain the caller's input
            self._span.set_attribute("failure", kind.__qualname__)
        self._span.end()
