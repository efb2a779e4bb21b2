"""Reports errors as problem details (RFC 9457), which any HTTP client can parse."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from mcp_server.http.messages import HttpAnswer
from mcp_server.protocol.json_text import to_json

PROBLEM: Final = "application/problem+json"


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None, more: Mapping[str, Any] | None = None
) -> HttpAnswer:
    """The response to a failed request. `more` contains additional members for the document."""
    title = HTTPStatus(status).phrase
    document = {"type": "about:blank", "title": title, "status": status, "detail": detail, **(more or {})}
    return HttpAnswer(status, to_json(document), {**(headers or {}), "content-type": PROBLEM})
