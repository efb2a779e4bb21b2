"""Lets the server ask a client questions during the client's call.

Session IDs contain the client's capabilities. If a stream is already open, the response is sent in this stream.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from mcp_server.conversation import Conversation, Questions, elicitation_of, session_id
from mcp_server.http.messages import EVENT_STREAM, HttpAnswer, HttpRequest
from mcp_server.protocol.names import HANDSHAKE_VERSIONS, VERSION_HEADER
from mcp_server.visit import Requester, Way

SESSION: Final = "mcp-session-id"


def conversation_of(
    request: HttpRequest, requester: Requester, questions: Questions, sharing: Mapping[str, str]
) -> Conversation | None:
    """A conversation for questions to the user during this call. None if the client or the host does not support it."""
    if request.stream is None:
        return None
    elicitation = elicitation_of(request.headers.get(SESSION, ""))
    if elicitation is None or requester.way is Way.REST:
        return None
    if not (_takes_events(request) and questions.has_room):
        return None
    return Conversation(elicitation, request.stream, sharing, questions, requester.caller)


def _takes_events(request: HttpRequest) -> bool:
    is_handshake = request.headers.get(VERSION_HEADER) in HANDSHAKE_VERSIONS
    return is_handshake and EVENT_STREAM in request.headers.get("accept", "")


def with_session(request: HttpRequest, answer: HttpAnswer) -> HttpAnswer:
    """Add a session ID to the response to `initialize`, if the client can be asked during calls."""
    if request.stream is None or answer.status != 200 or b'"initialize"' not in request.body:
        return answer
    message = _document(request.body)
    params = message.get("params")
    if message.get("method") != "initialize" or not isinstance(params, dict):
        return answer
    session = session_id(params.get("capabilities"))
    return replace(answer, headers={**answer.headers, SESSION: session}) if session else answer


def as_end_of_stream(request: HttpRequest, answer: HttpAnswer) -> HttpAnswer:
    """If the stream of this request is already open, convert the response to the last event of the stream.

    The status code of the response is lost.
    """
    if request.stream is None or not request.stream.is_open or _is_events(answer):
        return answer
    document = _document(answer.body)
    # Add the ID of the request, because a request may be rejected before its ID is read.
    document["id"] = _document(request.body).get("id")
    body = f"event: message\ndata: {json.dumps(document)}\n\n"
    return HttpAnswer(200, body.encode(), {"content-type": EVENT_STREAM})


def _is_events(answer: HttpAnswer) -> bool:
    return answer.headers.get("content-type", "").startswith(EVENT_STREAM)


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
