"""The results of requests, independent of the SDK.

Content blocks are JSON objects, exactly as they are sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mcp_server.protocol.json_text import to_json

if TYPE_CHECKING:
    from identity.denial import Denial

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CallEnding:
    """How a call ended, for code that must choose an HTTP status or send a challenge."""

    # The type of the exception that ended the call, if any.
    failure: type[BaseException] | None = None
    # The reason why a service behind a tool rejected the caller.
    denial: Denial | None = None


WELL: Final = CallEnding()


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a tool call."""

    content: Sequence[Json] = ()
    # The structured content, as a document or as JSON text. The text is parsed only if necessary.
    structured: Any = None
    is_error: bool = False
    meta: Json | None = None
    ending: CallEnding = field(default=WELL, compare=False)
    # Whether another server produced the content. Content from another server may have forms that this server itself
    # never produces.
    is_foreign: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> CallResult:
        """Parse a result."""
        return cls(
            list(document.get("content", ())),
            document.get("structuredContent"),
            is_error=bool(document.get("isError")),
            meta=document.get("_meta"),
        )

    @property
    def texts(self) -> list[str]:
        return [block["text"] for block in self.content if block["type"] == "text"]

    @property
    def structured_content(self) -> Any:
        return self.structured.document if isinstance(self.structured, JsonText) else self.structured

    @property
    def document(self) -> Json:
        """The result as a JSON document."""
        structured = {} if self.structured is None else {"structuredContent": self.structured_content}
        return {"content": list(self.content), **structured, **self.marks}

    @property
    def marks(self) -> Json:
        """The members of the document except the content and the structured content."""
        meta = {} if self.meta is None else {"_meta": self.meta}
        return {"isError": self.is_error, **meta}


@dataclass(frozen=True, slots=True)
class InputRequired:
    """Questions to the client. The client answers the questions by repeating the request with the answers and the
    `state`.
    """

    # Maps the names of questions to questions. Each question is a request: `elicitation/create`,
    # `sampling/createMessage` or `roots/list`.
    requests: Mapping[str, Json]
    state: str | None = None

    @property
    def document(self) -> Json:
        state = {} if self.state is None else {"requestState": self.state}
        return {"resultType": "input_required", "inputRequests": dict(self.requests), **state}


class JsonText(str):  # noqa: SLOT000 - `document` needs a `__dict__`
    """A document as JSON text.

    This class also stores the document, so that a response with both forms needs to serialize the document only once.
    """

    @classmethod
    def of(cls, document: Any) -> JsonText:
        """Serialize a document.

        Raises:
            ValueError: A part of the document cannot be represented in JSON.
        """
        words = cls(to_json(document, inf_nan_mode="null").decode())
        words.document = document
        return words

    @cached_property
    def document(self) -> Any:
        """The parsed document."""
        return json.loads(self)


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def image(data: str, mime_type: str) -> Json:
    """A content block with an image. `data` is in base64."""
    return {"type": "image", "data": data, "mimeType": mime_type}


def form(message: str, schema: Json) -> Json:
    """A question for which the client shows a form."""
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def address(message: str, url: str) -> Json:
    """A question that the user answers at a URL, which the client opens."""
    return {"method": "elicitation/create", "params": {"mode": "url", "message": message, "url": url}}
