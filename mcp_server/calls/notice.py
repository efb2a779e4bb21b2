"""Adds the operator's notice to all answers from tools, resources and prompts.

The notice comes first, except in errors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from mcp_server.protocol.json_text import to_json
from mcp_server.protocol.results import CallResult, Json, JsonText, text

# The name of the field that contains the notice.
FIELD: Final = "notice"
# Content types that stay valid if a sentence is inserted before the content.
_PROSE: Final = frozenset({None, "text/plain", "text/markdown"})


@dataclass(frozen=True, slots=True)
class Notice:
    """The operator's notice.

    The notice is part of the content of every answer, so that it is not lost when an answer is processed.
    """

    words: str

    def before_result(self, result: CallResult) -> CallResult:
        structured = result.structured_content
        if not isinstance(structured, Mapping):
            return replace(result, content=self._beside(result))
        noticed = self._first_in(structured)
        content = _replaced(result.content, structured, noticed) or self._beside(result)
        return replace(result, content=content, structured=noticed)

    def before_contents(self, contents: Sequence[Json]) -> list[Json]:
        """Put the notice before the contents of a resource."""
        return [self._before_part(part) for part in contents]

    def before_messages(self, messages: Sequence[Json]) -> list[Json]:
        """Put the notice before the messages of a prompt."""
        return [{"role": "user", "content": text(self.words)}, *messages]

    def _beside(self, result: CallResult) -> list[Json]:
        """Put the notice before the content or, in errors, after the content, because some clients show only the first
        content block of an error.
        """
        notice = text(self.words)
        return [*result.content, notice] if result.is_error else [notice, *result.content]

    def _first_in(self, document: Mapping[str, Any]) -> Json:
        """Add the notice as the first field.

        If the document already contains a notice, put the new notice before it.
        """
        known = document.get(FIELD)
        rest = {name: value for name, value in document.items() if name != FIELD}
        return {FIELD: f"{self.words} {known}" if known else self.words, **rest}

    def _before_part(self, part: Json) -> Json:
        meta = part.get("_meta")
        if meta and "etag" in meta:
            # Leave the content unchanged, because the caller may write it back. Put the notice into the metadata.
            return {**part, "_meta": {FIELD: self.words, **meta}}
        if "text" not in part:
            return part
        if (document := _document(part["text"])) is not None:
            return {**part, "text": _json(self._first_in(document))}
        return {**part, "text": f"{self.words}\n\n{part['text']}"} if part.get("mimeType") in _PROSE else part


def _replaced(content: Sequence[Json], before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Json] | None:
    """Replace the text content if it is the JSON of the structured content. Otherwise, return None."""
    if len(content) != 1 or content[0].get("text") != _json(before):
        return None
    return [{**content[0], "text": JsonText.of(after)}]


def _document(said: str) -> dict[str, Any] | None:
    try:
        document = json.loads(said)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _json(document: Mapping[str, Any]) -> str:
    return to_json(document, inf_nan_mode="null").decode()
