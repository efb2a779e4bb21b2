"""Rewords the SDK's errors for invalid requests, so that they say what is wrong and what is valid."""

from __future__ import annotations

import json
from typing import Any, Final

from mcp_server.http.messages import JSON, HttpAnswer, HttpRequest, protocol_error
from mcp_server.protocol.names import (
    DEFAULT_VERSION,
    INVALID_PARAMS,
    INVALID_REQUEST,
    KNOWN_VERSIONS,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    VERSION_HEADER,
)

# The protocol versions with the Streamable HTTP transport. In earlier versions, the version header does not exist.
_VERSIONS: Final = [version for version in KNOWN_VERSIONS if version >= DEFAULT_VERSION]
_ECHOED: Final = 60
_LONGEST_MISTAKE: Final = 2_000
_UNKNOWN_METHOD: Final = f'"code":{METHOD_NOT_FOUND}'.encode()


def in_our_words(request: HttpRequest, answer: HttpAnswer) -> HttpAnswer:
    """The SDK's response, or, for some errors, a response that explains the error better."""
    if answer.status == 406:
        return _wrong_header(request, 406, "accept", "contain application/json, and preferably text/event-stream")
    if len(answer.body) > _LONGEST_MISTAKE and _UNKNOWN_METHOD in answer.body[:_LONGEST_MISTAKE]:
        return _unknown_method(answer)
    return (_bad_request(request, answer) if answer.status == 400 else None) or answer


def _bad_request(request: HttpRequest, answer: HttpAnswer) -> HttpAnswer | None:
    if answer.body == b"Invalid Content-Type header":
        return _wrong_header(request, 400, "content-type", f"be {JSON}")
    if not request.body.strip():
        return protocol_error(400, PARSE_ERROR, "The body is missing. Post one JSON-RPC request or notification.")
    version = request.headers.get(VERSION_HEADER)
    if version is not None and version not in KNOWN_VERSIONS:
        return _unknown_version(version, answer)
    if b"errors.pydantic.dev" in answer.body:
        # The SDK's error would contain pydantic's message, which repeats values from the request.
        return protocol_error(400, INVALID_REQUEST, "The body is not one JSON-RPC request or notification.")
    return None


def _unknown_method(answer: HttpAnswer) -> HttpAnswer:
    """Shorten the error for an unknown method, because the SDK repeats the complete name of the method."""
    document = _document(answer.body)
    error = {"code": METHOD_NOT_FOUND, "message": "Method not found"}
    headers = {"content-type": JSON}
    return HttpAnswer(answer.status, json.dumps({**document, "error": error}).encode(), headers)


def _wrong_header(request: HttpRequest, status: int, name: str, valid: str) -> HttpAnswer:
    value = request.headers.get(name)
    found = "is missing" if value is None else f"is {value[:_ECHOED]!r}"
    return protocol_error(status, INVALID_REQUEST, f"The header {name.title()} {found}, and must {valid}.")


def _unknown_version(version: str, answer: HttpAnswer) -> HttpAnswer | None:
    """Explain that the protocol version is unknown, because the SDK's own error explains something else."""
    document = _document(answer.body)
    error = document.get("error")
    if not isinstance(error, dict) or error.get("code") != INVALID_PARAMS:
        return None
    named = version[:_ECHOED]
    message = f"The header MCP-Protocol-Version is {named!r}. Supported: {', '.join(_VERSIONS)}."
    data = {"supported": _VERSIONS, "requested": named}
    error = {"code": UNSUPPORTED_VERSION, "message": message, "data": data}
    # The ID comes from the client and may contain lone surrogates, so escape them.
    return HttpAnswer(400, json.dumps({**document, "error": error}).encode(), {"content-type": JSON})


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
