"""Previews and applies changes to watches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call, by_hand, never
from clients.answers import Json, present
from mcp_server.declarations.change import Change
from mcp_server.declarations.secret import Secret
from mcp_server.wording import alternatives
from notifying.forms import CHANNELS, WEBHOOK
from refusal import Refusal
from tasks.tasks import Tasks
from tools.watches.access import WATCH
from tools.watches.documents import filters_document, moment, search_document, watch_document
from updates.searching.search import SearchFilters
from watching.delivery import WatchDelivery
from watching.watch import DAY, DAYS, FEED, Watch, WatchDestination
from watching.watches import NamedAddress, Watches

_NOT_SHOWN: Final = "The address and the secret are stored encrypted and never shown again."
_KEEP_ADDRESS: Final = "Anyone with this URL can read the feed without signing in. The URL is shown only once."
_SHOWN: Final = "The watch sends its news out of this server: everyone who can read the destination sees the news."


@dataclass(frozen=True, slots=True)
class ChannelAddress:
    """The URL and secret of a channel, which are not revealed before the change is applied."""

    url: Secret[str] | None
    secret: Secret[str] | None

    @classmethod
    def of(cls, url: Secret[str] | None, secret: Secret[str] | None, to: str | None) -> ChannelAddress | None:
        """Return the channel that a call passes, or None if the destination stays the same.

        Raises:
            Refusal: A URL is passed without a destination type, or a secret is passed without a URL.
        """
        if url is None and secret is not None:
            raise Refusal("`secret` signs the requests to a webhook. Pass the webhook's `url`, too.")
        if url is not None and to is None:
            raise Refusal(f"With `url`, set `to` to {alternatives(CHANNELS)}.")
        if url is not None and to == WEBHOOK and secret is None:
            raise Refusal("A webhook requires a `secret` of at least 24 bytes to verify the sender.")
        return None if to is None else cls(url, secret)

    def revealed(self) -> NamedAddress:
        return NamedAddress(_revealed(self.url), _revealed(self.secret))


@dataclass(frozen=True)
class WatchCreation(Change[Json]):
    watches: Watches
    watch: Watch
    address: ChannelAddress
    origin: str
    found: int

    @classmethod
    async def of(cls, watches: Watches, watch: Watch, origin: str, address: ChannelAddress | None) -> WatchCreation:
        """Plan the creation of a watch.

        Raises:
            Refusal: The watch would be invalid.
        """
        named = address or ChannelAddress(None, None)
        if named.url is None:
            watches.destination(watch.id, watch.destination.to, NamedAddress())
        return cls(watches, watch, named, origin, await watches.drafted(watch))

    async def preview(self) -> Preview:
        return Preview(
            what=f"the watch {self.watch.name}",
            sentence=f"Create the watch {self.watch.name}",
            facts={**_searched(self.watch), "finds now": self.found, "sends to": _sent_to(self.watch, self.address)},
            effects=[_SHOWN],
            undo=by_call("delete_watch", name=self.watch.name),
            notes=[_NOT_SHOWN] if self.address.url else [],
        )

    async def apply(self) -> Json:
        made, token = await self.watches.create(self.watch, self.address.revealed())
        document = {**watch_document(made, self.watches.clock()), "findsNow": self.found}
        return {**document, **_feed(self.origin, token), "next": _next_call(made)}


@dataclass(frozen=True)
class WatchUpdate(Change[Json]):
    """A change to a watch. `address` is the new channel, or None if the destination stays the same."""

    watches: Watches
    before: Watch
    after: Watch
    address: ChannelAddress | None
    origin: str
    has_new_feed: bool = False

    @property
    def is_no_op(self) -> bool:
        return self.before == self.after and self.address is None and not self.has_new_feed

    async def preview(self) -> Preview:
        return Preview(
            what=f"the watch {self.before.name}",
            sentence=f"Change the watch {self.before.name}",
            edits=list(self._edits()),
            effects=[_SHOWN] if self.address else [],
            undo=self._undo(),
            notes=[_NOT_SHOWN] if self.address and self.address.url else [],
        )

    async def apply(self) -> Json:
        address = self.address.revealed() if self.address else None
        kept, token = await self.watches.update(self.before, self.after, address, has_new_feed=self.has_new_feed)
        return {**watch_document(kept, self.watches.clock()), **_feed(self.origin, token)}

    def _edits(self) -> Sequence[Edit]:
        before, after = _shown(self.before), _shown(self.after)
        edits = [Edit(name, before.get(name), after.get(name)) for name in {**before, **after}]
        edits += [Edit("address", "the current one", "a new one")] if self._has_other_address else []
        return [edit for edit in edits if edit.before != edit.after]

    @property
    def _has_other_address(self) -> bool:
        return bool(self.address and self.address.url) or self.has_new_feed

    def _undo(self) -> Undo:
        if self.before.destination.sealed and self.address:
            return by_hand("update_watch with the previous URL and secret, which are not shown")
        before = self.before
        call = by_call(
            "update_watch",
            name=before.name,
            query=None if before.scopes else before.query,
            filters=None if before.scopes else filters_document(before.filters),
            to=before.destination.to if self.address else None,
            when=before.pace.value,
        )
        return call.but("a feed keeps the new URL") if before.destination.to == FEED and self._is_fed_anew else call

    @property
    def _is_fed_anew(self) -> bool:
        return self.has_new_feed or bool(self.address)


@dataclass(frozen=True)
class WatchDeletion(Change[Json]):
    watches: Watches
    watch: Watch

    async def preview(self) -> Preview:
        return Preview(
            what=f"the watch {self.watch.name}",
            sentence=f"Delete the watch {self.watch.name}",
            facts={**_searched(self.watch), "sends to": self.watch.destination.shown, "owner": self.watch.owner},
            effects=["Pending notices are not sent, and the watch's feed stops working."],
            undo=self._undo(),
        )

    async def apply(self) -> Json:
        await self.watches.delete(self.watch)
        return {"deleted": self.watch.name}

    def _undo(self) -> Undo:
        watch = self.watch
        if watch.destination.sealed:
            return by_hand("create_watch with the previous URL and secret, which are not shown")
        call = by_call(
            "create_watch",
            name=watch.name,
            to=watch.destination.to,
            when=watch.pace.value,
            **search_document(watch),
        )
        return call.but("the new watch starts over, and a feed gets a new URL")


@dataclass(frozen=True)
class WatchRenewal(Change[Json]):
    watches: Watches
    watch: Watch

    async def preview(self) -> Preview:
        until = self.watches.clock() + DAYS * DAY
        return Preview(
            what=f"the watch {self.watch.name}",
            sentence=f"Renew the watch {self.watch.name}",
            facts={**_searched(self.watch), "sends to": self.watch.destination.shown},
            edits=[Edit("expires", moment(self.watch.expires)[:10], moment(until)[:10])],
            undo=never("the watch expires automatically; delete_watch ends the watch immediately"),
        )

    async def apply(self) -> Json:
        now = self.watches.clock()
        renewed = await self.watches.renew(self.watch)
        missed = "Changes made while the watch was expired are not sent: search with changedSince to find them."
        return {**watch_document(renewed, now), **({"missed": missed} if self.watch.is_expired(now) else {})}


@dataclass(frozen=True)
class NoticeResend(Change[Json]):
    """Resends notices that could not be delivered."""

    watches: Watches
    watch: Watch
    notices: Sequence[WatchDelivery]
    tasks: Tasks

    @property
    def is_no_op(self) -> bool:
        return not self.notices

    async def preview(self) -> Preview:
        return Preview(
            what=f"notices of the watch {self.watch.name}",
            sentence=f"Send {len(self.notices)} notices of the watch {self.watch.name} again",
            facts={
                "sends to": self.watch.destination.shown,
                "why these notices were not delivered": self.notices[0].trouble,
            },
            effects=[_SHOWN],
            undo=never("sent notices cannot be recalled"),
        )

    async def apply(self) -> Json:
        count = await self.watches.resend(self.notices, self.tasks) if self.notices else 0
        return {"sending": count, "next": {"tool": "show_watch", "name": self.watch.name}}


def moved(
    watches: Watches, watch: Watch, to: str | None, address: ChannelAddress | None
) -> tuple[Watch, ChannelAddress | None]:
    """Return the watch, with its destination changed if necessary, and the new channel, if there is one."""
    if to is None or address is None:
        return watch, None
    if address.url is not None:
        return replace(watch, destination=WatchDestination(to=to)), address
    known = watches.destination(watch.id, to, NamedAddress())
    stays = watch.destination.to == known.to and not watch.destination.sealed
    return (watch, None) if stays else (replace(watch, destination=known), address)


def with_search(watch: Watch, query: str | None, filters: SearchFilters | None) -> Watch:
    """Return the watch with a new search, or the unchanged watch if the call passes no search."""
    changed = watch if query is None else replace(watch, query=query)
    return changed if filters is None else replace(changed, filters=filters)


def _searched(watch: Watch) -> dict[str, Any]:
    shown = _shown(watch)
    return {name: shown[name] for name in ("query", "filters", "affects", "when") if name in shown}


def _shown(watch: Watch) -> dict[str, Any]:
    filters = [f"{name}: {_listed(value)}" for name, value in filters_document(watch.filters).items()]
    searched = {"query": watch.query, "filters": filters, "affects": list(watch.scopes)}
    return present({**searched, "when": watch.pace.value, "to": watch.destination.shown})


def _listed(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def _sent_to(watch: Watch, address: ChannelAddress) -> str:
    return f"{watch.destination.to}, at a URL that is not shown" if address.url else watch.destination.to


def _feed(origin: str, token: str) -> Json:
    return {"feed": f"{origin}/watches.atom?{WATCH}={token}", "keep": _KEEP_ADDRESS} if token else {}


def _next_call(watch: Watch) -> Json:
    tool = "show_watch" if watch.destination.to == FEED else "send_test"
    return {"tool": tool, "name": watch.name}


def _revealed(secret: Secret[str] | None) -> str:
    return secret.reveal() if secret else ""
