"""A sentence of the operator in every answer of tools, resources and prompts: first, or after an error."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from mcp_server.protocol.json_text import to_json
from mcp_server.protocol.results import CallResult, Json, JsonText, text

# The field in which answers say what a model has to know before it reads on.
FIELD: Final = "notice"
# What a sentence can stand above without breaking it.
_PROSE: Final = frozenset({None, "text/plain", "text/markdown"})


@dataclass(frozen=True, slots=True)
class Notice:
    """Goes before all that answers, so that nothing that is done with an answer takes it away."""

    words: str

    def before_result(self, result: CallResult) -> CallResult:
        structured = result.structured_content
        if not isinstance(structured, Mapping):
            return replace(result, content=self._beside(result))
        noticed = self._first_in(structured)
        content = _replaced(result.content, structured, noticed) or self._beside(result)
        return replace(result, content=content, structured=noticed)

    def before_contents(self, contents: Sequence[Json]) -> list[Json]:
        """Before what was read of a resource."""
        return [self._before_part(part) for part in contents]

    def before_messages(self, messages: Sequence[Json]) -> list[Json]:
        """Before what a prompt says."""
        return [{"role": "user", "content": text(self.words)}, *messages]

    def _beside(self, result: CallResult) -> list[Json]:
        """An error comes first: some clients raise its first block and drop the others."""
        notice = text(self.words)
        return [*result.content, notice] if result.is_error else [notice, *result.content]

    def _first_in(self, document: Mapping[str, Any]) -> Json:
        """Together with the notice that the answer has already."""
        known = document.get(FIELD)
        rest = {name: value for name, value in document.items() if name != FIELD}
        return {FIELD: f"{self.words} {known}" if known else self.words, **rest}

    def _before_part(self, part: Json) -> Json:
        meta = part.get("_meta")
        if meta and "etag" in meta:
            # What is read here is written back, so it stays as it is.
            return {**part, "_meta": {FIELD: self.words, **meta}}
        if "text" not in part:
            return part
        if (document := _document(part["text"])) is not None:
            return {**part, "text": _json(self._first_in(document))}
        return {**part, "text": f"{self.words}\n\n{part['text']}"} if part.get("mimeType") in _PROSE else part


def _replaced(content: Sequence[Json], before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Json] | None:
    """The content, where all of it is the structured one as text."""
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
