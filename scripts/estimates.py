"""What many users cost, and what many instances ask of others, from named assumptions and the app's own numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Final

from kept_index.reader import SECONDS_BETWEEN_LOOKS
from updates.library import SECONDS_BETWEEN_FIRST_SYNCS
from updates.reading.feed import PAGE

INSTANCES: Final = (1, 10, 100, 1000)

# The feed and the index, as docs/benchmarks.md measures them.
UPDATES: Final = 10_000
INDEX_MB: Final = 12.8
# A delta reads again what was modified in the last week.
UPDATES_A_WEEK: Final = 100

# Limits of one storage account: https://learn.microsoft.com/azure/storage/common/scalability-targets-standard-account
ACCOUNT_REQUESTS_A_SECOND: Final = 20_000
BLOB_REQUESTS_A_SECOND: Final = 500
ACCOUNT_MB_A_SECOND: Final = 25_000 / 8

# Dollars, list prices of East US without discounts.
GB_SECOND, FREE_GB_SECONDS = 0.000026, 100_000
READY_GB_SECOND: Final = 0.000004  # besides its work, which is then cheaper, and has no free part
MILLION_EXECUTIONS, FREE_EXECUTIONS = 0.40, 250_000
GB_OF_LOGS, FREE_GB_OF_LOGS = 2.30, 5
PRIVATE_ENDPOINT, PRIVATE_ZONE = 7.30, 0.50
NAT_GATEWAY, PUBLIC_ADDRESS = 32.85, 3.65  # and 0.045 a gigabyte that goes through
# Of the app's blobs, queues and tables, and of its vault.
PRIVATE_ENDPOINTS: Final = 4
# Flex Consumption scales each of these apart: all requests, each of the four jobs whose schedule is a
# setting, the chores of all others, and the queue.
GROUPS: Final = 7
# In several zones, so many instances of each group are always ready.
INSTANCES_OF_A_GROUP: Final = 2
# If all timers were one function, and if that also did the work of the queue.
FEWER_GROUPS: Final = {"as it is": GROUPS, "one timer": 3, "one timer that does the work of the queue": 2}
# Starts of the timers a day, and seconds until an instance of 2 GB that starts for one has imported the app.
TIMERS_A_DAY, TIMER_STARTS_SAVED, SECONDS_TO_START = 122, 50, 2.0
ALERT_OF_5_MINUTES, ALERT_OF_LONGER = 1.50, 0.50
ALERTS_OF_5_MINUTES, ALERTS_OF_LONGER = 1, 7
STORAGE_AND_VAULT: Final = 1.00  # some hundred megabytes, and some hundred thousand requests
SECONDS_A_MONTH: Final = 730 * 3600
SECONDS_A_DAY: Final = 86_400

# What the template has where nobody chose.
MOST_INSTANCES: Final = 100
CAP_OF_LOGS_GB: Final = 1
# What an instance answers a second without asking anybody: half of what docs/scaling.md measures on two cores.
ANSWERED_A_SECOND: Final = 500

# Milliseconds of a processor that a request takes, as `scripts/load --team` measures them, and the share of the one
# processor of an instance that is used before another one starts.
MILLISECONDS_A_REQUEST, BUSY = 5.0, 0.6
# A working day has so many hours, and its busiest moment so many times the requests of its average.
HOURS_A_DAY, PEAK = 8, 5
SIZES: Final = (10, 100, 1_000, 10_000)


@dataclass(frozen=True, slots=True)
class Use:
    """What a month of users asks for. Every request is billed a whole second of its own: the worst case."""

    users: int
    calls_a_day: int = 50
    days: int = 21
    requests_a_call: float = 1.5  # a client also lists tools, and starts anew
    seconds_a_request: float = 1.0  # the least that is billed
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
        return self.calls * self.logs_kb_a_call / 1e6 + 0.5  # and the host's own


def bill(use: Use) -> dict[str, float]:
    """Dollars a month, by what is paid for."""
    return {
        "work": max(use.gb_seconds - FREE_GB_SECONDS, 0) * GB_SECOND,
        "executions": max(use.requests - FREE_EXECUTIONS, 0) / 1e6 * MILLION_EXECUTIONS,
        "logs": max(use.gb_of_logs - FREE_GB_OF_LOGS, 0) * GB_OF_LOGS,
        "alerts": ALERTS_OF_5_MINUTES * ALERT_OF_5_MINUTES + ALERTS_OF_LONGER * ALERT_OF_LONGER,
        "storage and vault": STORAGE_AND_VAULT,
    }


def peak(use: Use) -> float:
    """Requests a second at the busiest moment."""
    return use.users * use.calls_a_day * use.requests_a_call / (HOURS_A_DAY * 3600) * PEAK


def most_answered() -> float:
    """Requests a second that one instance with one processor answers."""
    return 1000 / MILLISECONDS_A_REQUEST * BUSY


def instances() -> Iterator[str]:
    """How many instances users take at the busiest moment, and what they cost a month."""
    heads = ("users", "requests a second at the peak", "instances for them", "of each other group", "dollars a month")
    yield f"| {' | '.join(heads)} |"
    yield "|---:|---:|---:|---:|---:|"
    for use in map(Use, SIZES):
        needed = ceil(peak(use) / most_answered())
        together = sum(bill(use).values())
        yield f"| {use.users:,} | {peak(use):,.1f} | {needed} | at most 1 | {together:,.2f} |"


def options() -> dict[str, float]:
    """Dollars a month that an option adds."""
    instance = SECONDS_A_MONTH * 2 * READY_GB_SECOND
    return {
        "an instance of 2 GB that is always ready": instance,
        "several zones": GROUPS * INSTANCES_OF_A_GROUP * instance,
        "private endpoints": PRIVATE_ENDPOINTS * (PRIVATE_ENDPOINT + PRIVATE_ZONE),
        "a private endpoint of the app": PRIVATE_ENDPOINT + PRIVATE_ZONE,
        "a fixed outgoing address": NAT_GATEWAY + PUBLIC_ADDRESS,
    }


def costs() -> Iterator[str]:
    uses = [Use(users) for users in (10, 100, 1000)]
    bills = [bill(use) for use in uses]
    yield "| a month, in dollars | " + " | ".join(f"{use.users:,} users" for use in uses) + " |"
    yield "|---|" + "---:|" * len(uses)
    for part in bills[0]:
        yield f"| {part} | " + " | ".join(f"{one[part]:.2f}" for one in bills) + " |"
    yield "| **together** | " + " | ".join(f"**{sum(one.values()):.2f}**" for one in bills) + " |"
    yield from (f"| {name} | " + " | ".join([f"+ {price:.2f}"] * len(uses)) + " |" for name, price in options().items())


def worst_day(instances: int = MOST_INSTANCES) -> dict[str, float]:
    """Dollars of a day on which a flood keeps the maximum of one group at work, and logs reach their cap."""
    requests = instances * ANSWERED_A_SECOND * SECONDS_A_DAY
    return {
        f"{instances} instances of 2 GB at work": instances * SECONDS_A_DAY * Use(1).memory_gb * GB_SECOND,
        f"executions, {ANSWERED_A_SECOND} a second on each": requests / 1e6 * MILLION_EXECUTIONS,
        f"{CAP_OF_LOGS_GB} GB of logs": CAP_OF_LOGS_GB * GB_OF_LOGS,
    }


def worst() -> Iterator[str]:
    few = 40
    most, least = worst_day(), worst_day(few)
    yield f"| the worst day, in dollars | as it is | with `MAXIMUM_INSTANCE_COUNT` {few} |"
    yield "|---|---:|---:|"
    for part, (one, other) in zip(most, zip(most.values(), least.values(), strict=True), strict=True):
        yield f"| {part.replace(f'{MOST_INSTANCES} instances', 'instances')} | {one:,.2f} | {other:,.2f} |"
    yield f"| **together** | **{sum(most.values()):,.2f}** | **{sum(least.values()):,.2f}** |"
    usual = sum(bill(Use(100)).values()) * 12 / 365
    yield f"| a usual day of 100 users | {usual:,.2f} | {usual:,.2f} |"


def groups() -> Iterator[str]:
    """What fewer function groups would save: nothing that runs on demand is billed while it waits."""
    instance = SECONDS_A_MONTH * 2 * READY_GB_SECOND
    started = TIMER_STARTS_SAVED * 30 * SECONDS_TO_START * Use(1).memory_gb * GB_SECOND
    heads = ("function groups", "count", "starts of instances, a month", "always ready in several zones, a month")
    yield f"| {' | '.join(heads)} | most instances |"
    yield "|---|---:|---:|---:|---:|"
    for name, count in FEWER_GROUPS.items():
        saved = 0.0 if count == GROUPS else started
        starts = TIMERS_A_DAY * 30 * SECONDS_TO_START * Use(1).memory_gb * GB_SECOND - saved
        ready = count * INSTANCES_OF_A_GROUP * instance
        yield f"| {name} | {count} | {starts:.2f} | {ready:.2f} | {count * MOST_INSTANCES} |"


def load() -> Iterator[str]:
    """What is asked of the storage and of the updates API. Timers run once, however many instances there are."""
    yield "| asked of | " + " | ".join(f"{count:,}" for count in INSTANCES) + " | limit |"
    yield "|---|" + "---:|" * (len(INSTANCES) + 1)
    looks = [count / SECONDS_BETWEEN_LOOKS for count in INSTANCES]
    yield _row("the pointer to the index, reads a second", looks, f"{BLOB_REQUESTS_A_SECOND}")
    moved = [count * INDEX_MB for count in INSTANCES]
    yield _row("a new index, MB in the minute after a sync", moved, f"{ACCOUNT_MB_A_SECOND * 60:,.0f}")
    begin = [2.0 * count for count in INSTANCES]
    yield _row("all instances starting within a second, requests", begin, f"{ACCOUNT_REQUESTS_A_SECOND:,}")
    first = [60 * count / SECONDS_BETWEEN_FIRST_SYNCS for count in INSTANCES]
    yield _row("leases tried a minute, before the first sync is done", first, f"{BLOB_REQUESTS_A_SECOND * 60:,}")
    yield _row("updates API, requests an hour", [reading(UPDATES_A_WEEK)] * len(INSTANCES), "")
    yield _row("updates API, requests of the daily comparison", [reading(UPDATES)] * len(INSTANCES), "")


def reading(updates: int) -> float:
    """How many requests it takes to read so many updates: their pages, and a count before and after."""
    return ceil(updates / PAGE) + 2.0


def _row(what: str, values: list[float], limit: str) -> str:
    return (
        f"| {what} | "
        + " | ".join(f"{value:,.2f}" if value < 1 else f"{value:,.0f}" for value in values)
        + f" | {limit} |"
    )
