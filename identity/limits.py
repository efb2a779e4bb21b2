"""How often somebody may come: so many requests a minute, of which some may come at once."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from time import monotonic
from typing import Final

_KEPT: Final = 10_000
_MINUTE: Final = 60.0


@dataclass(eq=False)
class TooManyRequests(Exception):  # noqa: N818 - it says what happened, and is nobody's error
    """`who` has come too often; `seconds` is when to come again."""

    who: str
    seconds: int

    def __str__(self) -> str:
        return f"Too many requests from this {self.who}. Try again in {self.seconds} seconds."


class RateLimit:
    """For each key a bucket that holds a minute's requests and fills steadily. None of a minute means no limit.

    Every instance of the app counts for itself, so that no request waits for a count kept elsewhere.
    """

    def __init__(self, who: str, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self._who = who
        self._per_minute = per_minute
        self._clock = clock
        # When the bucket of a key will be full again. A full bucket need not be kept.
        self._full_at: OrderedDict[Hashable, float] = OrderedDict()

    def take(self, key: Hashable) -> None:
        """Count one request.

        Raises:
            TooManyRequests: The bucket is empty. The request is not counted, so that trying again does no harm.
        """
        if not self._per_minute:
            return
        now, each = self._clock(), _MINUTE / self._per_minute
        full_at = max(self._full_at.get(key, now), now) + each
        if full_at > now + _MINUTE + each / 1000:
            raise TooManyRequests(self._who, math.ceil(full_at - now - _MINUTE))
        self._full_at[key] = full_at
        self._full_at.move_to_end(key)
        # Who comes under ever new names pushes out the ones that came longest ago.
        if len(self._full_at) > _KEPT:
            self._full_at.popitem(last=False)


def address_of(headers: Mapping[str, str]) -> str:
    """The network address from which a request came to Azure, whose front end puts it last and the rest is hearsay."""
    last = headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    host, colon, port = last.rpartition(":")
    bare = host.strip("[]") if colon and port.isdecimal() and (":" not in host or last.startswith("[")) else last
    try:
        address = ip_address(bare)
    except ValueError:
        return bare
    # Whoever has one address of this version has the rest of its network, too.
    return str(ip_network((address, 64), strict=False)) if address.version == 6 else bare
