"""Trying again: which failures pass by themselves, and how long to wait for that."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from time import monotonic
from typing import cast

from aiohttp import (
    ClientHandlerType,
    ClientOSError,
    ClientPayloadError,
    ClientRequest,
    ClientResponse,
    ServerDisconnectedError,
)
from azure.core.exceptions import AzureError, ClientAuthenticationError, DecodeError
from azure.core.pipeline import PipelineRequest, PipelineResponse
from azure.core.pipeline.policies import AsyncHTTPPolicy
from azure.core.pipeline.transport import AsyncHttpTransport
from azure.core.rest import AsyncHttpResponse, HttpRequest

from clients.decoding import decoded

PASSING = frozenset({408, 429, 500, 502, 503, 504})
REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})

logger = logging.getLogger(__name__)

Request = PipelineRequest[HttpRequest]
Response = PipelineResponse[HttpRequest, AsyncHttpResponse]


class RetryPolicy(AsyncHTTPPolicy[HttpRequest, AsyncHttpResponse]):
    """Repeats what may succeed a moment later, as long as the next wait ends within `patience` seconds.

    It waits at least as long as the service asks for. An answer that announces JSON and holds none counts as failed.
    A request that is not safe to repeat is repeated only where the service says that it did not take it (429); its
    method tells, or else its option `repeatable`.
    """

    def __init__(self, patience: float) -> None:
        super().__init__()
        self._patience = patience

    async def send(self, request: Request) -> Response:
        transport = cast("AsyncHttpTransport[HttpRequest, AsyncHttpResponse]", request.context.transport)
        repeatable = request.context.options.pop("repeatable", request.http_request.method in REPEATABLE)
        if not repeatable:
            request.context.options["middlewares"] = (_once,)
        deadline = monotonic() + self._patience
        for pause in _growing_pauses():
            outcome = await self._attempt(request)
            wait = max(pause, _wait_asked_for(outcome))
            if not _may_pass(outcome, repeatable=repeatable) or monotonic() + wait > deadline:
                break
            logger.info("Trying again in %.1f s: %s", wait, _in_short(outcome))
            await transport.sleep(wait)
        if isinstance(outcome, AzureError):
            raise outcome
        return outcome

    async def _attempt(self, request: Request) -> Response | AzureError:
        try:
            is_stream = request.context.options.get("stream", False)
            response = await self.next.send(request)
            if is_stream and response.http_response.status_code >= 300:
                await response.http_response.read()  # what nobody reads would keep its connection
            elif _announces_json(response.http_response) and not is_stream:
                decoded(response.http_response)
        except AzureError as error:
            return error
        except zlib.error as error:
            return DecodeError("The answer cannot be decompressed.", error=error)
        return response


async def _once(request: ClientRequest, send: ClientHandlerType) -> ClientResponse:
    """Keep aiohttp from sending a request again by itself, which it does where the method seems to allow it."""
    try:
        return await send(request)
    except (ClientOSError, ServerDisconnectedError) as error:
        raise ClientPayloadError(str(error)) from error


def _growing_pauses() -> Iterator[float]:
    return (0.5 * 2**attempt for attempt in count())


def _announces_json(response: AsyncHttpResponse) -> bool:
    return response.status_code < 300 and "json" in (response.content_type or "")


def _may_pass(outcome: Response | AzureError, *, repeatable: bool) -> bool:
    if isinstance(outcome, AzureError):
        return repeatable and not isinstance(outcome, ClientAuthenticationError)
    status = outcome.http_response.status_code
    return status == 429 or (status in PASSING and repeatable)


def _wait_asked_for(outcome: Response | AzureError) -> float:
    return 0 if isinstance(outcome, AzureError) else seconds_asked_for(outcome.http_response)


def seconds_asked_for(response: AsyncHttpResponse) -> float:
    """How long the service asks to be left alone."""
    text = response.headers.get("Retry-After", "")
    try:
        return float(text) if text.isdecimal() else (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return 0  # no such header, or nothing that can be read as a time


def _in_short(outcome: Response | AzureError) -> str:
    return type(outcome).__name__ if isinstance(outcome, AzureError) else f"status {outcome.http_response.status_code}"
