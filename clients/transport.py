"""The HTTP transport of this app: aiohttp, with the proxy settings of the environment, but without `.netrc`.

By default, the Azure SDK lets aiohttp use both the environment and `.netrc`. For each request, aiohttp then reads
`.netrc` in a thread. If `.netrc` has a password for the host, aiohttp refuses requests that have an `Authorization`
header.
"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.request import getproxies, proxy_bypass

from aiohttp import encode_basic_auth
from azure.core.pipeline.transport import AioHttpTransport
from yarl import URL


class HttpTransport(AioHttpTransport):  # type: ignore[misc]  # the SDK imports it lazily, without its type
    """Sends requests through aiohttp. `options` are the options of the SDK's transport, for example `session`."""

    def __init__(self, *, connection_timeout: float = 10, read_timeout: float = 30, **options: Any) -> None:
        timeouts = {"connection_timeout": connection_timeout, "read_timeout": read_timeout}
        super().__init__(use_env_settings=False, **timeouts, **options)
        self._proxies = getproxies()

    async def send(self, request: Any, **options: Any) -> Any:
        if self._proxies:
            # Use a thread, because some systems look up the host's address to decide whether to use the proxy.
            options |= await asyncio.to_thread(self._through_proxy, URL(request.url))
        return await super().send(request, **options)

    def _through_proxy(self, url: URL) -> dict[str, Any]:
        address = self._proxies.get(url.scheme)
        if not address or proxy_bypass(url.host or ""):
            return {}
        proxy = URL(address if "://" in address else f"http://{address}")
        # The password is passed separately, because aiohttp's messages show the proxy's address.
        headers = {"Authorization": encode_basic_auth(proxy.user, proxy.password or "")} if proxy.user else {}
        return {"proxy": proxy.with_user(None), "proxy_headers": headers}
