"""Stores watches and their notices in one table partition, so that related rows can be written together.

Each step is one conditional write, so only one of two concurrent writers succeeds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from clients.storage import ConflictError, Row, Storage, StorageError
from refusal import Refusal
from watching.delivery import WatchDelivery, WatchDeliveryState
from watching.watch import DAY, DAYS_KEPT_EXPIRED, Watch, key_of

V = TypeVar("V")

# The table of watches, and the name of its only partition.
PURPOSE: Final = "watches"
_WATCH, _MEMORY, _NOTICE, _OPEN, _ASIDE, _FEED = "watch:", "memory:", "notice:", "open:", "aside:", "feed:"
# The row keys of notices count down from this number, so that the newest notice comes first.
_LAST_NUMBER: Final = 10**9
_DAYS_NOTICES_ARE_KEPT: Final = 30
_MOST_KEPT: Final = 200
_AWAY: Final = "Watches are unavailable because the storage does not answer. Try again in a minute."
_OVERTAKEN: Final = "This watch was changed at the same time. Check the watch with show_watch, then try again."


class WatchOvertakenError(Refusal):
    """Another process has changed the watch or notice since it was read."""


@dataclass
class WatchStore:
    """Stores watches. `storage` is opened on first use."""

    storage: Callable[[], Storage]
    _opened: Storage | None = field(default=None, init=False)
    _is_prepared: bool = field(default=False, init=False)

    async def find(self, tenant: str, name: str) -> Watch | None:
        return await self.at(key_of(tenant, name))

    async def at(self, key: str) -> Watch | None:
        rows = await _or_refusal(self._kept().read_rows(PURPOSE, [_WATCH + key]))
        return Watch.read(rows[0].content, rows[0].version) if rows else None

    async def of_tenant(self, tenant: str) -> list[Watch]:
        return await self._watches(key_of(tenant, ""))

    async def everything(self) -> list[Watch]:
        return await self._watches("")

    async def of_feed(self, mark: str) -> Watch | None:
        """Return the watch whose feed token has this hash."""
        rows = await _or_refusal(self._kept().read_rows(PURPOSE, [_FEED + mark]))
        watch = await self.at(rows[0].content.decode()) if rows else None
        return watch if watch and watch.destination.feed == mark else None

    async def add(self, watch: Watch, memory: bytes) -> Watch:
        """Store a new watch.

        Raises:
            WatchOvertakenError: The name is already used.
        """
        if not self._is_prepared:
            await _or_refusal(self._kept().prepare())
            self._is_prepared = True
        return await self.replace(watch, memory)

    async def replace(
        self, watch: Watch, memory: bytes | None = None, deliveries: Sequence[WatchDelivery] = ()
    ) -> Watch:
        """Store a watch, new notices and data for the next check. Raise WatchOvertakenError if the watch changed."""
        rows = [] if memory is None else [Row(_MEMORY + watch.id, memory)]
        rows += [row for delivery in deliveries for row in _rows(delivery)]
        if watch.destination.feed:
            rows.append(Row(_FEED + watch.destination.feed, watch.key.encode()))
        written = await self._put(Row(_WATCH + watch.key, watch.content, watch.version), rows)
        return replace(watch, version=written)

    async def remove(self, watch: Watch) -> None:
        """Delete a watch with all its data. The row of the watch is deleted first, so that no further
        notices are sent.
        """
        await self._remove(_WATCH + watch.key)
        await self._remove(_MEMORY + watch.id)
        if watch.destination.feed:
            await self._remove(_FEED + watch.destination.feed)
        for delivery in await self.deliveries(watch, None):
            await self._forget(delivery)

    async def revoke_feed(self, mark: str) -> None:
        await self._remove(_FEED + mark)

    async def memory(self, watch: Watch) -> bytes:
        """Read the data that the last check of a watch stored for the next check."""
        rows = await _or_refusal(self._kept().read_rows(PURPOSE, [_MEMORY + watch.id]))
        return rows[0].content if rows else b""

    async def deliveries(self, watch: Watch, limit: int | None) -> list[WatchDelivery]:
        """Return the notices of a watch, newest first."""
        rows = await _or_refusal(self._kept().scan(PURPOSE, f"{_NOTICE}{watch.id}-", limit))
        return [WatchDelivery.read(row.content, row.version) for row in rows]

    async def delivery(self, name: str) -> WatchDelivery | None:
        rows = await _or_refusal(self._kept().read_rows(PURPOSE, [_key(name)]))
        return WatchDelivery.read(rows[0].content, rows[0].version) if rows else None

    async def move(self, delivery: WatchDelivery) -> WatchDelivery:
        """Store the status of a notice. Raise WatchOvertakenError if the notice changed since it was read."""
        guard, *rows = _rows(delivery)
        written = await self._put(guard, rows)
        # Outdated index rows do no harm, because a search for open notices also reads the notices themselves.
        if not delivery.is_open:
            await self._remove(_OPEN + delivery.id)
        if delivery.state is not WatchDeliveryState.SET_ASIDE:
            await self._remove(_ASIDE + delivery.id)
        return replace(delivery, version=written)

    async def open_ones(self) -> list[WatchDelivery]:
        """Return the notices that have not been sent yet."""
        rows = await _or_refusal(self._kept().scan(PURPOSE, _OPEN, _MOST_KEPT))
        found = [await self.delivery(row.key.removeprefix(_OPEN)) for row in rows]
        return [delivery for delivery in found if delivery and delivery.is_open]

    async def set_aside(self) -> int:
        """Count the notices that could not be delivered."""
        return len(await _or_refusal(self._kept().scan(PURPOSE, _ASIDE, _MOST_KEPT)))

    async def forget(self, now: float) -> None:
        """Delete watches that expired long ago, and old notices. If the process is killed, the next run deletes what is
        left.
        """
        for watch in await self.everything():
            if now > watch.expires + DAYS_KEPT_EXPIRED * DAY:
                await self.remove(watch)
                continue
            deliveries = await self.deliveries(watch, None)
            old = [one for one in deliveries if one.created < now - _DAYS_NOTICES_ARE_KEPT * DAY]
            for delivery in {one.id: one for one in [*deliveries[_MOST_KEPT:], *old]}.values():
                await self._forget(delivery)

    async def close(self) -> None:
        if self._opened:
            await self._opened.close()

    async def _watches(self, beginning: str) -> list[Watch]:
        rows = await _or_refusal(self._kept().scan(PURPOSE, _WATCH + beginning))
        return [Watch.read(row.content, row.version) for row in rows]

    async def _put(self, guard: Row, rows: Sequence[Row]) -> str | None:
        try:
            return (await _or_refusal(self._kept().put_rows(PURPOSE, guard, rows))).version
        except ConflictError:
            raise WatchOvertakenError(_OVERTAKEN) from None

    async def _forget(self, delivery: WatchDelivery) -> None:
        for key in (_OPEN + delivery.id, _ASIDE + delivery.id, _key(delivery.id)):
            await self._remove(key)

    async def _remove(self, key: str) -> None:
        await _or_refusal(self._kept().remove_row(PURPOSE, key))

    def _kept(self) -> Storage:
        if self._opened is None:
            self._opened = self.storage()
        return self._opened


def numbered(watch: Watch, number: int) -> str:
    """Return the id of a notice, given its watch and number."""
    return f"{watch.id}-{number}"


def _key(name: str) -> str:
    watch, _, number = name.rpartition("-")
    return f"{_NOTICE}{watch}-{_LAST_NUMBER - int(number):09}"


def _rows(delivery: WatchDelivery) -> list[Row]:
    """Return the rows of a notice: the notice itself and, if the notice is open or set aside, an index row."""
    rows = [Row(_key(delivery.id), delivery.content, delivery.version)]
    rows += [Row(_OPEN + delivery.id, b"")] if delivery.is_open else []
    rows += [Row(_ASIDE + delivery.id, b"")] if delivery.state is WatchDeliveryState.SET_ASIDE else []
    return rows


async def _or_refusal(reading: Awaitable[V]) -> V:
    try:
        return await reading
    except ConflictError:
        raise
    except StorageError:
        raise Refusal(_AWAY) from None
