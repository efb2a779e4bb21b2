"""Reads Azure lists page by page. Each page contains a link to the next page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from clients.azure.cloud import Service
from clients.azure.messages import AzureAnswer, AzureRequest, ListPage
from refusal import Refusal

_MOST_PAGES: Final = 100
# The maximum size of all pages together, because all pages stay in memory until the last page is read.
_LARGEST: Final = 32 * 1024 * 1024
_LONGEST_LINK: Final = 32 * 1024
_LINKS: Final = ("nextLink", "@odata.nextLink")
_PORTS: Final = {"https": 443, "http": 80}

Send = Callable[[AzureRequest], Awaitable[AzureAnswer]]


async def collected(send: Send, service: Service, request: AzureRequest, limit: int) -> ListPage:
    """Read a list page by page, until `limit` entries have been read or the list ends."""
    items: list[Any] = []
    following: AzureRequest | None = request
    seen: set[str] = set()
    left_out = size = 0
    for _ in range(_MOST_PAGES):
        if following is None or len(items) >= limit or size > _LARGEST:
            break
        answer = await send(following)
        document = answer.document
        items += _entries(document)
        left_out += answer.left_out
        size += len(answer.content)
        link = _link(document)
        if link in seen:
            raise Refusal(f"{service.name} keeps returning the same page of this list. Request less data.")
        seen.add(link)
        following = at_address(service, link, request) if link else None
    return ListPage(items[:limit], len(items) > limit or following is not None, left_out)


def is_list(document: Any) -> bool:
    """Whether a document is a page of a list."""
    found = document.get("value") if isinstance(document, dict) else None
    return isinstance(found, list) and all(isinstance(entry, dict) for entry in found)


def beginning_with(answer: AzureAnswer, send: Send) -> Send:
    """A function that answers its first call with this response, and sends the requests of all later calls."""
    answers = [answer]

    async def go_on(request: AzureRequest) -> AzureAnswer:
        return answers.pop() if answers else await send(request)

    return go_on


def at_address(service: Service, address: str, first: AzureRequest) -> AzureRequest:
    """Build a request for a URL that Azure returned. The URL must belong to the same service.

    Raises:
        Refusal: The URL belongs to another host.
    """
    there, base = _parts(address), urlsplit(service.base_url)
    if there is None or _host(there) != _host(base) or not f"{there.path}/".startswith(f"{base.path}/"):
        raise Refusal(f"A response from {service.name} links to another host. Such links are not followed.")
    segments = [unquote(segment) for segment in there.path.removeprefix(base.path).split("/") if segment]
    names = {f"part{number}": segment for number, segment in enumerate(segments)}
    line = f"{first.method} " + "".join(f"/{{{name}}}" for name in names)
    query = dict(parse_qsl(there.query, keep_blank_values=True))
    return AzureRequest(
        line,
        names,
        {name: value for name, value in query.items() if name.lower() != "api-version"},
        body=first.body,
        headers=first.headers,
        is_read=first.is_read,
        version=next((value for name, value in query.items() if name.lower() == "api-version"), None),
        service=first.service,
        gives_secrets=first.gives_secrets,
        only_names=first.only_names,
        is_ready_made=first.is_ready_made,
    )


def _parts(address: str) -> SplitResult | None:
    """The parts of a URL; None if the URL is invalid."""
    try:
        found = urlsplit(address) if len(address) <= _LONGEST_LINK else None
        return found if found and found.username is None and _host(found) else None
    except ValueError:
        return None


def _host(parts: SplitResult) -> tuple[str, str, int | None]:
    """The scheme, host and port of a URL. If the URL has no port, the default port is returned."""
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)


def _entries(document: Any) -> list[Any]:
    found = document.get("value") if isinstance(document, dict) else document
    if found is None:
        return []
    if not isinstance(found, list):
        raise Refusal("Azure's answer contains no list. A proxy could be the cause.")
    return [entry for entry in found if isinstance(entry, dict)]


def _link(document: Any) -> str:
    links = [document.get(name) for name in _LINKS] if isinstance(document, dict) else []
    return next((link for link in links if isinstance(link, str) and link), "")
