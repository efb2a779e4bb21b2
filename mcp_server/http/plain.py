"""Converts plain HTTP requests to MCP messages, and the responses back to plain HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final
from urllib.parse import parse_qs

from identity.toolset_names import ALL
from mcp_server.bounds import excess, excess_of_text
from mcp_server.calls.running import LateError, LimitError
from mcp_server.calls.waiting import WaitingError
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.http.choosing import CHOICES
from mcp_server.http.endpoint import Endpoint, Reading
from mcp_server.http.messages import JSON, HttpAnswer, HttpRequest, has, protocol_error
from mcp_server.http.problems import problem
from mcp_server.http.reception import Interface
from mcp_server.protocol.json_text import to_json
from mcp_server.protocol.names import INTERNAL_ERROR, LATEST_HANDSHAKE_VERSION, VERSION_HEADER
from mcp_server.protocol.results import WELL, CallEnding
from mcp_server.visit import Requester, Trace, Way
from refusal import Refusal

# The messages use this protocol version, because it requires no additional metadata.
_HEADERS: Final = {VERSION_HEADER: LATEST_HANDSHAKE_VERSION, "accept": JSON, "content-type": JSON}
PRIVATE: Final = {"cache-control": "private, no-store"}
# Clients may store the response, but must ask the server whether it is still current before they use it.
KEPT: Final = {"cache-control": "private, no-cache"}
_MOST_PARAMETERS: Final = 20
# The route has already checked the method.
_INTERFACE: Final = Interface(protocol_error, ("GET", "POST", "PUT", "DELETE"))
_OF_THE_MESSAGE: Final = {"content-type", "content-length"}
_STATUSES: Final[Mapping[type[BaseException], int]] = {
    InvalidArgumentsError: 400,
    LateError: 504,
    LimitError: 429,
    Refusal: 422,
}


@dataclass(frozen=True, slots=True)
class Reply:
    """The response to a message: a result, or an error."""

    requester: Requester
    answer: HttpAnswer
    result: Mapping[str, Any] | None
    error: Mapping[str, Any]
    ending: CallEnding = WELL

    @property
    def is_turned_away(self) -> bool:
        """Whether the request was rejected before the server could process the message."""
        return self.answer.status != 200

    @property
    def is_failed(self) -> bool:
        return self.result is None or bool(self.result.get("isError"))

    @property
    def is_waiting(self) -> bool:
        """Whether the change must be approved first."""
        return self.ending.failure is WaitingError

    @property
    def structured(self) -> Any:
        return (self.result or {}).get("structuredContent")

    @property
    def text(self) -> str:
        if self.result is None:
            return str(self.error["message"])
        return "\n".join(part["text"] for part in self.result["content"] if part["type"] == "text")

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the response, except those that describe the MCP message."""
        return {name: value for name, value in self.answer.headers.items() if name not in _OF_THE_MESSAGE}

    def status(self, otherwise: int = 400) -> int:
        """The HTTP status code for an error.

        `otherwise` is the status code for protocol errors other than internal errors.
        """
        if self.answer.status != 200:
            return self.answer.status
        if self.ending.failure:
            return next((self._status_of(kind) for kind in self.ending.failure.__mro__ if self._status_of(kind)), 500)
        if self.result is not None:  # the tool itself reported the error
            return _STATUSES[Refusal]
        return 500 if self.error.get("code") == INTERNAL_ERROR else otherwise

    @staticmethod
    def _status_of(kind: type) -> int:
        return _STATUSES.get(kind, 0) or getattr(kind, "http_status", 0)

    def problem(self, otherwise: int = 400, more: Mapping[str, Any] | None = None) -> HttpAnswer:
        return problem(self.status(otherwise), self.text, self.headers, more)

    def waiting(self, more: Mapping[str, Any] | None = None) -> HttpAnswer:
        """The response with status 202. The body contains the change to approve, and the URL of the approval page."""
        change = self.structured["change"]
        where = {"location": change["address"]} if "address" in change else {}
        document = {"detail": self.text, "change": change, **(more or {})}
        return answer(202, document, {**self.headers, **PRIVATE, **where})


@dataclass(frozen=True, slots=True)
class Message:
    """An MCP message. If `choice` is set, it replaces the request's headers that select tools."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    choice: Mapping[str, str] | None = None


async def ask(endpoint: Endpoint, request: HttpRequest, read: Callable[[], Message]) -> Reply:
    """Process the MCP message for an HTTP request, with the headers of this request.

    `read` creates the message, and is called only when the body may be parsed. `read` raises a `Refusal` if the request
    is invalid.
    """
    trace = Trace(Requester(way=Way.REST))
    reading = Reading(_INTERFACE, lambda request: _of_mcp(request, read()))
    answered = await endpoint.exchange(request, ALL, trace, reading)
    message = json.loads(answered.http.body)
    return Reply(trace.requester, answered.http, message.get("result"), message.get("error", {}), answered.ending)


def _of_mcp(request: HttpRequest, message: Message) -> HttpRequest:
    body = _written({"jsonrpc": "2.0", "id": 1, "method": message.method, "params": message.params})
    headers = {**request.headers, **_HEADERS, "content-length": str(len(body))}
    if message.choice is not None:
        headers = {name: value for name, value in headers.items() if name not in CHOICES} | dict(message.choice)
    return replace(request, method="POST", body=body, headers=headers)


def _written(document: Mapping[str, Any]) -> bytes:
    try:
        return to_json(document)
    except ValueError:
        raise Refusal("The request contains half of a surrogate pair, which is not text.") from None


def answer(status: int, document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> HttpAnswer:
    return HttpAnswer(status, to_json(document), {**(headers or {}), "content-type": JSON})


def tagged(request: HttpRequest, body: bytes, headers: Mapping[str, str]) -> HttpAnswer:
    """A successful response with an ETag, or 304 if the client already has this version."""
    tag = f'"{sha256(body).hexdigest()[:32]}"'
    kept = {**headers, **KEPT, "etag": tag}
    return HttpAnswer(304, b"", kept) if has(request, tag) else HttpAnswer(200, body, kept)


def query(request: HttpRequest, *names: str) -> Mapping[str, str]:
    """The query parameters. The parameter `code`, which the platform uses, is also allowed."""
    try:
        given = parse_qs(request.query, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        raise Refusal(f"There are more than {_MOST_PARAMETERS} parameters after the question mark.") from None
    for name, values in given.items():
        if name not in {*names, "code"} or len(values) > 1:
            raise Refusal(f"Allowed query parameters: {', '.join(names) or 'none'}, each once.")
    return {name: values[0] for name, values in given.items()}


def count_in(given: Mapping[str, str], name: str, most: int) -> int:
    """A number from the query. If the parameter is missing, returns the maximum.

    Raises:
        Refusal: The value is not a whole number, or is out of range.
    """
    text = given.get(name, str(most))
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= most):
        raise Refusal(f"{name} must be a whole number from 1 to {most}.")
    return int(text)


def document_of(body: bytes) -> Any:
    """Parse the body of a request as JSON, within the limits."""
    if too_much := excess_of_text(body):
        raise Refusal(too_much)
    from pydantic_core import from_json

    try:
        document = from_json(body)
    except ValueError:
        raise Refusal("The body is not JSON.") from None
    if too_much := excess(document):
        raise Refusal(too_much)
    return document
