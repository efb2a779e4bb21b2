"""Limits the audit records of anonymous requests to a few per minute, and counts the requests that are not recorded."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Final

from identity.caller import CallerKind
from identity.limits import RateLimit, TooManyRequests
from mcp_server.calls.audit import Outcome
from mcp_server.visit import Trace

OF_ONE: Final = 10
OF_ALL: Final = 60


class Rationing:
    """Decides which attempts are recorded. Records cost money, and too many of them hide the important records.

    A few anonymous attempts per minute are recorded, and the others are only counted. All attempts of signed-in users
    are recorded, because these users are known and have rate limits. If requests exceed a rate limit, only a few of
    them per minute are recorded, even for signed-in users.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._of_one = RateLimit("record", OF_ONE, clock)
        # A limit for each kind of attempt, so that many attempts of one kind do not hide attempts of other kinds.
        self._of_all = RateLimit("record", OF_ALL, clock)
        self._omitted = 0

    def omits(self, trace: Trace, tried: str, outcome: Outcome) -> bool:
        """Whether to skip the record of this attempt. Each record contains the number of attempts skipped before it."""
        if not self._is_free(trace, outcome) and self._is_used_up(trace, tried):
            from telemetry.metrics import count_omitted

            self._omitted += 1
            count_omitted(tried)
            return True
        trace.omitted, self._omitted = self._omitted, 0
        return False

    def _is_free(self, trace: Trace, outcome: Outcome) -> bool:
        return trace.requester.caller.kind is not CallerKind.ANONYMOUS and outcome is not Outcome.LIMITED

    def _is_used_up(self, trace: Trace, tried: str) -> bool:
        try:
            self._of_one.take((trace.requester.caller.principal, trace.requester.address))
            self._of_all.take(tried)
        except TooManyRequests:
            return True
        return False
