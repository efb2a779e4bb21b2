"""Sends HTTPS requests. Errors are returned as responses."""

from __future__ import annotations

import json
import ssl
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from cannot_go_on import CannotGoOnError

SECONDS_TO_ANSWER = 30.0
MOST_BYTES = 1_000_000
MOST_SAID = 300
NO_ANSWER = 0
# A retry may help after these status codes: no response, too many requests, and server errors.
BUSY = frozenset({NO_ANSWER, 408, 429, 500, 502, 503, 504})


@dataclass(frozen=True)
class WebAnswer:
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300

    @property
    def content(self) -> dict[str, Any]:
        """The JSON object in the response, or an empty object if there is none."""
        try:
            content = json.loads(self.body)
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}

    @property
    def code(self) -> str:
        """The status code of the response, followed by Azure's error code if the response contains one."""
        return " ".join(filter(None, [str(self.status or self.problem), self._error("code")]))

    @property
    def said(self) -> str:
        return ": ".join(filter(None, [self.code, self._error("message")]))[:MOST_SAID]

    @property
    def pause(self) -> float | None:
        """The number of seconds to wait before a retry, or None if the response specifies no delay."""
        delay = self.headers.get("retry-after", "")
        return float(delay) if delay.isdecimal() else None

    def _error(self, name: str) -> str:
        error = self.content.get("error")
        return str(error.get(name) or "") if isinstance(error, dict) else ""


class _NoRedirects(HTTPRedirectHandler):
    """Prevents redirects, so that tokens and keys are sent only to the requested server."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Web:
    def __init__(self, seconds_to_answer: float = SECONDS_TO_ANSWER) -> None:
        self._seconds = seconds_to_answer
        self._opener = build_opener(HTTPSHandler(context=ssl.create_default_context()), _NoRedirects)

    def ask(self, method: str, url: str, headers: Mapping[str, str] | None = None, content: object = None) -> WebAnswer:
        scheme, _, address = url.partition("://")
        if scheme != "https":
            raise CannotGoOnError(f"{url!r} must begin with https://. Run 'azd provision', which sets the URL.")
        body = None if content is None else json.dumps(content).encode()
        kinds = {} if body is None else {"Content-Type": "application/json"}
        all_headers = {"Accept": "application/json", **kinds, **(headers or {})}
        return self._send(Request(f"https://{address}", body, all_headers, method=method), address.partition("/")[0])

    def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | Iterator[bytes] | None = None,
    ) -> WebAnswer:
        """Send a request. If `body` is iterable, it is sent in chunks. Only requests to https:// URLs are encrypted."""
        if not url.startswith(("http://", "https://")):
            raise CannotGoOnError(f"{url!r} must begin with https://.")
        request = Request(url, body, dict(headers or {}), method=method)  # noqa: S310 - other schemes are rejected
        return self._send(request, url.partition("://")[2].partition("/")[0])

    def _send(self, request: Request, host: str) -> WebAnswer:
        try:
            return self._open(request)
        except (OSError, HTTPException) as problem:
            return WebAnswer(NO_ANSWER, problem=_words(getattr(problem, "reason", problem), host))
        except ValueError:
            # If a token or key is not a valid header value, the exception's message could contain the token or key.
            raise CannotGoOnError(
                f"The request to {host} is invalid. Run 'azd auth login', then run the same command again."
            ) from None

    def _open(self, request: Request) -> WebAnswer:
        try:
            with self._opener.open(request, timeout=self._seconds) as response:
                return _answer(response.status, response)
        except HTTPError as refusal:
            with refusal:
                return _answer(refusal.code, refusal)


def _answer(status: int, response: Any) -> WebAnswer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return WebAnswer(status, response.read(MOST_BYTES), headers)


def _words(problem: object, host: str) -> str:
    if isinstance(problem, ssl.SSLCertVerificationError):
        raise CannotGoOnError(
            f"This Python, {sys.executable}, does not trust the certificate of {host}. With Python from python.org on"
            " macOS, run its 'Install Certificates.command' once. If a proxy inspects TLS, set SSL_CERT_FILE to its"
            " certificate file."
        ) from None
    if isinstance(problem, TimeoutError):
        return f"no answer from {host} in time"
    words = str(problem) if isinstance(problem, OSError) else type(problem).__name__
    return f"{host} cannot be reached: {words}"
