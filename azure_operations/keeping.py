"""Updates the index of Azure operations.

Only one process at a time reads the operations from Azure, and this process may be killed at any time.

The new index is stored under its content hash before the pointer to the current index is changed. Therefore, an
interrupted run does no damage: its lease expires, and the next run starts over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from time import monotonic
from typing import Final

from azure_operations.reading import ImplausibleError, OperationsReading, Tell, read_operations
from azure_operations.record import Operation
from clients.azure.client import Azure
from clients.storage import Storage, StorageError
from kept_index.store import LEASE_SECONDS, IndexStore, Pointer, Turn
from refusal import Refusal
from shifts import SHIFTS

# The maximum share of operations, in percent, that may disappear between two runs.
LARGEST_LOSS: Final = 10.0
# The minimum time between the end of a run and the start of the next run. A run that would start earlier is skipped.
FRESH_FOR: Final = timedelta(hours=1)
_SECONDS_TO_READ: Final = 540.0

logger = logging.getLogger(__name__)

# Builds the index from all operations. The operations must be sorted by name. The function is called in a thread.
BuildIndex = Callable[[Iterable[Operation]], bytes]


class OperationsOutcome(Enum):
    BUILT = "built"
    FRESH = "fresh"
    BUSY = "busy"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class OperationsReport:
    """The result of reading Azure's operations, including the reason for a failure."""

    outcome: OperationsOutcome
    reason: str = ""
    operations: int = 0
    providers: int = 0
    malformed: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PublishedOperations(Pointer):
    """The published state of the operations: the time when Azure was read, the number of operations, and the providers
    that failed. `doubt` contains the reason why the last run was rejected.
    """

    read: datetime | None = None
    operations: int = 0
    providers: int = 0
    unread: tuple[str, ...] = ()
    doubt: str = ""


class OperationsStore(IndexStore[PublishedOperations]):
    """The storage of the operations index."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, PublishedOperations)


def utc_now() -> datetime:
    return datetime.now(UTC)


def _tell_nobody(_done: int, _of: int) -> None:
    """Ignore the progress of a run. Used if no callback for progress was passed."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the operations of an Azure cloud and stores them.

    If the format of the stored index is not the current format, the index is rebuilt.
    """

    azure: Azure
    store: OperationsStore
    build_index: BuildIndex
    index_format: str
    tell: Tell = _tell_nobody
    clock: Callable[[], datetime] = utc_now
    time_limit: float = _SECONDS_TO_READ

    async def run(self) -> OperationsReport:
        """Read and publish all operations.

        Do nothing if another process is already reading them. Errors are not raised, but returned in the report.
        """
        began = monotonic()
        try:
            async with asyncio.timeout(self.time_limit):
                report = await self._take_turn()
        except TimeoutError:
            report = OperationsReport(
                OperationsOutcome.FAILED, f"Reading the operations did not finish within {self.time_limit:.0f} s."
            )
        except (Refusal, StorageError) as error:
            report = OperationsReport(OperationsOutcome.FAILED, str(error))
        report = replace(report, seconds=round(monotonic() - began, 1))
        went_well = report.outcome in {OperationsOutcome.BUILT, OperationsOutcome.FRESH, OperationsOutcome.BUSY}
        logger.log(logging.INFO if went_well else logging.WARNING, "Azure operations: %s", report)
        return report

    async def _take_turn(self) -> OperationsReport:
        await self.store.prepare()
        async with self.store.turn() as turn:
            if turn is None:
                return OperationsReport(
                    OperationsOutcome.BUSY,
                    "Another process is reading the operations. If that process was killed, try again after"
                    f" {LEASE_SECONDS} s.",
                )
            if self._is_fresh(turn.published):
                return OperationsReport(OperationsOutcome.FRESH, operations=turn.published.operations)
            try:
                reading = await read_operations(self.azure, self.tell)
                self._refuse_loss(turn.published, reading)
            except ImplausibleError as error:
                await self.store.publish(turn, replace(turn.published, doubt=str(error)))
                return OperationsReport(OperationsOutcome.REFUSED, str(error))
            return await self._publish(turn, reading)

    def _is_fresh(self, published: PublishedOperations) -> bool:
        is_ours = published.index is not None and published.index_format == self.index_format
        return is_ours and published.read is not None and self.clock() - published.read < FRESH_FOR

    def _refuse_loss(self, published: PublishedOperations, reading: OperationsReading) -> None:
        if not reading.operations:
            raise ImplausibleError("Azure returned no operations.")
        percent = 100 * (1 - len(reading.operations) / max(published.operations, 1))
        if percent > LARGEST_LOSS:
            raise ImplausibleError(
                f"{percent:.0f} % of the known operations are missing, which is implausible: the limit is"
                f" {LARGEST_LOSS:g} %."
            )

    async def _publish(self, turn: Turn[PublishedOperations], reading: OperationsReading) -> OperationsReport:
        content = await asyncio.to_thread(SHIFTS.do, self.build_index, reading.operations)
        index = await self.store.add_index(content)
        now, count = self.clock(), len(reading.operations)
        await self.store.publish(
            turn, PublishedOperations(index, self.index_format, now, count, reading.providers, reading.unread)
        )
        await self.store.remove_old_indexes(index, now)
        return OperationsReport(OperationsOutcome.BUILT, "", count, reading.providers, reading.malformed)
