"""Sends each change to Cosmos DB only once. If a response is lost, the SDK and aiohttp do not retry the change.

If Cosmos DB asks for a wait that is too long, this module raises an error instead of waiting.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Final, Self

from azure.core.exceptions import ServiceRequestError, ServiceResponseError
from azure.core.pipeline.transport import AsyncHttpResponse, AsyncHttpTransport, HttpRequest

from clients.cosmos_data.failures import TOO_MANY, UnknownOutcomeError, busy, is_unknown, wait_in
from clients.retries import never_connected, once
from clients.transport import HttpTransport

LONGEST_WAIT: Final = 2


class SendingOnce(AsyncHttpTransport[HttpRequest, AsyncHttpResponse]):
    """Sends each change only once.

    The SDK treats an interrupted connection like a failed connection attempt, and would send the change again.
    """

    def __init__(self) -> None:
        self._sends: AsyncHttpTransport[Any, Any] = HttpTransport()

    async def open(self) -> None:
        await self._sends.open()

    async def close(self) -> None:
        await self._sends.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        await self.close()

    async def send(self, request: HttpRequest, **options: Any) -> AsyncHttpResponse:
        only_once = {"middlewares": (once,)} if _changes(request) else {}
        try:
            answer: AsyncHttpResponse = await self._sends.send(request, **only_once, **options)
        except (ServiceRequestError, ServiceResponseError) as failure:
            if not only_once or never_connected(failure):
                raise
            raise UnknownOutcomeError from failure
        if only_once and is_unknown(answer.status_code):
            # Raise here, because the SDK would retry the change after a 503.
            raise UnknownOutcomeError
        if answer.status_code == TOO_MANY and wait_in(answer.headers) > LONGEST_WAIT:
            raise busy(answer.headers)
        return answer


def _changes(request: HttpRequest) -> bool:
    """Whether a request changes something. Queries are also sent with POST."""
    return request.method != "GET" and "query" not in str(request.headers.get("Content-Type", ""))
