"""How often somebody may come: so many requests a minute, of which some may come at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from heapq import nlargest
from ipaddress import IPv6Address, IPv6Network, ip_address
from time import monotonic
from typing import Final

_KEPT: Final = 10_000
_MINUTE: Final = 60.0
_DAY: Final = 86400.0
# As much as so many households may the network around them send that one customer of a provider may have.
_HOUSEHOLDS: Final = 4


@dataclass(eq=False)
class TooManyRequests(Exception):  # noqa: N818 - it says what happened, and is nobody's error
    """`who` has come too often, or asked too much of `what`; `seconds` is when to come again."""

    who: str
    seconds: int
    what: str = "requests"

    def __str__(self) -> str:
        return f"Too many {self.what} from this {self.who}. Try again in {self.seconds} seconds."


class RateLimit:
    """For each key a bucket that holds a minute's requests and fills steadily. None of a minute means no limit.

    `daily` makes a day of the minute, for what is counted beside requests; of that, what is refused is not counted.

    Every instance of the app counts for itself, so that no request waits for a count kept elsewhere.
    """

    def __init__(self, who: str, most: int, clock: Callable[[], float] = monotonic, *, daily: str = "") -> None:
        self._who = who
        self.most: Final = most
        self._what = daily or "requests"
        self._counts_refused = not daily
        self._time = _DAY if daily else _MINUTE
        self._clock = clock
        # When the bucket of a key will be full again. A full bucket need not be kept.
        self._full_at: dict[Hashable, float] = {}

    def take(self, key: Hashable) -> None:
        """Count one request.

        Raises:
            TooManyRequests: The bucket is empty. The request is counted all the same, so that who does not wait as told
                stays out; but nobody has to wait for longer than a minute.
        """
        if not self.most:
            return
        now, each = self._clock(), self._time / self.most
        wanted = max(self._full_at.get(key, now), now) + each
        is_too_much = wanted > now + self._time + each / 1000
        if is_too_much and not self._counts_refused:
            raise TooManyRequests(self._who, math.ceil(wanted - now - self._time), self._what)
        self._full_at[key] = kept = min(wanted, now + 2 * self._time - each)
        if len(self._full_at) > _KEPT:
            self._forget_the_fullest()
        if is_too_much:
            raise TooManyRequests(self._who, math.ceil(kept + each - now - self._time), self._what)

    def _forget_the_fullest(self) -> None:
        """Who comes under ever new names pushes out those that came least, and no bucket that is used up."""
        self._full_at = dict(nlargest(_KEPT // 2, self._full_at.items(), key=lambda entry: entry[1]))


class AddressLimit:
    """How often may be come from one network address, and from the network around it."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self._households = RateLimit("address", per_minute, clock)
        self._sites = RateLimit("network", _HOUSEHOLDS * per_minute, clock)

    def take(self, address: str) -> None:
        """Count one request.

        Raises:
            TooManyRequests: There were too many.
        """
        household, *site = networks_of(address)
        self._households.take(household)
        for network in site:
            self._sites.take(network)


def address_of(headers: Mapping[str, str]) -> str:
    """The network address from which a request came to Azure, whose front end puts it last and the rest is hearsay."""
    last = headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    host, colon, port = last.rpartition(":")
    return host.strip("[]") if colon and port.isdecimal() and (":" not in host or last.startswith("[")) else last


@lru_cache(maxsize=1024)
def networks_of(address: str) -> tuple[str, ...]:
    """Who has this address has others: by IPv6 all of a household's network, and perhaps that of a whole site."""
    try:
        found = ip_address(address)
    except ValueError:
        return (address,)
    if not isinstance(found, IPv6Address):
        return (str(found),)
    if found.ipv4_mapped:
        return (str(found.ipv4_mapped),)
    return tuple(str(IPv6Network((int(found), length), strict=False)) for length in (64, 48))
