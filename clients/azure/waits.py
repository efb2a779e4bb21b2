"""Explains when to retry a throttled request, and whose limit was reached."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from clients.azure.failure_bodies import Failure
from clients.azure.messages import AzureAnswer
from clients.retries import longest_wait_in, waits_in

# The format of the header in which Resource Graph says when its quota resets.
_TIME: Final = re.compile(r"\d{2}:\d{2}:\d{2}")
_SECONDS: Final = re.compile(r"after '?(\d{1,6})'? ?seconds", re.IGNORECASE)
_OF_COSTS: Final = re.compile(r"x-ms-ratelimit-microsoft[.-](?:costmanagement|consumption)-(?:(\w+)-)?retry-after")
_WHOSE: Final = {
    "qpu": "all cost queries of the tenant",
    "entity": "this subscription or group",
    "tenant": "the tenant",
    "clienttype": "all users of this server",
}


def when(answer: AzureAnswer, failure: Failure) -> str:
    """A sentence that says when to retry."""
    seconds = longest_wait_in(answer.headers) or next(map(float, _SECONDS.findall(failure.message)), 0.0)
    if seconds > 0:
        return f"{_limits(answer.headers)}Try again in {seconds:.0f} seconds."
    resets = _TIME.fullmatch(answer.headers.get("x-ms-user-quota-resets-after", ""))
    return f"Try again in {resets[0]} (hours:minutes:seconds)." if resets else "Try again in a few minutes."


def _limits(headers: Mapping[str, str]) -> str:
    """A sentence that says whose limits were reached; empty if Azure does not report this.

    Cost queries have low limits, which many users share.
    """
    found = ((_OF_COSTS.fullmatch(name), wait) for name, wait in waits_in(headers).items())
    limits = [f"{_WHOSE[name[1]]} ({wait:.0f} s)" for name, wait in found if name and name[1] in _WHOSE]
    return f"Limits reached for {', '.join(limits)}. " if limits else ""
