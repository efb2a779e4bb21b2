"""Reads registries of MCP servers: a document that lists servers, or the API of the official MCP registry."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote, urlencode

from extensions.registries.azd import offers_of
from extensions.registries.machines import machine
from extensions.registries.offer import ServerOffer
from extensions.registries.server_json import OF_THE_REGISTRY, offer_of
from refusal import Refusal

LATEST: Final = "latest"
LARGEST: Final = 8 * 1024 * 1024
_OFFICIAL: Final = "mcp+"
_PAGE: Final = 100
_MOST_PAGES: Final = 3

# A function that reads a URL and limits the size of the response.
Read = Callable[[str], Awaitable[bytes]]


class ServerRegistry(Protocol):
    @property
    def name(self) -> str: ...

    async def search(self, words: Sequence[str], most: int) -> list[ServerOffer]:
        """Return the servers that match all words.

        Raises:
            Refusal: The registry cannot be read.
        """

    async def offer(self, name: str, version: str = LATEST) -> ServerOffer | None:
        """Return the server with this name and version, or None if the registry does not list it.

        Raises:
            Refusal: The registry cannot be read.
        """


def registry_at(place: str, read: Read, folder: Path = Path()) -> ServerRegistry:
    """Return the registry at `mcp+https://...` (the official API), `https://...`, or the path of a file in `folder`."""
    if place.startswith(f"{_OFFICIAL}https://"):
        return OfficialRegistry(place.removeprefix(_OFFICIAL).rstrip("/"), read)
    if place.startswith("https://"):
        return DocumentRegistry(place, read)
    if "://" in place or not place:
        raise Refusal("A source of extensions must be a file, https://host/path or mcp+https://host.")
    return DocumentRegistry(place, partial(read_file, folder))


async def read_file(folder: Path, place: str) -> bytes:
    """Read a file.

    Raises:
        Refusal: The file does not exist or is too large.
    """
    return await asyncio.to_thread(_content, folder, place)


def _content(folder: Path, path: str) -> bytes:
    try:
        with (folder / path).open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > LARGEST:
        raise Refusal(f"{path} is larger than {LARGEST} bytes.")
    return content


class DocumentRegistry:
    """A registry that is a single document: an azd registry with `extensions`, a list of `servers`, or one
    `server.json`.

    Each query reads the document again.
    """

    def __init__(self, place: str, read: Read) -> None:
        self.name = place
        self._read = read

    async def search(self, words: Sequence[str], most: int) -> list[ServerOffer]:
        wanted = tuple(word.casefold() for word in words)
        return [one for one in await self._offers() if one.has(wanted)][:most]

    async def offer(self, name: str, version: str = LATEST) -> ServerOffer | None:
        wanted = "" if version == LATEST else version
        found = (one for one in await self._offers(wanted) if one.name == name)
        return next((one for one in found if wanted in {"", one.version}), None)

    async def _offers(self, version: str = "") -> list[ServerOffer]:
        document = _object(await self._read(self.name), self.name)
        if "extensions" in document:
            return list(offers_of(_with_list(document, "extensions", self.name), self.name, machine(), version))
        if "servers" in document:
            return list(_readable(_with_list(document, "servers", self.name)["servers"], self.name))
        return [offer_of(document, self.name)]


class OfficialRegistry:
    """The official MCP registry.

    The API of this registry can search only for a single part of a server's name. This class therefore sends only the
    longest word of a search, and filters the results by the other words.
    """

    def __init__(self, base: str, read: Read) -> None:
        self.name = base
        self._read = read

    async def search(self, words: Sequence[str], most: int) -> list[ServerOffer]:
        wanted = tuple(word.casefold() for word in words)
        found: list[ServerOffer] = []
        cursor = ""
        for _ in range(_MOST_PAGES):
            page = await self._page(max(words, key=len, default=""), cursor)
            found += [one for one in _readable(page["servers"], self.name) if one.has(wanted) and one.is_active]
            cursor = _cursor(page)
            if not cursor or len(found) >= most:
                break
        return found[:most]

    async def offer(self, name: str, version: str = LATEST) -> ServerOffer | None:
        address = f"{self.name}/v0.1/servers/{quote(name, safe='')}/versions/{quote(version, safe='')}"
        listed = _object(await self._read(address), self.name)
        offer = _listed(listed, self.name)
        if offer.name != name or version not in {LATEST, offer.version}:
            raise Refusal(f"{self.name} returned a different server than {name} {version}.")
        return offer

    async def _page(self, word: str, cursor: str) -> Mapping[str, Any]:
        asked = {"search": word, "version": LATEST, "limit": str(_PAGE), "cursor": cursor}
        query = urlencode({name: value for name, value in asked.items() if value})
        return _with_list(
            _object(await self._read(f"{self.name}/v0.1/servers?{query}"), self.name), "servers", self.name
        )


def _cursor(page: Mapping[str, Any]) -> str:
    about = page.get("metadata")
    cursor = about.get("nextCursor") if isinstance(about, dict) else None
    return cursor if isinstance(cursor, str) and len(cursor) <= 500 else ""


def _readable(listed: Sequence[Any], source: str) -> Iterator[ServerOffer]:
    """Yield the offers of valid entries. Malformed entries are skipped."""
    for one in listed:
        try:
            yield _listed(one, source)
        except Refusal:
            continue


def _listed(one: Any, source: str) -> ServerOffer:
    """Parse an entry of a registry: a server with metadata, or a server alone (in custom lists)."""
    if not isinstance(one, dict) or "server" not in one:
        return offer_of(one, source)
    beside = one.get("_meta")
    return offer_of(one["server"], source, beside.get(OF_THE_REGISTRY) if isinstance(beside, dict) else None)


def _object(content: bytes, source: str) -> Mapping[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise Refusal(f"{source} did not return valid JSON.") from None
    if not isinstance(document, dict):
        raise Refusal(f"{source} is not a registry: its answer is not an object.")
    return document


def _with_list(document: Mapping[str, Any], name: str, source: str) -> Mapping[str, Any]:
    if not isinstance(document.get(name), list):
        raise Refusal(f"{source} is not a registry: its {name} are not a list.")
    return document
