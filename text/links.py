"""Unwraps links that mail security products have rewritten."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections.abc import Callable
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit, urlunsplit

_E_MAIL = re.compile(r"[^\s@=&](?:@|%40)[\w-]+\.[\w.-]+", re.IGNORECASE)
# The maximum number of nested wrappers. If an email passes several mail security products, each wraps the link of the
# previous product.
_MOST_WRAPPERS = 4
_SAFE_IN_LINK = "!#$%&'*+,-./:;=?@_~"
# Matches links that need no change, because they contain no wrapper or email address, and nothing that must be escaped
# or removed. Most links match.
_PLAIN = re.compile(
    r"""https?://
    (?![^/?\#]*(?:safelinks\.protection\.outlook|urldefense(?:\.proofpoint)?)\.com(?:[/?\#]|\Z))
    [a-z0-9.-]+ (?:/[\w.~/-]*)? (?:\?[\w.~/=&-]+)? (?:\#[\w.~/=&-]+)?""",
    re.VERBOSE | re.ASCII,
)


def destination(href: str) -> str | None:
    """The URL that a link opens. None if the link is broken, cannot be unwrapped, or is not a web or email link."""
    address: str | None = href.strip()
    if address and _PLAIN.fullmatch(address):
        return address
    for _ in range(_MOST_WRAPPERS):
        parts = _split(address)
        if parts is None:
            return None
        if (unwrap := _wrapper(parts)) is None:
            return _presentable(parts)
        address = unwrap(parts)
    return None


def _split(address: str | None) -> SplitResult | None:
    try:
        parts = urlsplit(address or "")
    except ValueError:
        return None
    if parts.scheme == "mailto":
        return parts
    host = parts.netloc
    return parts if parts.scheme in {"http", "https"} and host and not re.search(r"\s", host) else None


def _wrapper(parts: SplitResult) -> Callable[[SplitResult], str | None] | None:
    host = parts.netloc.lower()
    if host.endswith("safelinks.protection.outlook.com"):
        return _from_safelink
    if host.endswith(("urldefense.com", "urldefense.proofpoint.com")):
        return _from_urldefense
    return None


def _from_safelink(parts: SplitResult) -> str | None:
    return parse_qs(parts.query).get("url", [None])[0]


def _from_urldefense(parts: SplitResult) -> str | None:
    if parts.path.startswith("/v3/__"):
        return _from_third_urldefense(urlunsplit(parts))
    wrapped = parse_qs(parts.query).get("u", [None])[0]
    if wrapped is None or parts.path.startswith("/v1/"):
        return wrapped
    return unquote(wrapped.replace("-", "%").replace("_", "/"))


def _from_third_urldefense(address: str) -> str | None:
    """Unwrap a link of urldefense 3, which replaces special characters with `*` and lists them after the URL."""
    match = re.search(r"/v3/__(.+?)__;([\w-]*)", address)
    if match is None:
        return None
    try:
        replaced = iter(urlsafe_b64decode(match[2] + "=" * (-len(match[2]) % 4)).decode())
    except ValueError:
        return None
    restored = re.sub(r"\*", lambda star: next(replaced, star[0]), match[1])
    return re.sub(r"^(https?):/+", r"\1://", restored)


def _presentable(parts: SplitResult) -> str:
    """The URL in a form that is safe in Markdown, without query parameters that contain an email address."""
    query = "&".join(part for part in parts.query.split("&") if not _E_MAIL.search(part))
    if parts.scheme == "mailto":
        query = ""
    return quote(urlunsplit(parts._replace(query=query)), safe=_SAFE_IN_LINK, errors="replace")
