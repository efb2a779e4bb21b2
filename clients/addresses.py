"""Checks URLs of services, and inserts values into paths and queries."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from refusal import Refusal

Query = Mapping[str, str | int | bool | None]


class BaseUrl(str):
    """A service URL that has passed the checks."""

    __slots__ = ()


def checked_base_url(url: str, *, in_the_open: bool = False) -> BaseUrl:
    """Check the URL of a service, and return it without a trailing slash.

    A URL that points to another machine can use http only if `in_the_open` is set.

    Raises:
        Refusal: The scheme of the URL is not allowed, or the URL contains a username, a query or a fragment.
    """
    try:
        parts = urlsplit(url.strip())
        is_bare = "@" not in parts.netloc and not parts.query and not parts.fragment
        fine = is_bare and _is_private(parts, in_the_open=in_the_open)
        _ = parts.port  # reading the port validates it
    except ValueError:
        fine = False
    if not fine:
        raise Refusal(
            "The address of a service must look like https://host/path, without a username, a query or a fragment; "
            "plain http is accepted only for localhost, 127.0.0.1 and [::1]."
        )
    return BaseUrl(parts.geturl().rstrip("/"))


def fill(template: str, values: Mapping[str, str | int]) -> str:
    """Insert the values into a path template. Each value becomes exactly one path segment.

    Raises:
        Refusal: A value is not valid as a path segment.
    """
    return template.format_map({name: _segment(name, str(value)) for name, value in values.items()})


def query_string(query: Query) -> str:
    """Encode a query string. Parameters that are None are left out."""
    texts = {name: _query_text(value) for name, value in query.items() if value is not None}
    return urlencode(texts, quote_via=quote)


def _is_private(parts: SplitResult, *, in_the_open: bool) -> bool:
    if parts.scheme == "http" and not in_the_open:
        return _is_this_machine(parts.hostname or "")
    if parts.scheme == "http":
        return bool(parts.hostname)
    return parts.scheme == "https" and bool(parts.hostname)


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _segment(name: str, value: str) -> str:
    # HTTP libraries resolve "." and ".." in a path even if they are percent-encoded.
    if value in {"", ".", ".."}:
        raise Refusal(f"{name} must name a single item, not {value!r}.")
    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        raise Refusal(f"{name} is not valid Unicode.") from None


def _query_text(value: str | int | bool) -> str:  # noqa: FBT001 - a query value, not a switch
    return str(value).lower() if isinstance(value, bool) else str(value)
