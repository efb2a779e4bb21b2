"""Sends requests to a group of services through one connection pool, shared by all callers."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

from clients.addresses import checked_base_url
from clients.messages import Answer, Request
from clients.redaction import redacted, redacted_headers
from clients.replies import HttpReply
from clients.rest import RestClient, Transport
from clients.retries import seconds_asked_for
from clients.transport import HttpTransport
from refusal import Refusal

_LONGEST_DELAY: Final = 20.0
_MOST_PACES: Final = 256


class Pool:
    """Sends requests, each with its own authorization. Use the pool with `async with`, or close it.

    If a service throttles a request, later requests to the same host with the same authorization wait.
    """

    def __init__(self, *, patience: float = 20.0, transport: Transport | None = None) -> None:
        self._transport = transport or HttpTransport()
        self._patience = patience
        self._clients: dict[str, RestClient] = {}
        self._not_before: dict[tuple[str, str, str], float] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._transport.close()

    async def sleep(self, seconds: float) -> None:
        await self._transport.sleep(seconds)

    async def answered(
        self,
        base_url: str,
        request: Request,
        query: Mapping[str, Any],
        headers: Mapping[str, str],
        largest: int | None = None,
    ) -> Answer:
        """Send a request, and read at most `largest` bytes of the response. Credentials are removed from the response.

        Raises:
            AzureError: Even after retries, the service could not be reached, or its response could not be read.
            Refusal: A value is not valid as a path segment or in a header.
        """
        if any(not value.isprintable() for value in headers.values()):
            raise Refusal("A header value must not contain line breaks or control characters.")
        authorization = headers.get("Authorization", "")
        pace = base_url, authorization, request.quota
        await self._keep_pace(pace)
        reply = await self._client(base_url).exchange(
            request.present_line,
            request.present_values,
            query,
            body=request.body,
            headers=headers,
            repeatable=request.is_repeatable and request.seconds is None,
            cut_at=largest,
            seconds=request.seconds,
        )
        self._note_pace(pace, reply)
        headers = redacted_headers(reply.headers, authorization)
        content = redacted(reply.content, authorization)
        return Answer(reply.status_code, headers, content, reply.is_cut, is_of_change=not request.is_repeatable)

    async def _keep_pace(self, pace: tuple[str, str, str]) -> None:
        wait = self._not_before.get(pace, 0) - monotonic()
        if wait > 0:
            await self.sleep(wait)

    def _note_pace(self, pace: tuple[str, str, str], reply: HttpReply) -> None:
        if delay := seconds_asked_for(reply):
            now = monotonic()
            if len(self._not_before) >= _MOST_PACES:
                self._not_before = {who: until for who, until in self._not_before.items() if until > now}
            self._not_before[pace] = now + min(delay, _LONGEST_DELAY)

    def _client(self, base_url: str) -> RestClient:
        if base_url not in self._clients:
            # http is allowed here, because the URL was already checked when the settings were read.
            checked = checked_base_url(base_url, in_the_open=base_url.startswith("http://"))
            self._clients[base_url] = RestClient(checked, patience=self._patience, transport=self._transport)
        return self._clients[base_url]
