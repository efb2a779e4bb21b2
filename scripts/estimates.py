"""Estimates the costs of many users and the load of many instances, based on assumptions and measurements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Final

from kept_index.reader import SECONDS_BETWEEN_LOOKS
from updates.library import SECONDS_BETWEEN_FIRST_SYNCS
from updates.reading.feed import PAGE

INSTANCES: Final = (1, 10, 100, 1000)

# The number of updates in the feed. The sizes below come from docs/benchmarks.md.
UPDATES: Final = 10_000
INDEX_MB: Final = 12.8
# The number of updates modified per week. Each delta sync rereads the updates that were modified in the last week.
UPDATES_A_WEEK: Final = 100

# Limits of a storage account: https://learn.microsoft.com/azure/storage/common/scalability-targets-standard-account
ACCOUNT_REQUESTS_A_SECOND: Final = 20_000
BLOB_REQUESTS_A_SECOND: Final = 500
ACCOUNT_MB_A_SECOND: Final = 25_000 / 8

# Prices in US dollars: list prices in East US without discounts.
GB_SECOND, FREE_GB_SECONDS = 0.000026, 100_000
READY_GB_SECOND: Final = 0.000004  # execution time costs extra: less than on demand, but without a free grant
MILLION_EXECUTIONS, FREE_EXECUTIONS = 0.40, 250_000
GB_OF_LOGS, FREE_GB_OF_LOGS = 2.30, 5
PRIVATE_ENDPOINT, PRIVATE_ZONE = 7.30, 0.50
NAT_GATEWAY, PUBLIC_ADDRESS = 32.85, 3.65  # plus 0.045 per gigabyte of traffic
# The number of private endpoints: for the app's blobs, queues and tables, and for its key vault.
PRIVATE_ENDPOINTS: Final = 4
# The number of function groups, each of which Flex Consumption scales separately: one for HTTP requests, four for
# scheduled jobs with configurable times, one for all other timers, and one for the queue.
GROUPS: Final = 7
# With several availability zones, each group always has this many ready instances.
INSTANCES_OF_A_GROUP: Final = 2
# The number of groups in three setups: the current one; one function for all timers; and one function for all timers,
# without a separate function for the queue.
FEWER_GROUPS: Final = {"this app": GROUPS, "one timer for all jobs": 3, "one timer for all jobs, and no queue": 2}
# The number of timer starts per day, the number of starts that would be avoided with fewer groups, and the seconds
# that a new 2 GB instance takes to import the app.
TIMERS_A_DAY, TIMER_STARTS_SAVED, SECONDS_TO_START = 122, 50, 2.0
ALERT_OF_5_MINUTES, ALERT_OF_LONGER = 1.50, 0.50
ALERTS_OF_5_MINUTES, ALERTS_OF_LONGER = 1, 7
STORAGE_AND_VAULT: Final = 1.00  # a few hundred megabytes, and a few hundred thousand requests
SECONDS_A_MONTH: Final = 730 * 3600
SECONDS_A_DAY: Final = 86_400

# The maximum number of instances: the default of the template.
MOST_INSTANCES: Final = 100
CAP_OF_LOGS_GB: Final = 1
# How many requests per second an instance with one core answers from memory. This is half of the rate that
# docs/scaling.md shows for two cores.
ANSWERED_A_SECOND: Final = 500

# The CPU milliseconds per request, as measured by `scripts/load --team`. If the CPU usage of an instance with one core
# exceeds `BUSY`, another instance starts.
MILLISECONDS_A_REQUEST, BUSY = 5.0, 0.6
# The number of hours in a working day, and the ratio of peak load to average load.
HOURS_A_DAY, PEAK = 8, 5
SIZES: Final = (10, 100, 1_000, 10_000)


@dataclass(frozen=True, slots=True)
class Use:
    """The usage in one month, in the worst case: every request is billed separately for a full second."""

    users: int
    calls_a_day: int = 50
    days: int = 21
    requests_a_call: float = 1.5  # clients also list tools and reconnect
    seconds_a_request: float = 1.0  # the minimum billed duration
    memory_gb: float = 2.0
    logs_kb_a_call: float = 5.0
    syncs_a_day: int = 25
    seconds_a_sync: float = 20.0

    @property
    def calls(self) -> int:
        return self.users * self.calls_a_day * self.days

    @property
    def requests(self) -> float:
        return self.calls * self.requests_a_call

    @property
    def gb_seconds(self) -> float:
        syncing = self.syncs_a_day * 30 * self.seconds_a_sync
        return (self.requests * self.seconds_a_request + syncing) * self.memory_gb

    @property
    def gb_of_logs(self) -> float:
        return self.calls * self.logs_kb_a_call / 1e6 + 0.5  # plus the logs of the host


def bill(use: Use) -> dict[str, float]:
    """Return the cost of each billed item in US dollars per month."""
    return {
        "compute": max(use.gb_seconds - FREE_GB_SECONDS, 0) * GB_SECOND,
        "executions": max(use.requests - FREE_EXECUTIONS, 0) / 1e6 * MILLION_EXECUTIONS,
        "logs": max(use.gb_of_logs - FREE_GB_OF_LOGS, 0) * GB_OF_LOGS,
        "alerts": ALERTS_OF_5_MINUTES * ALERT_OF_5_MINUTES + ALERTS_OF_LONGER * ALERT_OF_LONGER,
        "storage and vault": STORAGE_AND_VAULT,
    }


def peak(use: Use) -> float:
    """Return the requests per second at peak load."""
    return use.users * use.calls_a_day * use.requests_a_call / (HOURS_A_DAY * 3600) * PEAK


def most_answered() -> float:
    """Return how many requests per second an instance with one core can answer."""
    return 1000 / MILLISECONDS_A_REQUEST * BUSY


def instances() -> Iterator[str]:
    """Yield the number of instances at peak load, and the total cost per month, for each number of users."""
    heads = (
        "users",
        "requests a second at the peak",
        "instances for requests",
        "instances in each remaining group",
        "dollars a month",
    )
    yield f"| {' | '.join(heads)} |"
    yield "|---:|---:|---:|---:|---:|"
    for use in map(Use, SIZES):
        needed = ceil(peak(use) / most_answered())
        together = sum(bill(use).values())
        yield f"| {use.users:,} | {peak(use):,.1f} | {needed} | at most 1 | {together:,.2f} |"


def options() -> dict[str, float]:
    """Return the cost of options in US dollars per month."""
    instance = SECONDS_A_MONTH * 2 * READY_GB_SECOND
    return {
        "an instance of 2 GB that is always ready": instance,
        "several zones (`ZONE_REDUNDANT`)": GROUPS * INSTANCES_OF_A_GROUP * instance,
        "private endpoints (`VNET_ENABLED`)": PRIVATE_ENDPOINTS * (PRIVATE_ENDPOINT + PRIVATE_ZONE),
        "a private endpoint of the app (`APP_PRIVATE_ENDPOINT`)": PRIVATE_ENDPOINT + PRIVATE_ZONE,
        "a fixed outgoing address (`FIXED_OUTGOING_ADDRESS`)": NAT_GATEWAY + PUBLIC_ADDRESS,
    }


def costs() -> Iterator[str]:
    uses = [Use(users) for users in (10, 100, 1000)]
    bills = [bill(use) for use in uses]
    yield "| monthly cost, in dollars | " + " | ".join(f"{use.users:,} users" for use in uses) + " |"
    yield "|---|" + "---:|" * len(uses)
    for part in bills[0]:
        yield f"| {part} | " + " | ".join(f"{one[part]:.2f}" for one in bills) + " |"
    yield "| **total** | " + " | ".join(f"**{sum(one.values()):.2f}**" for one in bills) + " |"
    yield from (f"| {name} | " + " | ".join([f"+ {price:.2f}"] * len(uses)) + " |" for name, price in options().items())


def worst_day(instances: int = MOST_INSTANCES) -> dict[str, float]:
    """Return the cost of a day with a flood of requests: one group runs at its maximum, and logs reach their cap."""
    requests = instances * ANSWERED_A_SECOND * SECONDS_A_DAY
    return {
        f"{instances} busy instances of 2 GB": instances * SECONDS_A_DAY * Use(1).memory_gb * GB_SECOND,
        f"executions, {ANSWERED_A_SECOND} a second on each instance": requests / 1e6 * MILLION_EXECUTIONS,
        f"{CAP_OF_LOGS_GB} GB of logs": CAP_OF_LOGS_GB * GB_OF_LOGS,
    }


def worst() -> Iterator[str]:
    few = 40
    most, least = worst_day(), worst_day(few)
    yield f"| cost of the worst day, in dollars | by default | with `MAXIMUM_INSTANCE_COUNT` {few} |"
    yield "|---|---:|---:|"
    for part, (one, other) in zip(most, zip(most.values(), least.values(), strict=True), strict=True):
        yield f"| {part.removeprefix(f'{MOST_INSTANCES} ')} | {one:,.2f} | {other:,.2f} |"
    yield f"| **total** | **{sum(most.values()):,.2f}** | **{sum(least.values()):,.2f}** |"
    usual = sum(bill(Use(100)).values()) * 12 / 365
    yield f"| a usual day of 100 users | {usual:,.2f} | {usual:,.2f} |"


def groups() -> Iterator[str]:
    """Yield the savings from having fewer function groups. Idle on-demand functions are not billed."""
    instance = SECONDS_A_MONTH * 2 * READY_GB_SECOND
    started = TIMER_STARTS_SAVED * 30 * SECONDS_TO_START * Use(1).memory_gb * GB_SECOND
    heads = (
        "function groups",
        "count",
        "monthly cost of starting instances",
        "monthly cost of always-ready instances with `ZONE_REDUNDANT`",
    )
    yield f"| {' | '.join(heads)} | maximum number of instances |"
    yield "|---|---:|---:|---:|---:|"
    for name, count in FEWER_GROUPS.items():
        saved = 0.0 if count == GROUPS else started
        starts = TIMERS_A_DAY * 30 * SECONDS_TO_START * Use(1).memory_gb * GB_SECOND - saved
        ready = count * INSTANCES_OF_A_GROUP * instance
        yield f"| {name} | {count} | {starts:.2f} | {ready:.2f} | {count * MOST_INSTANCES} |"


def load() -> Iterator[str]:
    """Yield the load on storage and on the updates API. Each timer runs only once, regardless of the number of
    instances.
    """
    yield "| load | " + " | ".join(f"{count:,}" for count in INSTANCES) + " | limit |"
    yield "|---|" + "---:|" * (len(INSTANCES) + 1)
    looks = [count / SECONDS_BETWEEN_LOOKS for count in INSTANCES]
    yield _row("reads of the pointer to the index, per second", looks, f"{BLOB_REQUESTS_A_SECOND}")
    moved = [count * INDEX_MB for count in INSTANCES]
    yield _row("MB read in the minute after a sync, to load the new index", moved, f"{ACCOUNT_MB_A_SECOND * 60:,.0f}")
    begin = [2.0 * count for count in INSTANCES]
    yield _row(
        "requests to storage if all instances start within the same second", begin, f"{ACCOUNT_REQUESTS_A_SECOND:,}"
    )
    first = [60 * count / SECONDS_BETWEEN_FIRST_SYNCS for count in INSTANCES]
    yield _row(
        "attempts per minute to lock the pointer, while there is no index",
        first,
        f"{BLOB_REQUESTS_A_SECOND * 60:,}",
    )
    yield _row("requests to the updates API per hour", [reading(UPDATES_A_WEEK)] * len(INSTANCES), "")
    yield _row("requests to the updates API for the daily full sync", [reading(UPDATES)] * len(INSTANCES), "")


def reading(updates: int) -> float:
    """Return how many requests are needed to read this many updates: one request per page, and two requests that count
    the updates.
    """
    return ceil(updates / PAGE) + 2.0


def _row(name: str, values: list[float], limit: str) -> str:
    return (
        f"| {name} | "
        + " | ".join(f"{value:,.2f}" if value < 1 else f"{value:,.0f}" for value in values)
        + f" | {limit} |"
    )
