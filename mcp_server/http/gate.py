"""Which requests are let in at all: from which host and origin, by which method, of what size."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from mcp_types import INVALID_REQUEST

from mcp_server.bounds import excess_of_text
from mcp_server.http.messages import HttpAnswer, HttpRequest, normal_host, protocol_error

LOCAL_HOSTS: Final = ("127.0.0.1:*", "localhost:*", "[::1]:*")
LOCAL_ORIGINS: Final = tuple(f"http://{host}" for host in LOCAL_HOSTS)
LARGEST_BODY: Final = 4 * 1024 * 1024
# Where nobody signs in: more than a rules file of the greatest size takes, were every character of it an escape.
LARGEST_BODY_OF_STRANGERS: Final = 1024 * 1024

_ALLOWED_METHODS: Final = {"allow": "POST"}
_HEADER_NAMES: Final = re.compile(r"[A-Za-z0-9-]{1,64}(, ?[A-Za-z0-9-]{1,64}){0,40}")
_PREFLIGHT_SECONDS: Final = "7200"
_DEFAULT_PORTS: Final = {"80", "443"}


@dataclass(frozen=True, slots=True)
class Gate:
    """Allowed hosts and origins; `:*` at the end of one stands for any port, or none."""

    hosts: frozenset[str]
    origins: frozenset[str]
    largest_body: int = LARGEST_BODY

    @classmethod
    def of(cls, hosts: Iterable[str], origins: Iterable[str], largest_body: int = LARGEST_BODY) -> Gate:
        return cls(frozenset(map(_spelled, hosts)), frozenset(map(str.lower, origins)), largest_body)

    def wrong_host(self, request: HttpRequest) -> HttpAnswer | None:
        """The answer to a request that is meant for somebody else, if this is one."""
        if _is_among(request.host, self.hosts):
            return None
        return protocol_error(421, INVALID_REQUEST, "This server does not answer for that host name.")

    def rejection(self, request: HttpRequest) -> HttpAnswer | None:
        """The answer to a request that must not come further, if this is one."""
        if refused := self.wrong_host(request):
            return refused
        origin = request.headers.get("origin")
        if origin is not None and not _is_among(origin, self.origins):
            return protocol_error(403, INVALID_REQUEST, "This server does not answer pages of that origin.")
        if request.method == "OPTIONS":
            return HttpAnswer(204, headers=_ALLOWED_METHODS | _preflight(request))
        if request.method != "POST":
            # Stateless: there is no stream to GET and no session to DELETE, and clients go on after this.
            message = "Only POST is answered here: this server keeps no sessions and no streams."
            return protocol_error(405, INVALID_REQUEST, message, _ALLOWED_METHODS)
        return self._size_rejection(request)

    def rejection_of_page(self, request: HttpRequest, methods: Collection[str]) -> HttpAnswer | None:
        """The answer to a request for a page that must not come further, if this is one."""
        if refused := self.wrong_host(request):
            return refused
        if request.method not in methods:
            allowed = ", ".join(methods)
            message = f"Only {allowed} is answered here."
            return HttpAnswer(405, message.encode(), {"allow": allowed, "content-type": "text/plain; charset=utf-8"})
        return self._size_rejection(request) if request.body else None

    def sharing(self, request: HttpRequest) -> dict[str, str]:
        """The headers by which a browser lets a page of an allowed origin read the answer."""
        origin = request.headers.get("origin")
        if origin is None or not _is_among(origin, self.origins):
            return {}
        exposed = "mcp-protocol-version, retry-after, www-authenticate"
        return {"access-control-allow-origin": origin, "access-control-expose-headers": exposed, "vary": "Origin"}

    def _size_rejection(self, request: HttpRequest) -> HttpAnswer | None:
        if len(request.body) > self.largest_body:
            return protocol_error(413, INVALID_REQUEST, f"The body is larger than {self.largest_body} bytes.")
        if too_much := excess_of_text(request.body):
            return protocol_error(413, INVALID_REQUEST, too_much)
        if b"\0" in request.body:
            return protocol_error(400, INVALID_REQUEST, "The body has to be JSON in UTF-8.")
        if not request.body and "content-length" not in request.headers:
            # The Functions host drops a body of unknown length, so the request arrives empty.
            return protocol_error(411, INVALID_REQUEST, "Send the body with a Content-Length header, not in chunks.")
        return None


def _preflight(request: HttpRequest) -> dict[str, str]:
    asked = request.headers.get("access-control-request-headers", "")
    headers = {"access-control-allow-methods": "POST", "access-control-max-age": _PREFLIGHT_SECONDS}
    if _HEADER_NAMES.fullmatch(asked):
        headers["access-control-allow-headers"] = asked
    return headers


def _spelled(host: str) -> str:
    return normal_host(host) or host.lower()  # with `:*` it is no host, but stands for several


def _is_among(value: str, allowed: frozenset[str]) -> bool:
    value = value.lower()
    name, _, port = value.rpartition(":")
    if not (port.isascii() and port.isdecimal()):
        name, port = value, ""
    return value in allowed or f"{name}:*" in allowed or (port in _DEFAULT_PORTS and name in allowed)
