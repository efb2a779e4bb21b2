"""Writes responses as bytes, in the form of the request's protocol version."""

from __future__ import annotations

import json
from typing import Any, Final

from mcp_server.http.messages import JSON, HttpAnswer
from mcp_server.http.wire.plain_request import PlainRequest
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.json_text import to_json
from mcp_server.protocol.names import SERVER_INFO_KEY, STATUSES
from mcp_server.protocol.results import CallResult, Json, JsonText

_HEADERS: Final = {"content-type": JSON}
# Shared by all responses, because `json.dumps` would create an encoder for each response.
_encoded: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
# Fields that do not exist in protocol versions with a handshake.
_MODERN_ONLY: Final = ("resultType", "ttlMs", "cacheScope")


def opening(request: PlainRequest) -> bytes:
    """The beginning of the response, which contains the ID and ends before the result."""
    return b'{"jsonrpc":"2.0","id":%b,"result":' % _json(request.id)


def result_answer(request: PlainRequest, answer: CallResult | Json, server: Json) -> HttpAnswer:
    shared, document = _parts(answer) if isinstance(answer, CallResult) else (None, answer)
    form = _modern(document, server) if request.client.is_modern else _of_handshake(document)
    written = _json(form) if shared is None else _with_shared(form, shared)
    return HttpAnswer(200, b"%b%b}" % (opening(request), written), _HEADERS)


def error_answer(request: PlainRequest, error: ProtocolError) -> HttpAnswer:
    data = {} if error.data is None else {"data": error.data}
    told = {"code": error.code, "message": error.message, **data}
    status = STATUSES.get(error.code, 200) if request.client.is_modern else 200
    return HttpAnswer(status, _json({"jsonrpc": "2.0", "id": request.id, "error": told}), _HEADERS)


def accepted(request: PlainRequest) -> HttpAnswer:
    """The response to a notification."""
    return HttpAnswer(202, b"", {} if request.client.is_modern else _HEADERS)


def _modern(document: Json, server: Json) -> Json:
    meta = document.get("_meta") or {}
    return {"resultType": "complete", **document, "_meta": {**meta, SERVER_INFO_KEY: server}}


def _of_handshake(document: Json) -> Json:
    return {name: value for name, value in document.items() if name not in _MODERN_ONLY}


def _parts(result: CallResult) -> tuple[JsonText | None, Json]:
    """Split a result into the JSON text that can be written unchanged, if there is any, and the remaining members."""
    shared = _shared_text(result)
    return shared, result.document if shared is None else result.marks


def _shared_text(result: CallResult) -> JsonText | None:
    """Return the JSON text of the structured content if the text content is exactly this text.

    The response contains both kinds of content, so the server serializes the document once and writes its text twice.
    """
    if len(result.content) != 1:
        return None
    words = result.content[0].get("text")
    if not isinstance(words, JsonText):
        return None
    return words if words is result.structured or words.document is result.structured else None


def _with_shared(marks: Json, words: JsonText) -> bytes:
    content = b'{"content":[{"type":"text","text":%b}],"structuredContent":%b' % (_json(str(words)), words.encode())
    return b"%b,%b" % (content, _json(marks)[1:])


def _json(document: Any) -> bytes:
    """Serialize a document. Try the fast encoder first, because nearly all documents contain only JSON types."""
    try:
        return _encoded(document).encode()
    except (TypeError, ValueError):
        return _odd_json(document)


def _odd_json(document: Any) -> bytes:
    try:
        return to_json(document, inf_nan_mode="null")
    except ValueError:
        # A lone surrogate can be written only as an escape sequence.
        return json.dumps(document, separators=(",", ":")).encode()
