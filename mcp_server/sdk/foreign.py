"""Validates that content from other MCP servers conforms to the protocol."""

from __future__ import annotations

from functools import cache
from typing import Any

from mcp_types import ContentBlock, InputRequiredResult, ReadResourceResult
from pydantic import BaseModel, TypeAdapter, ValidationError

from mcp_server.protocol.results import InputRequired, Json


def block_of(block: Any) -> Json | None:
    """A copy of the content block that contains only the members that the protocol defines.

    None if the type of the block is unknown.
    """
    try:
        known = _blocks().validate_python(block, by_name=False)
    except ValidationError:
        return None
    told: Json = known.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return told


def question_of(document: Json) -> InputRequired | None:
    """Parse a question from another server. None if the question is invalid."""
    try:
        known = InputRequiredResult.model_validate(document)
    except ValidationError:
        return None
    requests = {name: _dumped(request) for name, request in (known.input_requests or {}).items()}
    return InputRequired(requests, known.request_state)


def is_resource(document: Json) -> bool:
    """Whether the document is a valid result of the method `resources/read`."""
    try:
        ReadResourceResult.model_validate(document)
    except ValidationError:
        return False
    return True


def _dumped(known: BaseModel) -> Json:
    return known.model_dump(mode="json", by_alias=True, exclude_none=True)


@cache
def _blocks() -> TypeAdapter[ContentBlock]:
    return TypeAdapter(ContentBlock)
