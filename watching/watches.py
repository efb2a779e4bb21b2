"""The operations on watches: create, change, renew, test and delete."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from secrets import token_hex
from time import monotonic, time
from typing import TYPE_CHECKING, Final

from refusal import Refusal
from watching.delivery import NoticeOccasion, WatchDelivery, WatchDeliveryState
from watching.feed import MOST_NOTICES, feed_of, mark_of, new_token
from watching.watch import FEED, Watch, WatchDestination, checked_name
from watching.wording import notification_of

if TYPE_CHECKING:
    from notifying.sending import NotificationSender
    from tasks.tasks import Tasks
    from watching.destinations import WatchDestinations
    from watching.dispatch import NoticeDispatch
    from watching.rounds import WatchRounds
    from watching.store import WatchStore
    from watching.subject import WatchSubject

MOST_OF_A_TENANT: Final = 100
_MOST_SHOWN: Final = 10


@dataclass(frozen=True)
class NamedAddress:
    """The channel that a user enters. The URL and the secret are never shown."""

    url: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)


@dataclass(frozen=True)
class SentTest:
    """The result of a test notice. `why` is empty if the notice arrived."""

    state: WatchDeliveryState
    seconds: float
    why: str = ""


@dataclass(frozen=True)
class Watches:
    store: WatchStore
    subject_of: Callable[[Watch], WatchSubject]
    destinations: WatchDestinations
    sender: NotificationSender
    rounds: WatchRounds
    dispatch: NoticeDispatch
    clock: Callable[[], float] = time

    async def named(self, tenant: str, name: str) -> Watch:
        """Return the watch with this name.

        Raises:
            Refusal: The tenant has no watch with this name. The message lists the existing watches.
        """
        if (watch := await self.store.find(tenant, checked_name(name))) is not None:
            return watch
        names = ", ".join(one.name for one in await self.store.of_tenant(tenant))
        raise Refusal(f"Watch {name!r} not found. " + (f"Watches: {names}." if names else "There are no watches yet."))

    async def all_of(self, tenant: str) -> list[Watch]:
        return await self.store.of_tenant(tenant)

    async def drafted(self, watch: Watch) -> int:
        """Check a new watch, and return the number of updates or retirements that it would match now."""
        if await self.store.find(watch.tenant, checked_name(watch.name)):
            raise Refusal(
                f"Watch {watch.name!r} already exists. Choose another name, or change the existing watch with"
                " update_watch."
            )
        if len(await self.store.of_tenant(watch.tenant)) >= MOST_OF_A_TENANT:
            raise Refusal(
                f"There are {MOST_OF_A_TENANT} watches, which is the limit. Delete a watch with delete_watch."
            )
        return (await self.subject_of(watch).begin(watch)).count

    def destination(self, watch: str, to: str, address: NamedAddress) -> WatchDestination:
        """Return the destination that the user entered.

        Raises:
            Refusal: The destination is invalid.
        """
        if address.url:
            return self.destinations.named(watch, to, address.url, address.secret)
        return self.destinations.known(to)

    async def create(self, watch: Watch, address: NamedAddress) -> tuple[Watch, str]:
        """Create a watch that starts now. Return the watch and, if it has a feed, the token of this feed."""
        now = self.clock()
        destination, token = _with_new_feed(self.destination(watch.id, watch.destination.to, address))
        findings = await self.subject_of(watch).begin(watch)
        due = watch.pace.next(now)
        begun = replace(watch, destination=destination, created=now, due=due, cursor=findings.cursor).renewed(now)
        return await self.store.add(begun, findings.memory), token

    async def update(
        self, watch: Watch, changed: Watch, address: NamedAddress | None, *, has_new_feed: bool = False
    ) -> tuple[Watch, str]:
        """Change a watch. If the search of the watch changes, the current results of the new search are not news."""
        destination, token = changed.destination, ""
        if address is not None or has_new_feed:
            destination, token = _with_new_feed(self.destination(watch.id, destination.to, address or NamedAddress()))
        memory = None
        if changed.searched != watch.searched:
            # Keep the cursor, so that changes since the last notice are also news for the new search.
            changed, memory = replace(changed, trouble=""), (await self.subject_of(changed).begin(changed)).memory
        if changed.pace is not watch.pace:
            changed = replace(changed, due=changed.pace.next(self.clock()))
        stored = await self.store.replace(replace(changed, destination=destination), memory)
        if watch.destination.feed and watch.destination.feed != destination.feed:
            await self.store.revoke_feed(watch.destination.feed)
        return stored, token

    async def renew(self, watch: Watch) -> Watch:
        """Extend the lifetime of a watch. If the watch has expired, it starts over, and does not report changes that
        were made in the meantime.
        """
        now = self.clock()
        if not watch.is_expired(now):
            return await self.store.replace(watch.renewed(now))
        findings = await self.subject_of(watch).begin(watch)
        begun = replace(watch, cursor=findings.cursor, due=watch.pace.next(now), trouble="")
        return await self.store.replace(begun.renewed(now), findings.memory)

    async def delete(self, watch: Watch) -> None:
        await self.store.remove(watch)

    async def send_test(self, watch: Watch) -> SentTest:
        """Send a test notice immediately and without retries. Raise a Refusal if the watch has a feed."""
        if watch.destination.to == FEED:
            raise Refusal("A feed sends no notices. Open its URL instead; update_watch creates a new URL.")
        name = f"{watch.id}-test-{token_hex(8)}"
        test = WatchDelivery(id=name, watch=watch.key, occasion=NoticeOccasion.TEST, created=self.clock())
        began = monotonic()
        state, why = await self._sent(test, watch)
        return SentTest(state, monotonic() - began, why)

    async def _sent(self, test: WatchDelivery, watch: Watch) -> tuple[WatchDeliveryState, str]:
        try:
            target = self.destinations.target_of(watch)
            is_sure = await self.sender.send(target, notification_of(test, watch))
        except Refusal as refused:
            return WatchDeliveryState.SET_ASIDE, str(refused)
        if is_sure:
            return WatchDeliveryState.DELIVERED, ""
        return WatchDeliveryState.UNKNOWN, "The receiver did not answer in time."

    async def notices(self, watch: Watch) -> Sequence[WatchDelivery]:
        return await self.store.deliveries(watch, _MOST_SHOWN)

    async def set_aside(self, watch: Watch) -> list[WatchDelivery]:
        """Return the notices of a watch that could not be delivered."""
        deliveries = await self.store.deliveries(watch, None)
        return [one for one in deliveries if one.state is WatchDeliveryState.SET_ASIDE]

    async def resend(self, deliveries: Sequence[WatchDelivery], tasks: Tasks) -> int:
        """Resend the notices that could not be delivered."""
        now = self.clock()
        waiting = [await self.store.move(delivery.waiting(now)) for delivery in deliveries]
        return await self.rounds.send(waiting, tasks)

    async def feed(self, token: str) -> bytes | None:
        """Return the feed with this token, or None if the feed does not exist or its watch has expired."""
        watch = await self.store.of_feed(mark_of(token)) if token else None
        if watch is None or watch.is_expired(self.clock()):
            return None
        deliveries = await self.store.deliveries(watch, MOST_NOTICES)
        return feed_of(watch, [one for one in deliveries if one.state is WatchDeliveryState.PUBLISHED])

    async def forget(self) -> None:
        """Delete watches that expired long ago, and old notices."""
        await self.store.forget(self.clock())

    async def health(self) -> Mapping[str, object]:
        """Report the health of watches, even if the storage is not responding."""
        try:
            watches, aside = await self.store.everything(), await self.store.set_aside()
        except Refusal as away:
            return {"status": "unavailable", "advice": str(away)}
        now = self.clock()
        failing = sum(bool(watch.trouble) for watch in watches)
        expired = sum(watch.is_expired(now) for watch in watches)
        status = "failing" if aside or failing else "ok"
        return {"status": status, "watches": len(watches), "expired": expired, "failing": failing, "setAside": aside}


def _with_new_feed(destination: WatchDestination) -> tuple[WatchDestination, str]:
    if destination.to != FEED:
        return destination, ""
    token = new_token()
    return replace(destination, feed=mark_of(token)), token
