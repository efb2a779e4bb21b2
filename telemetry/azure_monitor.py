"""Sets up the exporter to Azure Monitor. Only the sending thread imports this module, because importing it is slow."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

from azure.core.settings import settings as azure_settings
from azure.monitor.opentelemetry.exporter import AzureMonitorMetricExporter, AzureMonitorTraceExporter
from opentelemetry.context import Context
from opentelemetry.metrics import set_meter_provider
from opentelemetry.propagate import set_global_textmap
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, MeterProvider
from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind, TraceState, get_current_span, set_tracer_provider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import Attributes
from typing_extensions import override

from telemetry.tracing import TOOL

INTERVAL: Final = 60.0  # seconds between metric exports
CALLS_AT_ONCE: Final = 20  # a typical number of calls for one question to an agent
# The exporter drops telemetry that Application Insights rejects: it does not store this telemetry on disk, and no long
# retries delay the end of the process.
BOUNDS: Final[dict[str, Any]] = {
    "disable_offline_storage": True,
    "timeout": 5.0,
    "read_timeout": 5.0,
    "retry_total": 1,
}
_REPETITIVE: Final = (
    __name__,
    "azure.monitor.opentelemetry.exporter.export._base",
    "azure.identity._internal.decorators",
    "azure.identity._internal.get_token_mixin",
)

logger = logging.getLogger(__name__)

Result = TypeVar("Result", SpanExportResult, MetricExportResult)


def sending(connection_string: str, name: str, version: str) -> Callable[[float], None]:
    """Start sending telemetry. Return a function that stops sending within the given number of seconds."""
    for library in _REPETITIVE:
        logging.getLogger(library).addFilter(_Once())
    resource = Resource({SERVICE_NAME: name, SERVICE_VERSION: version})
    traces, meters = _tracer_provider(connection_string, resource), _meter_provider(connection_string, resource)
    set_tracer_provider(traces)
    set_meter_provider(meters)
    # This propagator excludes the callers' baggage, which would otherwise be sent to every service that we call.
    set_global_textmap(TraceContextTextMapPropagator())
    azure_settings.tracing_enabled = True

    def stop(seconds: float) -> None:
        meters.shutdown(seconds * 500)
        traces.shutdown()

    return stop


def _tracer_provider(connection_string: str, resource: Resource) -> TracerProvider:
    traces = TracerProvider(ToolCallSampler(), resource, shutdown_on_exit=False)
    exporter = _TraceExporter(connection_string=connection_string, **BOUNDS)
    traces.add_span_processor(BatchSpanProcessor(exporter))
    return traces


def _meter_provider(connection_string: str, resource: Resource) -> MeterProvider:
    exporter = _MetricExporter(connection_string=connection_string, **BOUNDS)
    reader = PeriodicExportingMetricReader(exporter, INTERVAL * 1000)
    return MeterProvider([reader], resource, AlwaysOffExemplarFilter(), shutdown_on_exit=False)


class _TraceExporter(AzureMonitorTraceExporter):
    @override
    def export(self, spans: Sequence[ReadableSpan], **options: Any) -> SpanExportResult:
        result = super().export(spans, **options)
        return _logged(result, is_taken=result is SpanExportResult.SUCCESS)


class _MetricExporter(AzureMonitorMetricExporter):
    @override
    def export(self, metrics_data: MetricsData, timeout_millis: float = 10_000, **options: Any) -> MetricExportResult:
        result = super().export(metrics_data, timeout_millis, **options)
        return _logged(result, is_taken=result is MetricExportResult.SUCCESS)


def _logged(result: Result, *, is_taken: bool) -> Result:
    if not is_taken:
        logger.warning("Application Insights rejected some telemetry, which is lost.")
    return result


class ToolCallSampler(Sampler):
    """Samples only the spans of tool calls and of the requests that they make. In a burst of calls, the first 20 calls
    are sampled, and then one call per second.

    The caller's sampling decision is ignored, because the Functions host does not mark traces as sampled. Metrics are
    not sampled, so they count all calls.
    """

    def __init__(self, at_once: int = CALLS_AT_ONCE, clock: Callable[[], float] = monotonic) -> None:
        self._at_once, self._clock = at_once, clock
        self._left, self._counted_at = float(at_once), clock()
        self._lock = Lock()

    @override
    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        parent = get_current_span(parent_context)
        is_kept = parent.is_recording() or (TOOL in (attributes or {}) and self._has_room())
        decision = Decision.RECORD_AND_SAMPLE if is_kept else Decision.DROP
        return SamplingResult(decision, attributes, parent.get_span_context().trace_state)

    @override
    def get_description(self) -> str:
        return "calls of tools"

    def _has_room(self) -> bool:
        with self._lock:
            now = self._clock()
            self._left = min(self._at_once, self._left + now - self._counted_at)
            self._counted_at = now
            if self._left < 1:
                return False
            self._left -= 1
            return True


class _Once(logging.Filter):
    """Logs each message only once, because the same message would be logged every minute during a lasting failure."""

    def __init__(self) -> None:
        super().__init__()
        self._logged: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        is_new = record.msg not in self._logged
        self._logged.add(str(record.msg))
        return is_new
