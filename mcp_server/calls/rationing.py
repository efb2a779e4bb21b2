"""Limits audit records of anonymous attempts to a few a minute, and counts the rest."""

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
    """Records cost money, and a flood hides what matters. So record a few anonymous attempts and count the rest.

    Signed-in users are known and rate limited. Only records of exceeding the rate limit are restricted for them.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._of_one = RateLimit("record", OF_ONE, clock)
        # One limit per kind of attempt, so that a flood of one kind does not hide another.
        self._of_all = RateLimit("record", OF_ALL, clock)
        self._omitted = 0

    def omits(self, trace: Trace, tried: str, outcome: Outcome) -> bool:
        """Whether to skip this record. If not, the trace gets the number of records skipped before it."""
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
