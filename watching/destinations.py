"""Determines the destination of a watch, which is either an operator's destination or a user's channel on an allowed
host.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import time
from typing import Final

from clients.public_fetch import checked_public
from identity.seals import Seals
from notifying.forms import CHANNELS, WEBHOOK
from notifying.targets import NotificationTarget
from refusal import Refusal
from tasks.work import HopelessError
from watching.watch import FEED, Watch, WatchChannel, WatchDestination

# The prefix of Base64 secrets, as defined by Standard Webhooks.
_IN_BASE64: Final = "whsec_"
_SHORTEST_SECRET: Final = 24
_ABOUT_SECRETS: Final = (
    "`secret` must have at least 24 bytes. Pass the secret as text, or in Base64 after the prefix whsec_. Generate"
    " a secret, for example with `openssl rand -hex 32`, and store it in your receiver, which verifies signatures"
    " with it."
)


@dataclass(frozen=True)
class WatchDestinations:
    """The possible destinations. `places` contains the destinations that the operator has set up. Users' channels
    must be on one of the `hosts`, and are encrypted with `keys`.
    """

    places: Mapping[str, NotificationTarget]
    hosts: Collection[str]
    keys: Sequence[str] = field(repr=False)
    clock: Callable[[], float] = time

    def known(self, to: str) -> WatchDestination:
        """Return the destination with this name: the feed, or a destination that the operator has set up.

        Raises:
            Refusal: The operator has not set up this destination.
        """
        if to == FEED or to in self.places:
            return WatchDestination(to=to)
        own = f" Channels on this server: {', '.join(sorted(self.places))}." if self.places else ""
        raise Refusal(
            f"`to` must be {FEED} or a channel on this server. With a `url`, `to` must be one of"
            f" {', '.join(CHANNELS)}.{own}"
        )

    def named(self, watch: str, to: str, url: str, secret: str) -> WatchDestination:
        """Return a destination with an encrypted channel. Error messages contain only the host of its URL."""
        if to not in CHANNELS:
            raise Refusal(f"With `url`, `to` must be one of {', '.join(CHANNELS)}.")
        if not self.keys:
            raise Refusal(
                "This server cannot store URLs. Ask an operator to set MCP_REQUEST_STATE_KEY, or"
                " use a channel on this server."
            )
        _check_secret(to, secret)
        host = self._host(url)
        return WatchDestination(to=to, sealed=self._seals.seal(WatchChannel(watch, url, secret)), host=host)

    def target_of(self, watch: Watch) -> NotificationTarget:
        """Return the target for the notices of a watch.

        Raises:
            HopelessError: The operator removed the destination, the host or the key.
        """
        destination = watch.destination
        if not destination.sealed:
            if (place := self.places.get(destination.to)) is None:
                raise HopelessError(
                    f"The channel {destination.to!r} no longer exists. Choose another channel with update_watch."
                )
            return place
        channel = self._seals.open(WatchChannel, destination.sealed) if self.keys else None
        if channel is None or channel.watch != watch.id:
            raise HopelessError(
                "The URL of this watch can no longer be decrypted. Set the URL again with update_watch."
            )
        if destination.host not in self.hosts:
            raise HopelessError(f"{destination.host} is no longer in NOTIFY_HOSTS, so nothing is sent there.")
        key = key_in(channel.secret) if channel.secret else b""
        return NotificationTarget(f"{destination.to} of {watch.name}", destination.to, channel.url, key=key)

    def _host(self, url: str) -> str:
        try:
            return str(checked_public(url, self.hosts).host)
        except Refusal:
            allowed = ", ".join(sorted(self.hosts)) or "none yet"
            raise Refusal(
                "`url` must be an https URL on a host in NOTIFY_HOSTS, without a user or port. Listed hosts:"
                f" {allowed}."
            ) from None

    @cached_property
    def _seals(self) -> Seals:
        return Seals(self.keys, self.clock, "channels of watches 1")


def _check_secret(to: str, secret: str) -> None:
    if to == WEBHOOK:
        key_in(secret)
    elif secret:
        raise Refusal(f"`secret` is only for webhooks: {CHANNELS[to].label} identifies senders by the URL.")


def key_in(secret: str) -> bytes:
    """Decode the key in a webhook secret. Raise a Refusal if the key is too short, or if the secret is marked as Base64
    but is not Base64.
    """
    try:
        key = b64decode(secret.removeprefix(_IN_BASE64), validate=True) if secret.startswith(_IN_BASE64) else None
    except ValueError:
        raise Refusal(_ABOUT_SECRETS) from None
    key = secret.encode() if key is None else key
    if len(key) < _SHORTEST_SECRET:
        raise Refusal(_ABOUT_SECRETS)
    return key
