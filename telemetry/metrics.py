"""The metrics of the app, with the names that operators query."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from opentelemetry.metrics import CallbackOptions, Counter, Histogram, Observation, get_meter

from telemetry.tool_call import ToolCall, known_client

TOOL_CALLS: Final = "azure_team_mcp.tool.calls"
TOOL_DURATION: Final = "azure_team_mcp.tool.duration"
THROTTLED: Final = "azure_team_mcp.throttled"
OMITTED: Final = "azure_team_mcp.audit.omitted"
INDEX_AGE: Final = "azure_team_mcp.index.age"
SYNC_RUNS: Final = "azure_team_mcp.sync.runs"
SYNC_CHANGES: Final = "azure_team_mcp.sync.changes"
MOST_KEPT: Final = 10_000

_Count = tuple[Counter | Histogram, float, Mapping[str, str]]

# Until an exporter is set up, these instruments do nothing and cost almost nothing.
_meter = get_meter("azure_team_mcp")
_tool_calls = _meter.create_counter(TOOL_CALLS, description="Tool calls")
_tool_duration = _meter.create_histogram(TOOL_DURATION, "s", "Duration of tool calls")
_throttled = _meter.create_counter(THROTTLED, description="Throttled requests")
_omitted = _meter.create_counter(OMITTED, description="Unauthenticated attempts that the audit log omits")
_sync_runs = _meter.create_counter(SYNC_RUNS, description="Syncs of updates, successful or failed")
_sync_changes = _meter.create_counter(SYNC_CHANGES, description="Updates that changed since the last sync")


def count_call(call: ToolCall, outcome: str, client: str, seconds: float) -> None:
    """Count one tool call. `client` is the name that the client sent."""
    _counts.tell(_tool_calls, 1, {**call._asdict(), "outcome": outcome, "client": known_client(client)})
    _counts.tell(_tool_duration, seconds, {"tool": call.tool, "outcome": outcome})


def count_throttled(by: str) -> None:
    """Count a throttled request. `by` names the limit: `caller`, `agent`, `address`, or `reader` for files."""
    _counts.tell(_throttled, 1, {"by": by})


def count_omitted(tried: str) -> None:
    """Count an unauthenticated attempt that the audit log omits."""
    _counts.tell(_omitted, 1, {"tried": tried})


def record_sync(kind: str, outcome: str, *, added: int = 0, edited: int = 0, withdrawn: int = 0) -> None:
    _counts.tell(_sync_runs, 1, {"kind": kind, "outcome": outcome})
    for change, count in {"added": added, "edited": edited, "withdrawn": withdrawn}.items():
        if count:
            _counts.tell(_sync_changes, count, {"change": change})


def watch_index_age(seconds: Callable[[], float | None]) -> None:
    """Report the age of the index once a minute.

    `seconds` returns the age, or None if the age is unknown. The function runs in another thread.
    """

    def observe(_: CallbackOptions) -> Iterable[Observation]:
        age = seconds()
        return [] if age is None else [Observation(age)]

    _meter.create_observable_gauge(INDEX_AGE, [observe], "s", "The time since the last successful sync of the index")


class _Counts:
    """Buffers metric values until the sending thread takes them, so that recording does not slow down tool calls.

    While the sending thread loads the exporter, the buffer keeps the values, which matters for instances that serve
    only a few calls. If telemetry is not configured, values are not buffered.
    """

    def __init__(self) -> None:
        self._kept: deque[_Count] = deque(maxlen=MOST_KEPT)
        self._is_keeping = self._is_taken = False

    def tell(self, instrument: Counter | Histogram, value: float, attributes: Mapping[str, str]) -> None:
        if not self._is_keeping:
            return
        if self._is_taken and len(self._kept) >= MOST_KEPT:
            self.take()
        self._kept.append((instrument, value, attributes))

    def keep(self) -> None:
        self._is_keeping = True

    def take(self) -> None:
        """Export all buffered values. From now on, a full buffer exports its values instead of dropping them."""
        self._is_taken = True
        sums: dict[tuple[Counter, frozenset[tuple[str, str]]], float] = defaultdict(float)
        for instrument, value, attributes in self._all():
            if isinstance(instrument, Counter):
                sums[instrument, frozenset(attributes.items())] += value
            else:
                instrument.record(value, attributes)
        for (counter, alike), total in sums.items():
            counter.add(total, dict(alike))

    def _all(self) -> Iterator[_Count]:
        while self._kept:
            try:
                yield self._kept.popleft()
            except IndexError:  # another thread has just taken the last value
                return

    def drop(self) -> None:
        """Stop buffering, because no exporter is configured."""
        self._is_keeping = False
        self._kept.clear()


_counts = _Counts()
keep, take, drop = _counts.keep, _counts.take, _counts.drop
