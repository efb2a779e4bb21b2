"""Downloads a URL to a file. The caller verifies the hash, so redirects may be followed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp import ClientError, ClientResponse, ClientSession, TCPConnector
from yarl import URL

from clients.public_fetch import checked_public, public_session, session_over
from extensions.upstream.connecting import checked_private
from refusal import Refusal

LARGEST: Final = 256 * 1024 * 1024
_SECONDS: Final = 240.0
_MOST_REDIRECTS: Final = 3
_REDIRECTS: Final = {301, 302, 303, 307, 308}
_OK: Final = 200
_PIECE: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Downloads:
    """Downloads files over https, from public addresses and from private origins that an operator lists."""

    origins: Collection[str] = ()
    largest: int = LARGEST

    async def into(self, file: Path, url: str) -> str:
        """Download a URL to a file. Return its SHA-256. Raises Refusal if the file is unavailable or too large."""
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._into(file, url)
        except TimeoutError:
            raise Refusal(
                f"The download from {_host(url)} took more than {_SECONDS:g} seconds. Try again later."
            ) from None
        except ClientError as failure:
            raise Refusal(
                f"The download from {_host(url)} failed ({type(failure).__name__}). Try again later."
            ) from None

    async def _into(self, file: Path, url: str) -> str:
        address = self._checked(url, URL(url))
        for _ in range(_MOST_REDIRECTS + 1):
            async with self._session(address) as session, session.get(address, allow_redirects=False) as response:
                if response.status not in _REDIRECTS:
                    return await self._written(file, response)
                address = self._led_on(address, response.headers.get("Location", ""))
        raise Refusal(f"{_host(url)} redirects more than {_MOST_REDIRECTS} times.")

    def _led_on(self, address: URL, location: str) -> URL:
        """Return the target of a redirect.

        To protect the private network, the target must have the same origin as the redirecting URL, or a public
        address.
        """
        try:
            to = address.join(URL(location))
        except ValueError:
            raise Refusal(f"{address.host} redirects to an invalid URL.") from None
        return self._checked(str(to), to) if _origin(to) == _origin(address) else checked_public(str(to))

    def _checked(self, text: str, address: URL) -> URL:
        return checked_private(text) if self._is_private(address) else checked_public(text)

    def _is_private(self, address: URL) -> bool:
        return _origin(address) in self.origins

    def _session(self, address: URL) -> ClientSession:
        return session_over(TCPConnector()) if self._is_private(address) else public_session()

    async def _written(self, file: Path, response: ClientResponse) -> str:
        if response.status != _OK:
            raise Refusal(f"{response.url.host} answered with status {response.status}.")
        told, size = hashlib.sha256(), 0
        with await asyncio.to_thread(file.open, "xb") as written:
            async for piece in response.content.iter_chunked(_PIECE):
                size += len(piece)
                if size > self.largest:
                    raise Refusal(f"{response.url.host} sent more than {self.largest} bytes.")
                told.update(piece)
                await asyncio.to_thread(written.write, piece)
        return told.hexdigest()


def _origin(address: URL) -> str:
    return str(address.origin()) if address.host else ""


def _host(url: str) -> str:
    return URL(url).host or "It"
