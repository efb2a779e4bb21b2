"""What the SDK says of requests that it cannot read, in words that tell what was wrong, and what is valid."""

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

# Those of Streamable HTTP: the one before it knew no header of this name.
_VERSIONS: Final = [version for version in KNOWN_VERSIONS if version >= DEFAULT_VERSION]
_ECHOED: Final = 60
_LONGEST_MISTAKE: Final = 2_000
_UNKNOWN_METHOD: Final = f'"code":{METHOD_NOT_FOUND}'.encode()


def in_our_words(request: HttpRequest, answer: HttpAnswer) -> HttpAnswer:
    """The SDK's answer, unless there is more to say of a mistake that it found."""
    if answer.status == 406:
        return _wrong_header(request, 406, "accept", "name application/json, and best text/event-stream, too")
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
        # In the handshake versions, it answers a bad envelope with what pydantic says, the values included.
        return protocol_error(400, INVALID_REQUEST, "The body is not one JSON-RPC request or notification.")
    return None


def _unknown_method(answer: HttpAnswer) -> HttpAnswer:
    """The SDK repeats the method, however long it is."""
    document = _document(answer.body)
    error = {"code": METHOD_NOT_FOUND, "message": "Method not found"}
    headers = {"content-type": JSON}
    return HttpAnswer(answer.status, json.dumps({**document, "error": error}).encode(), headers)


def _wrong_header(request: HttpRequest, status: int, name: str, valid: str) -> HttpAnswer:
    value = request.headers.get(name)
    found = "is missing" if value is None else f"is {value[:_ECHOED]!r}"
    return protocol_error(status, INVALID_REQUEST, f"The header {name.title()} {found}, and must {valid}.")


def _unknown_version(version: str, answer: HttpAnswer) -> HttpAnswer | None:
    """An envelope of the current form cannot be expected from whoever names a version that does not exist."""
    document = _document(answer.body)
    error = document.get("error")
    if not isinstance(error, dict) or error.get("code") != INVALID_PARAMS:
        return None
    named = version[:_ECHOED]
    error = {
        "code": UNSUPPORTED_VERSION,
        "message": f"The header MCP-Protocol-Version is {named!r}. Versions served are {', '.join(_VERSIONS)}.",
        "data": {"supported": _VERSIONS, "requested": named},
    }
    # The id is the client's, and may hold what UTF-8 cannot: escapes can.
    return HttpAnswer(400, json.dumps({**document, "error": error}).encode(), {"content-type": JSON})


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
