"""What comes of a request, in the words of the protocol and free of its library.

Content is in the form in which it is sent: a JSON document for each block.
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
    """How a call ended, for whoever has to say it otherwise than in words: by a status of HTTP, or a challenge."""

    # What kind of failure ended it, if one did.
    failure: type[BaseException] | None = None
    # Why a service behind a tool turned the caller away.
    denial: Denial | None = None


WELL: Final = CallEnding()


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a call of a tool gives."""

    content: Sequence[Json] = ()
    # A document, or the JSON of one, which is read only if somebody needs it.
    structured: Any = None
    is_error: bool = False
    meta: Json | None = None
    ending: CallEnding = field(default=WELL, compare=False)
    # Whether another server made the content, which may hold what this one never makes.
    is_foreign: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> CallResult:
        """The result that a document tells."""
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
        """The result as it is sent."""
        structured = {} if self.structured is None else {"structuredContent": self.structured_content}
        return {"content": list(self.content), **structured, **self.marks}

    @property
    def marks(self) -> Json:
        """What is sent beside the content."""
        meta = {} if self.meta is None else {"_meta": self.meta}
        return {"isError": self.is_error, **meta}


@dataclass(frozen=True, slots=True)
class InputRequired:
    """What the client is asked before there is a result; it repeats the request with the answers, and the state."""

    # By name, each as the request that it is: `elicitation/create`, `sampling/createMessage` or `roots/list`.
    requests: Mapping[str, Json]
    state: str | None = None

    @property
    def document(self) -> Json:
        state = {} if self.state is None else {"requestState": self.state}
        return {"resultType": "input_required", "inputRequests": dict(self.requests), **state}


class JsonText(str):  # noqa: SLOT000 - a text has no room for slots
    """A document as JSON. A response that contains both writes the document by its text."""

    @classmethod
    def of(cls, document: Any) -> JsonText:
        """Raises:
        ValueError: There is something in it that JSON cannot say.
        """
        words = cls(to_json(document, inf_nan_mode="null").decode())
        words.document = document
        return words

    @cached_property
    def document(self) -> Any:
        """What the JSON says, for callers that need more than the text."""
        return json.loads(self)


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def image(data: str, mime_type: str) -> Json:
    """`data` is base64."""
    return {"type": "image", "data": data, "mimeType": mime_type}


def form(message: str, schema: Json) -> Json:
    """The request that has a client show a form."""
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def address(message: str, url: str) -> Json:
    """The request that has a client open an address."""
    return {"method": "elicitation/create", "params": {"mode": "url", "message": message, "url": url}}
