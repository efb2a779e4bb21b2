"""Retries: which failures are temporary, and how long to wait."""

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
    """Retries temporary failures, as long as the next wait ends within `patience` seconds.

    It waits at least as long as the service requests. A response labeled as JSON that is not JSON counts as failed.
    A request that is not safe to retry is only retried if the service did not accept it (429).
    """

    def __init__(self, patience: float, sleep: Sleep) -> None:
        self._patience = patience
        self._sleep = sleep

    async def reply(self, attempt: Attempt, *, repeatable: bool) -> HttpReply:
        """The final response of the service.

        Raises:
            AzureError: There is no complete response.
        """
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
    """Keep aiohttp from retrying a request, which it does for idempotent methods."""
    try:
        return await send(request)
    except (ClientOSError, ServerDisconnectedError) as error:
        raise ClientPayloadError(str(error)) from error


def never_connected(error: BaseException | None) -> bool:
    """Whether nothing was sent because there was no connection, which azure-core does not distinguish."""
    while error is not None and not isinstance(error, ClientConnectorError | ConnectionTimeoutError):
        error = error.__cause__
    return error is not None


def _growing_pauses() -> Iterator[float]:
    return (0.5 * 2**attempt for attempt in count())


def _announces_json(reply: HttpReply) -> bool:
    """Whether JSON was requested and is announced. A downloaded file with this type can be partial or invalid."""
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
    """How long the service asks to wait."""
    return seconds_in(reply.headers)


def seconds_in(headers: Mapping[str, str]) -> float:
    """How long the `Retry-After` header asks to wait."""
    text = headers.get("Retry-After", "")
    try:
        return float(text) if text.isdecimal() else (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return 0  # missing, or not a valid time


def waits_in(headers: Mapping[str, str]) -> Mapping[str, float]:
    """The waits that some services request for each of their limits, by header name."""
    named = {name.lower(): value for name, value in headers.items()}
    return {
        name: float(value)
        for name, value in named.items()
        if name.endswith(_BY_LIMIT) and value.isascii() and value.isdecimal()
    }


def longest_wait_in(headers: Mapping[str, str]) -> float:
    """The longest wait that any limit requests, because a request must satisfy all of them."""
    return max(seconds_in(headers), *waits_in(headers).values(), 0.0)


def _in_short(outcome: HttpReply | AzureError) -> str:
    return type(outcome).__name__ if isinstance(outcome, AzureError) else f"status {outcome.status_code}"
