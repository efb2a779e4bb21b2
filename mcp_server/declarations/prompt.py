"""A prompt: a typed function that returns text or messages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp_server.context import AnyContext
from mcp_server.declarations.invocation import invoked
from mcp_server.declarations.signature import Signature
from mcp_server.protocol.results import InputRequired, Json, text


@dataclass(frozen=True, eq=False)
class Prompt:
    """A prompt. `declared` returns the function that implements the prompt, and may have to import it first."""

    declared: Callable[[], Callable[..., Any]]
    name: str
    title: str

    @cached_property
    def function(self) -> Callable[..., Any]:
        return self.declared()

    @property
    def description(self) -> str:
        return inspect.getdoc(self.function) or ""

    @cached_property
    def signature(self) -> Signature:
        return Signature(self.function)

    @cached_property
    def arguments(self) -> list[Json]:
        schema = self.signature.schema
        required = schema.get("required", ())
        return [
            {"name": name, **_described(about), "required": name in required}
            for name, about in schema.get("properties", {}).items()
        ]

    @cached_property
    def published(self) -> Json:
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "arguments": self.arguments,
        }

    async def messages(self, arguments: Mapping[str, Any], context: AnyContext) -> list[Json] | InputRequired:
        """Convert the arguments to their types, and return the messages of the prompt."""
        given = await invoked(self.function, arguments, context)
        if isinstance(given, InputRequired):
            return given
        return [_message(one) for one in (given if isinstance(given, list | tuple) else [given])]


def _described(about: Mapping[str, Any]) -> Json:
    return {"description": about["description"]} if "description" in about else {}


def _message(said: str | Json) -> Json:
    """Convert text or a content block to a message from the user."""
    if isinstance(said, str):
        return {"role": "user", "content": text(said)}
    return said if "role" in said else {"role": "user", "content": said}
