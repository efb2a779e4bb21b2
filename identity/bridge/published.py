"""Clients that publish a metadata document. The URL of the document is the client ID."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Final, Protocol
from urllib.parse import urlsplit

from mcp.shared.auth import OAuthClientMetadata
from pydantic import ValidationError

from clients.public_fetch import FetchedFile
from identity.bridge.client import BridgeClient, checked_redirects, shown_name
from refusal import Refusal

LARGEST_DOCUMENT: Final = 16 * 1024
PATIENCE: Final = 5.0
# A document counts as current for FRESH_SECONDS. After that, the document may still be used for up to KNOWN_SECONDS,
# while the server refreshes it in the background. The host that serves the document can set longer times.
FRESH_SECONDS: Final = 300.0
KNOWN_SECONDS: Final = 3600.0
PAUSE_SECONDS: Final = 60.0
MOST_KEPT: Final = 100

logger = logging.getLogger(__name__)


class Fetch(Protocol):
    async def __call__(self, url: str, *, largest: int, seconds: float, asker: str) -> FetchedFile: ...


@dataclass(slots=True)
class _Known:
    client: BridgeClient
    read_at: float
    next_reading: float


class PublishedClients:
    """Reads and caches the metadata documents of clients.

    Concurrent requests for a document share a single download. Cached documents are refreshed in the background.
    """

    def __init__(self, fetch: Fetch, clock: Callable[[], float] = monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._readings: dict[str, asyncio.Task[BridgeClient]] = {}

    async def find(self, url: str, asker: str) -> BridgeClient:
        """Find the client with this URL. `asker` is the requester's network, which has a rate limit."""
        known, now = self._known.get(url), self._clock()
        if known is None or now >= known.read_at + KNOWN_SECONDS:
            # Shield the download, because other requests may wait for it when this request is cancelled.
            return await asyncio.shield(self._reading(url, asker))
        if now >= known.next_reading:
            self._reading(url, asker)
        self._known.move_to_end(url)
        return known.client

    def _reading(self, url: str, asker: str) -> asyncio.Task[BridgeClient]:
        if url not in self._readings:
            self._readings[url] = asyncio.create_task(self._read(url, asker))
            self._readings[url].add_done_callback(partial(self._end, url))
        return self._readings[url]

    async def _read(self, url: str, asker: str) -> BridgeClient:
        fetched = await self._fetch(url, largest=LARGEST_DOCUMENT, seconds=PATIENCE, asker=asker)
        client, now = _client_of(url, fetched), self._clock()
        self._known[url] = _Known(client, now, now + FRESH_SECONDS)
        if len(self._known) > MOST_KEPT:
            self._known.popitem(last=False)
        return client

    def _end(self, url: str, reading: asyncio.Task[BridgeClient]) -> None:
        del self._readings[url]
        problem = None if reading.cancelled() else reading.exception()
        if problem and (known := self._known.get(url)):
            logger.warning("Cannot read the document of a known client: %s", problem)
            known.next_reading = self._clock() + PAUSE_SECONDS


def is_document(client_id: str) -> bool:
    return client_id.startswith("https://")


class _Document(OAuthClientMetadata):
    client_id: str


def _client_of(url: str, fetched: FetchedFile) -> BridgeClient:
    document = _document(fetched)
    parts = urlsplit(url)
    if document.client_id != url or parts.path in {"", "/"} or parts.fragment:
        raise Refusal(
            "The client metadata document does not belong to this client id: its field client_id must contain the"
            " document's https URL."
        )
    if document.token_endpoint_auth_method not in {None, "none"}:
        raise Refusal("The client's document requires an unsupported authentication method. Only `none` is supported.")
    redirects = checked_redirects([str(uri) for uri in document.redirect_uris or ()])
    return BridgeClient(url, shown_name(document.client_name or ""), redirects, parts.hostname)


def _document(fetched: FetchedFile) -> _Document:
    kind = fetched.content_type
    try:
        if kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json")):
            return _Document.model_validate_json(fetched.body)
    except ValidationError as invalid:
        fields = sorted({str(error["loc"][0]) for error in invalid.errors() if error["loc"]})
        raise Refusal(f"The client's document is invalid: {', '.join(fields) or 'not JSON'}.") from None
    raise Refusal("The client's document is not served as application/json.")
