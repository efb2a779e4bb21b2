from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import get_current_span, set_span_in_context

from telemetry.azure_monitor import ToolCallSampler
from telemetry.tool_call import ToolCall, known_client
from telemetry.tracing import ToolCallSpan, parent_of

CALL = ToolCall("updates", "search_updates", "read", "direct")


def traceparent(digit: str, flags: str = "00") -> str:
    return f"00-{digit * 32}-{digit * 16}-{flags}"


def trace_of(headers: dict[str, str], meta: dict[str, object] | None = None) -> str:
    return ToolCallSpan(CALL, parent_of(headers, meta)).trace


def test_without_an_exporter_the_trace_is_the_callers() -> None:
    assert trace_of({"traceparent": traceparent("a")}) == "a" * 32


def test_what_is_nearer_to_the_call_says_whose_part_it_is() -> None:
    assert trace_of({"traceparent": traceparent("a")}, {"traceparent": traceparent("b")}) == "b" * 32


def test_without_an_exporter_and_a_caller_that_traces_there_is_no_trace() -> None:
    assert trace_of({}) == ""


MALFORMED: list[object] = [
    "",
    "nonsense",
    traceparent("0"),
    traceparent("a") + "x",
    "ff" + traceparent("a")[2:],
    7,
    None,
    {},
]


@pytest.mark.parametrize("malformed", MALFORMED)
def test_what_cannot_be_read_counts_as_nothing(malformed: object) -> None:
    assert trace_of({}, {"traceparent": malformed}) == ""
    assert trace_of({"traceparent": traceparent("c")}, {"traceparent": malformed}) == "c" * 32


def test_the_state_of_the_trace_goes_along() -> None:
    context = parent_of({}, {"traceparent": traceparent("a"), "tracestate": "vendor=1"})
    assert get_current_span(context).get_span_context().trace_state.get("vendor") == "1"


def test_a_state_that_would_burden_every_request_is_left_behind() -> None:
    state = ",".join(f"vendor{number}={'x' * 200}" for number in range(3))
    context = parent_of({}, {"traceparent": traceparent("a"), "tracestate": state})
    assert get_current_span(context).get_span_context().trace_state == {}


@given(meta=st.dictionaries(st.sampled_from(["traceparent", "tracestate", "baggage"]), st.text() | st.integers()))
def test_no_caller_can_break_the_reading(meta: dict[str, object]) -> None:
    parent_of({}, meta)


def test_what_is_called_within_belongs_to_the_call() -> None:
    with ToolCallSpan(CALL, parent_of({"traceparent": traceparent("a")})):
        assert get_current_span().get_span_context().trace_id == int("a" * 32, 16)
    assert not get_current_span().get_span_context().is_valid


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Traces:
    provider: TracerProvider
    sent: InMemorySpanExporter
    clock: Clock

    def call(self, context: Context | None = None, name: str = "tools/call x") -> None:
        """Make a call of a tool, which calls a service."""
        tracer = self.provider.get_tracer("test")
        span = tracer.start_span(name, context or Context(), attributes={"tool": "x"} if "tools" in name else {})
        tracer.start_span("GET", set_span_in_context(span)).end()
        span.end()

    @property
    def names(self) -> list[str]:
        return [span.name for span in self.sent.get_finished_spans()]


@pytest.fixture
def traces() -> Iterator[Traces]:
    clock, sent = Clock(), InMemorySpanExporter()
    provider = TracerProvider(ToolCallSampler(3, clock), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(sent))
    yield Traces(provider, sent, clock)
    provider.shutdown()


@pytest.mark.parametrize("flags", ["00", "01"])
def test_a_call_is_kept_whatever_the_caller_keeps(traces: Traces, flags: str) -> None:
    traces.call(parent_of({"traceparent": traceparent("a", flags)}))
    assert traces.names == ["GET", "tools/call x"]


def test_what_belongs_to_no_call_is_not_kept(traces: Traces) -> None:
    traces.call(name="BlobClient.download")
    assert traces.names == []


def test_many_calls_are_not_all_kept_but_those_that_are_whole(traces: Traces) -> None:
    for _ in range(10):
        traces.call()
    assert traces.names == ["GET", "tools/call x"] * 3
    traces.clock.now += 2
    for _ in range(10):
        traces.call()
    assert traces.names == ["GET", "tools/call x"] * 5


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Visual Studio Code", "visual-studio-code"),
        ("claude-code", "claude-code"),
        ("cursor-vscode", "cursor"),
        ("", "other"),
        ("my own client", "other"),
        ("a" * 100_000, "other"),
    ],
)
def test_only_known_clients_are_counted_apart(name: str, told: str) -> None:
    assert known_client(name) == told
