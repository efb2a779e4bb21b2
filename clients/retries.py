"""Decides which errors are temporary, and how long to wait before a retry."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from time import monotonic

from aiohttp import (
    ClientConnectorError,
    ClientHandlerType,
    ClientOSError,
    ClientPayloadError,
    ClientRequest,
    ClientResponse,
    ConnectionTimeoutError,
    ServerDisconnectedError,
)
from azure.core.exceptions import AzureError, ClientAuthenticationError

from clients.replies import HttpReply, TooLargeError

PASSING = frozenset({408, 429, 500, 502, 503, 504})
_BY_LIMIT = "-retry-after"
REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})

logger = logging.getLogger(__name__)

Attempt = Callable[[], Awaitable[HttpReply]]
Sleep = Callable[[float], Awaitable[None]]


class Retries:
    """Retries requests after temporary errors, as long as the next wait ends within `patience` seconds.

    Each wait is at least as long as the service asks for. If the caller expects JSON and the response is not JSON, the
    response counts as an error. A request that changes something is retried only after a 429, which means that the
    service did not accept the request.
    """

    def __init__(self, patience: float, sleep: Sleep) -> None:
        self._patience = patience
        self._sleep = sleep

    async def reply(self, attempt: Attempt, *, repeatable: bool) -> HttpReply:
        """Send a request until it succeeds or retries are used up, and return the last response."""
        deadline = monotonic() + self._patience
        for pause in _growing_pauses():
            outcome = await _outcome(attempt)
            wait = max(pause, _wait_asked_for(outcome))
            if not _may_pass(outcome, repeatable=repeatable) or monotonic() + wait > deadline:
                break
            logger.info("Retrying in %.1f s: %s", wait, _in_short(outcome))
            await self._sleep(wait)
        if isinstance(outcome, AzureError):
            raise outcome
        return outcome


async def _outcome(attempt: Attempt) -> HttpReply | AzureError:
    try:
        reply = await attempt()
        if _announces_json(reply) and not reply.is_cut:
            _ = reply.document
    except AzureError as error:
        return error
    return reply


async def once(request: ClientRequest, send: ClientHandlerType) -> ClientResponse:
    """Prevent aiohttp from retrying a request. By default, aiohttp retries requests with some HTTP methods."""
    try:
        return await send(request)
    except (ClientOSError, ServerDisconnectedError) as error:
        raise ClientPayloadError(str(error)) from error


def never_connected(error: BaseException | None) -> bool:
    """Whether the request failed before it was sent: no connection was established.

    The exception of azure-core does not show this, so the exceptions that caused it are checked.
    """
    while error is not None and not isinstance(error, ClientConnectorError | ConnectionTimeoutError):
        error = error.__cause__
    return error is not None


def _growing_pauses() -> Iterator[float]:
    return (0.5 * 2**attempt for attempt in count())


def _announces_json(reply: HttpReply) -> bool:
    """Whether the response should be complete JSON.

    If the request also accepts other formats, the response may be a file, which may contain invalid JSON.
    """
    was_asked_for = "json" in reply.request.headers.get("Accept", "json")
    return was_asked_for and reply.status_code < 300 and "json" in reply.headers.get("Content-Type", "")


def _may_pass(outcome: HttpReply | AzureError, *, repeatable: bool) -> bool:
    if isinstance(outcome, AzureError):
        return repeatable and not isinstance(outcome, ClientAuthenticationError | TooLargeError)
    status = outcome.status_code
    return status == 429 or (status in PASSING and repeatable)


def _wait_asked_for(outcome: HttpReply | AzureError) -> float:
    return 0 if isinstance(outcome, AzureError) else longest_wait_in(outcome.headers)


def seconds_asked_for(reply: HttpReply) -> float:
    """The number of seconds for which the service asks the client to wait."""
    return seconds_in(reply.headers)


def seconds_in(headers: Mapping[str, str]) -> float:
    """The number of seconds to wait according to the header `Retry-After`."""
    text = headers.get("Retry-After", "")
    try:
        return float(text) if text.isdecimal() else (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return 0  # the header is missing or invalid


def waits_in(headers: Mapping[str, str]) -> Mapping[str, float]:
    """For each limit that the headers report: the name of the header, and the number of seconds to wait."""
    named = {name.lower(): value for name, value in headers.items()}
    return {
        name: float(value)
        for name, value in named.items()
        if name.endswith(_BY_LIMIT) and value.isascii() and value.isdecimal()
    }


def longest_wait_in(headers: Mapping[str, str]) -> float:
    """The longest wait that the headers report. After this wait, a request no longer exceeds any limit."""
    return max(seconds_in(headers), *waits_in(headers).values(), 0.0)


def _in_short(outcome: HttpReply | AzureError) -> str:
    return type(outcome).__name__ if isinstance(outcome, AzureError) else f"status {outcome.status_code}"
