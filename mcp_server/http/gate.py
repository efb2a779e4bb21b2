"""Checks whether a request is accepted: its host, its origin and its body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from mcp_server.bounds import excess_of_text
from mcp_server.http.messages import HttpAnswer, HttpRequest, normal_host
from refusal import Refusal

LOCAL_HOSTS: Final = ("127.0.0.1:*", "localhost:*", "[::1]:*")
LOCAL_ORIGINS: Final = tuple(f"http://{host}" for host in LOCAL_HOSTS)
LARGEST_BODY: Final = 4 * 1024 * 1024
# The maximum size of a body on servers without sign-in. The limit is high enough for the largest rules file, even if
# every character is escaped.
LARGEST_BODY_OF_STRANGERS: Final = 1024 * 1024
# Methods whose requests may have a body.
_WITH_BODY: Final = {"POST", "PUT", "PATCH"}

_HEADER_NAMES: Final = re.compile(r"[A-Za-z0-9-]{1,64}(, ?[A-Za-z0-9-]{1,64}){0,40}")
_PREFLIGHT_SECONDS: Final = "7200"
_DEFAULT_PORTS: Final = {"80", "443"}


class RejectedError(Refusal):
    """The request is not accepted. `http_status` and `headers` are those of the response."""

    def __init__(self, http_status: int, words: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(words)
        self.http_status = http_status
        self.headers = headers or {}


@dataclass(frozen=True, slots=True)
class Gate:
    """The checks that each request must pass, and the allowed hosts and origins.

    A host or origin that ends with `:*` allows any port, or no port. Each check raises `RejectedError`.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    largest_body: int = LARGEST_BODY

    @classmethod
    def of(cls, hosts: Iterable[str], origins: Iterable[str], largest_body: int = LARGEST_BODY) -> Gate:
        return cls(frozenset(map(_spelled, hosts)), frozenset(map(str.lower, origins)), largest_body)

    def check_host(self, request: HttpRequest) -> None:
        if not _is_among(request.host, self.hosts):
            raise RejectedError(421, "This server does not accept requests for this host name.")

    def check_origin(self, request: HttpRequest) -> None:
        """Check the Origin header. Pages of this server are allowed even if settings do not list their origin."""
        origin = request.headers.get("origin")
        if origin is not None and origin != request.origin and not _is_among(origin, self.origins):
            raise RejectedError(403, "This server does not accept requests from this origin.")

    def check_body(self, request: HttpRequest) -> None:
        """Before a body is parsed, check that it is complete and not too large."""
        self.check_size(request)
        check_length(request)

    def check_size(self, request: HttpRequest) -> None:
        if len(request.body) > self.largest_body:
            raise RejectedError(413, f"The body is larger than {self.largest_body} bytes.")

    def sharing(self, request: HttpRequest) -> dict[str, str]:
        """The CORS headers that let a page of an allowed origin read the response."""
        origin = request.headers.get("origin")
        if origin is None or not _is_among(origin, self.origins):
            return {}
        exposed = "mcp-protocol-version, mcp-session-id, retry-after, www-authenticate"
        return {"access-control-allow-origin": origin, "access-control-expose-headers": exposed, "vary": "Origin"}


def check_length(request: HttpRequest) -> None:
    """Reject an empty body if the client may have sent a body that was lost on the way.

    Some hosting platforms drop chunked bodies, so the server receives an empty body instead.

    Raises:
        RejectedError: The request arrived without a body and without Content-Length.
    """
    if request.method in _WITH_BODY and not request.body and "content-length" not in request.headers:
        raise RejectedError(
            411,
            "The request has no body and no Content-Length. Send a body, or Content-Length: 0 for an empty body.",
        )


def check_json(body: bytes) -> None:
    """Check JSON text before parsing it, because parsing takes much longer than checking.

    Raises:
        RejectedError: The text exceeds a limit, or is not UTF-8.
    """
    if too_much := excess_of_text(body):
        raise RejectedError(413, too_much)
    if b"\0" in body:
        raise RejectedError(400, "The body must be JSON in UTF-8.")


def preflight(request: HttpRequest) -> HttpAnswer:
    """The response to a CORS preflight request."""
    asked = request.headers.get("access-control-request-headers", "")
    headers = {
        "allow": "POST",
        "access-control-allow-methods": "POST",
        "access-control-max-age": _PREFLIGHT_SECONDS,
    }
    if _HEADER_NAMES.fullmatch(asked):
        headers["access-control-allow-headers"] = asked
    return HttpAnswer(204, headers=headers)


def _spelled(host: str) -> str:
    return normal_host(host) or host.lower()  # `normal_host` rejects patterns that end with `:*`


def _is_among(value: str, allowed: frozenset[str]) -> bool:
    value = value.lower()
    name, _, port = value.rpartition(":")
    if not (port.isascii() and port.isdecimal()):
        name, port = value, ""
    return value in allowed or f"{name}:*" in allowed or (port in _DEFAULT_PORTS and name in allowed)
