"""A transport that sends for real, and does not wait between the attempts."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from azure.core.pipeline.transport import AsyncHttpTransport
from azure.core.rest import AsyncHttpResponse, HttpRequest

from clients.transport import HttpTransport


class HastyTransport(AsyncHttpTransport[HttpRequest, AsyncHttpResponse]):
    """Notes how long it was told to wait. `options` are those of the real transport, such as `read_timeout`."""

    def __init__(self, **options: Any) -> None:
        self._inner = HttpTransport(**options)
        self.waits: list[float] = []

    async def send(self, request: Any, **options: Any) -> Any:
        return await self._inner.send(request, **options)

    async def sleep(self, duration: float) -> None:
        self.waits.append(duration)

    async def open(self) -> None:
        await self._inner.open()

    async def close(self) -> None:
        await self._inner.close()

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self._inner.close()


class Elsewhere(HastyTransport):
    """Sends what is meant for the hosts of a cloud to a fake, which sees the host that was meant."""

    def __init__(self, origin: str, *clouds: str) -> None:
        super().__init__()
        self._origin, self._clouds = origin, clouds

    async def send(self, request: Any, **options: Any) -> Any:
        scheme, _, rest = request.url.partition("://")
        host, _, path = rest.partition("/")
        if host.endswith(self._clouds):
            assert scheme == "https"
            request.headers["Host"] = host
            request.url = f"{self._origin}/{path}"
        return await super().send(request, **options)
