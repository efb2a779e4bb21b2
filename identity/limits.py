"""Rate limits: a maximum number of requests per minute. Bursts are allowed."""

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
# The rate limit of a site's network is this many times the rate limit of a household's network.
_HOUSEHOLDS: Final = 4


@dataclass(eq=False)
class TooManyRequests(Exception):  # noqa: N818 - a control-flow outcome, not an error
    """A caller or address has reached a limit.

    `who` says who is limited, for example "caller". `what` says what is counted, for example "requests". `seconds` is
    the time to wait.
    """

    who: str
    seconds: int
    what: str = "requests"

    def __str__(self) -> str:
        return f"Too many {self.what} from this {self.who}. Try again in {self.seconds} seconds."


class RateLimit:
    """A token bucket for each key. A full bucket allows all requests of a minute at once. Buckets refill steadily.

    If `most` is 0, there is no limit. If `daily` is set, the limit is per day, and rejected attempts do not count. Each
    instance of the server counts separately, so that no request waits for a shared counter.
    """

    def __init__(self, who: str, most: int, clock: Callable[[], float] = monotonic, *, daily: str = "") -> None:
        self._who = who
        self.most: Final = most
        self._what = daily or "requests"
        self._counts_refused = not daily
        self._time = _DAY if daily else _MINUTE
        self._clock = clock
        # The time at which each key's bucket will be full again. Full buckets are not stored.
        self._full_at: dict[Hashable, float] = {}

    def take(self, key: Hashable) -> None:
        """Count one request.

        Raises:
            TooManyRequests: The bucket is empty. If the limit is per minute, rejected requests also count: a caller
                that does not pause stays blocked, but a pause of one minute is always enough.
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
        """Remove the fullest half of the buckets.

        The emptiest buckets are kept, so that callers cannot reset their limits by sending many different keys.
        """
        self._full_at = dict(nlargest(_KEPT // 2, self._full_at.items(), key=lambda entry: entry[1]))


class AddressLimit:
    """Limits the requests from each network address and from the larger network around it."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self._households = RateLimit("address", per_minute, clock)
        self._sites = RateLimit("network", _HOUSEHOLDS * per_minute, clock)

    def take(self, address: str) -> None:
        """Count one request.

        Raises:
            TooManyRequests: The address or its network has reached its limit.
        """
        household, *site = networks_of(address)
        self._households.take(household)
        for network in site:
            self._sites.take(network)


def address_of(headers: Mapping[str, str]) -> str:
    """The network address from which a request reached Azure.

    Azure appends this address to X-Forwarded-For; the rest of the header is untrusted.
    """
    last = headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    host, colon, port = last.rpartition(":")
    return host.strip("[]") if colon and port.isdecimal() and (":" not in host or last.startswith("[")) else last


@lru_cache(maxsize=1024)
def networks_of(address: str) -> tuple[str, ...]:
    """The networks that contain an address and have their own rate limits, from small to large."""
    try:
        found = ip_address(address)
    except ValueError:
        return (address,)
    if not isinstance(found, IPv6Address):
        return (str(found),)
    if found.ipv4_mapped:
        return (str(found.ipv4_mapped),)
    # A user of IPv6 usually has all addresses of a household (/64), and perhaps all addresses of a site (/48).
    return tuple(str(IPv6Network((int(found), length), strict=False)) for length in (64, 48))
