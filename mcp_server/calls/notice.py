"""A sentence of the operator in every answer of tools, resources and prompts: first, or after an error."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import mcp_types
from mcp.server import ServerRequestContext
from pydantic import BaseModel
from pydantic_core import to_json

from tasks.task import Task

# The field in which answers say what a model has to know before it reads on.
FIELD: Final = "notice"
# What a sentence can stand above without breaking it.
_PROSE: Final = frozenset({None, "text/plain", "text/markdown"})

Params = TypeVar("Params")
Answer = TypeVar("Answer", bound=BaseModel | Task)
Handler = Callable[[ServerRequestContext[Any, Any], Params], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Notice:
    """Goes around all that answers, so that nothing that is done with an answer takes it away."""

    text: str

    def around(self, handler: Handler[Params, Answer]) -> Handler[Params, Answer]:
        if not self.text:
            return handler

        async def handle(ctx: ServerRequestContext[Any, Any], params: Params) -> Answer:
            return self.before(await handler(ctx, params))

        return handle

    def before(self, answer: Answer) -> Answer:
        update: dict[str, Any] = {}
        if isinstance(answer, Task):
            # What comes of it is an answer.
            return answer
        match answer:
            case mcp_types.CallToolResult():
                update = self._before_a_result(answer)
            case mcp_types.ReadResourceResult():
                update = {"contents": [self._before_contents(one) for one in answer.contents]}
            case mcp_types.GetPromptResult():
                said = mcp_types.PromptMessage(role="user", content=self._told)
                update = {"messages": [said, *answer.messages]}
        return answer.model_copy(update=update)

    @property
    def _told(self) -> mcp_types.TextContent:
        return mcp_types.TextContent(type="text", text=self.text)

    def _before_a_result(self, answer: mcp_types.CallToolResult) -> dict[str, Any]:
        structured = answer.structured_content
        if not isinstance(structured, Mapping):
            return {"content": self._beside(answer)}
        noticed = self._first_in(structured)
        content = _replaced(answer.content, structured, noticed) or self._beside(answer)
        return {"structured_content": noticed, "content": content}

    def _beside(self, answer: mcp_types.CallToolResult) -> list[mcp_types.ContentBlock]:
        """An error comes first: some clients raise its first block and drop the others."""
        return [*answer.content, self._told] if answer.is_error else [self._told, *answer.content]

    def _first_in(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Together with the notice that the answer has already."""
        known = document.get(FIELD)
        rest = {name: value for name, value in document.items() if name != FIELD}
        return {FIELD: f"{self.text} {known}" if known else self.text, **rest}

    def _before_contents(
        self, contents: mcp_types.TextResourceContents | mcp_types.BlobResourceContents
    ) -> mcp_types.TextResourceContents | mcp_types.BlobResourceContents:
        if contents.meta and "etag" in contents.meta:
            # What is read here is written back, so it stays as it is.
            return contents.model_copy(update={"meta": {FIELD: self.text, **contents.meta}})
        if not isinstance(contents, mcp_types.TextResourceContents):
            return contents
        if (document := _document(contents.text)) is not None:
            return contents.model_copy(update={"text": _json(self._first_in(document))})
        if contents.mime_type in _PROSE:
            return contents.model_copy(update={"text": f"{self.text}\n\n{contents.text}"})
        return contents


def _replaced(
    content: Sequence[mcp_types.ContentBlock], before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[mcp_types.ContentBlock] | None:
    """The content, where all of it is the structured one as text."""
    if len(content) != 1 or not isinstance(content[0], mcp_types.TextContent) or content[0].text != _json(before):
        return None
    return [content[0].model_copy(update={"text": _json(after)})]


def _document(text: str) -> dict[str, Any] | None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _json(document: Mapping[str, Any]) -> str:
    return to_json(document, inf_nan_mode="null").decode()
