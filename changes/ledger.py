"""Stores changes. Each step is a conditional write, so only one of two concurrent steps succeeds.

The storage contains:

- a row for each change, with a random key that sorts the newest change first
- a row for each call, with the ID of its latest change
- a file with the preview of each change, written before the row
- a row for each preview that takes longer than one call
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from secrets import token_urlsafe
from time import time
from typing import Any, Final

from pydantic_core import from_json, to_json

from changes.approval_request import ApprovalRequest, ApprovalState, Decision, Who
from changes.plan import Plan
from changes.preview import Preview
from clients.storage import ConflictError, Row, Storage, StorageError
from refusal import Refusal

_PARTITION: Final = "changes"
_CHANGE, _CALL, _LOOK = "change-", "call-", "look-"
# IDs start with the number of milliseconds until this time, so that the newest change sorts first.
_END_OF_TIME: Final = 10**13
_SECONDS_KEPT: Final = 90 * 86400.0
_SECONDS_LOOKS_ARE_KEPT: Final = 86400.0
_MOST_FORGOTTEN: Final = 1000
_GONE: Final = "This change does not exist or has expired."
_AWAY: Final = "Changes cannot be stored, because the storage is not responding. Nothing was done. Try again."


class ChangeOvertakenError(Refusal):
    """Another request has modified the change since it was read."""


@dataclass(frozen=True, slots=True)
class ShownPlan:
    """The stored data of a plan: the arguments and the preview."""

    arguments: Mapping[str, Any]
    preview: Preview


@dataclass(frozen=True, slots=True)
class StartedLook:
    """A preview that the service is still preparing.

    The record contains the start time of the preview, the time of the last check, and the data that the next call needs
    to resume the preview. The record does not contain a token.
    """

    begun: float
    seen: float
    trail: Mapping[str, Any]
    # A hash of the secret arguments, to recognize a call with the same secrets.
    seal: str = ""


async def _no_watcher(_change: ApprovalRequest) -> None:
    """Do nothing. This is the default for `watched`."""


@dataclass
class Ledger:
    """Stores changes and previews.

    `storage` is opened on first use. `watched` is called with each new change, and again when that change is approved,
    denied or outdated.
    """

    storage: Callable[[], Storage]
    seconds: int = 3600
    clock: Callable[[], float] = time
    watched: Callable[[ApprovalRequest], Awaitable[None]] = _no_watcher
    _opened: Storage | None = field(default=None, init=False)
    _is_prepared: bool = field(default=False, init=False)

    async def last_of(self, who: Who, call: str) -> ApprovalRequest | None:
        """The latest change that this caller requested with exactly this call, including its arguments."""
        rows = await self._or_refusal(self._open_storage().read_rows(_PARTITION, [_key_of_call(who, call)]))
        return await self.find(rows[0].content.decode()) if rows else None

    async def find(self, name: str) -> ApprovalRequest | None:
        """Find a change by its ID, in its current state."""
        if not _is_id(name):
            return None
        rows = await self._or_refusal(self._open_storage().read_rows(_PARTITION, [_CHANGE + name]))
        return _change(rows[0]) if rows else None

    async def shown(self, change: ApprovalRequest) -> ShownPlan:
        """The stored preview of a change.

        Raises:
            Refusal: The preview no longer exists.
        """
        file = await self._or_refusal(self._open_storage().read_file(change.id))
        if file is None:
            raise Refusal(_GONE)
        stored = from_json(file.content)
        return ShownPlan(stored["arguments"], replace(Preview.of(stored["preview"]), pins=stored.get("pins", {})))

    async def shown_before(self, change: ApprovalRequest) -> Preview | None:
        """The preview of the earlier request that this change replaced, if any."""
        replaced = await self.find(change.replaces)
        return (await self.shown(replaced)).preview if replaced else None

    async def newest(self, limit: int, after: str = "") -> list[ApprovalRequest]:
        """The newest changes. If `after` is the ID of a change, include only older changes."""
        rows = await self._or_refusal(self._open_storage().scan(_PARTITION, _CHANGE, limit, after=_CHANGE + after))
        return [_change(row) for row in rows]

    async def propose(self, plan: Plan, change: ApprovalRequest) -> ApprovalRequest:
        """Store a new change for a plan. The new change replaces the earlier change for the same call.

        Raises:
            Refusal: The change could not be stored.
        """
        storage = await self._ready()
        now = self.clock()
        name = f"{_END_OF_TIME - int(now * 1000):013}-{token_urlsafe(18)}"
        made = replace(change, id=name, created=now, until=now + self.seconds)
        shown = {"arguments": plan.shown_arguments, "preview": plan.preview.document, "pins": plan.preview.pins}
        await self._or_refusal(storage.create_file(name, to_json(shown, inf_nan_mode="constants")))
        of_the_call = Row(_key_of_call(change.asked_by, plan.call), name.encode())
        # Two concurrent calls may each store a change. Later calls find the change that was written last.
        row = Row(_CHANGE + name, made.content)
        kept = replace(made, version=(await self._or_refusal(storage.put_rows(_PARTITION, row, [of_the_call]))).version)
        await self.watched(kept)
        return kept

    async def decide(self, change: ApprovalRequest, decision: Decision) -> ApprovalRequest:
        """Store a decision. If there are several decisions on a change, only the first is stored."""
        decided = await self._swapped(change, change.decided(decision))
        await self.watched(decided)
        return decided

    async def begin(self, change: ApprovalRequest) -> ApprovalRequest:
        """Claim an approved change. Only the call whose claim succeeds may apply the change."""
        return await self._swapped(change, replace(change, state=ApprovalState.APPLYING, begun=self.clock()))

    async def end(self, change: ApprovalRequest, state: ApprovalState, result: str) -> ApprovalRequest:
        return await self._swapped(change, replace(change, state=state, ended=self.clock(), result=result[:500]))

    async def outdate(self, change: ApprovalRequest) -> ApprovalRequest:
        outdated = await self._swapped(change, replace(change, state=ApprovalState.OUTDATED, ended=self.clock()))
        await self.watched(outdated)
        return outdated

    async def forget(self, older_than: float = _SECONDS_KEPT) -> int:
        """Remove changes that are older than this many seconds, and return their number.

        By default, changes are kept for 90 days, so that each audit record can be traced to its change.
        """
        oldest = _CHANGE + self.oldest_kept(older_than)
        rows = await self._or_refusal(self._open_storage().scan(_PARTITION, _CHANGE, _MOST_FORGOTTEN, after=oldest))
        for change in map(_change, rows):
            await self._or_refusal(self._forget(change))
        await self._forget_looks(older_than=min(older_than, _SECONDS_LOOKS_ARE_KEPT))
        return len(rows)

    def oldest_kept(self, seconds: float = _SECONDS_KEPT) -> str:
        """The ID prefix of changes that are this many seconds old. IDs of older changes sort after this prefix."""
        return f"{_END_OF_TIME - int((self.clock() - seconds) * 1000):013}"

    async def look_under_way(self, who: Who, call: str) -> StartedLook | None:
        """The preview that the service is still preparing for this caller's call, if there is one."""
        rows = await self._or_refusal(self._open_storage().read_rows(_PARTITION, [_key_of_look(who, call)]))
        return _look(rows[0]) if rows else None

    async def keep_look(self, who: Who, call: str, look: StartedLook) -> None:
        """Store the data that a later call needs to resume a preview.

        If two calls store data at the same time, the later write wins.
        """
        storage = await self._ready()
        row = Row(_key_of_look(who, call), to_json(asdict(look)))
        await self._or_refusal(storage.put_row(_PARTITION, row))

    async def end_look(self, who: Who, call: str) -> None:
        await self._or_refusal(self._open_storage().remove_row(_PARTITION, _key_of_look(who, call)))

    async def _forget_looks(self, older_than: float) -> None:
        for row in await self._or_refusal(self._open_storage().scan(_PARTITION, _LOOK, _MOST_FORGOTTEN)):
            if _look(row).begun < self.clock() - older_than:
                await self._or_refusal(self._open_storage().remove_row(_PARTITION, row.key))

    async def _forget(self, change: ApprovalRequest) -> None:
        storage, key = self._open_storage(), _key_of_call(change.asked_by, change.call)
        last = await storage.read_rows(_PARTITION, [key])
        if last and last[0].content.decode() == change.id:
            await storage.remove_row(_PARTITION, key)
        await storage.remove_file(change.id)
        # Remove the row last. If the removal is interrupted, the next run finds the change again.
        await storage.remove_row(_PARTITION, _CHANGE + change.id)

    async def close(self) -> None:
        if self._opened:
            await self._opened.close()

    async def _swapped(self, change: ApprovalRequest, new: ApprovalRequest) -> ApprovalRequest:
        guard = Row(_CHANGE + change.id, new.content, change.version)
        try:
            written = await self._open_storage().put_rows(_PARTITION, guard, [])
        except ConflictError:
            raise ChangeOvertakenError(
                "Someone else decided on this change or applied it at the same time. Nothing was done. Check the"
                " change again."
            ) from None
        except StorageError:
            raise Refusal(_AWAY) from None
        return replace(new, version=written.version)

    async def _ready(self) -> Storage:
        storage = self._open_storage()
        if not self._is_prepared:
            await self._or_refusal(storage.prepare())
            self._is_prepared = True
        return storage

    def _open_storage(self) -> Storage:
        if self._opened is None:
            self._opened = self.storage()
        return self._opened

    async def _or_refusal(self, reading: Any) -> Any:
        try:
            return await reading
        except StorageError:
            raise Refusal(_AWAY) from None


def _change(row: Row) -> ApprovalRequest:
    return ApprovalRequest.read(row.content, row.version)


def _is_id(text: str) -> bool:
    return 20 < len(text) < 60 and text.isascii() and all(letter.isalnum() or letter in "-_" for letter in text)


def _look(row: Row) -> StartedLook:
    return StartedLook(**{"seen": 0.0, **from_json(row.content)})


def _key_of_call(who: Who, call: str) -> str:
    return _CALL + _caller_key(who, call)


def _key_of_look(who: Who, call: str) -> str:
    return _LOOK + _caller_key(who, call)


def _caller_key(who: Who, call: str) -> str:
    return sha256(json.dumps([who.kind, who.tenant, who.subject, who.client, who.agent, call]).encode()).hexdigest()
