"""A resource: a typed function that returns the content for a URI."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from mcp_server.context import AnyContext
from mcp_server.declarations.invocation import invoked
from mcp_server.declarations.signature import Signature
from mcp_server.declarations.uri_template import UriTemplate
from mcp_server.protocol.json_text import to_json
from mcp_server.protocol.results import InputRequired, Json

# The media type of an app: a page that clients show next to a tool's answer.
APP_TYPE: Final = "text/html;profile=mcp-app"


@dataclass(frozen=True, eq=False)
class Resource:
    """A resource with a fixed URI, or with a URI template that contains variables.

    `declared` returns the function of the resource, and may import this function first.
    """

    declared: Callable[[], Callable[..., Any]]
    uri: str
    name: str
    mime_type: str
    ttl_ms: int

    @cached_property
    def function(self) -> Callable[..., Any]:
        return self.declared()

    @property
    def is_template(self) -> bool:
        return "{" in self.uri

    @property
    def description(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def meta(self) -> Json:
        """The metadata that clients need to show an app. Without `csp`, the page cannot load or connect to anything."""
        return {"_meta": {"ui": {"prefersBorder": True}}} if self.mime_type == APP_TYPE else {}

    @cached_property
    def signature(self) -> Signature:
        return Signature(self.function)

    @cached_property
    def addresses(self) -> UriTemplate:
        return UriTemplate(self.uri)

    @cached_property
    def published(self) -> Json:
        """The entry that represents this resource in the list of resources or in the list of resource templates."""
        address = {"uriTemplate" if self.is_template else "uri": self.uri}
        return {"name": self.name, **address, "description": self.description, "mimeType": self.mime_type}

    async def content(self, variables: Mapping[str, Any], context: AnyContext) -> str | bytes | InputRequired:
        """Convert the variables of the URI to their types, and return the content of the resource."""
        given = await invoked(self.function, variables, context)
        if isinstance(given, str | bytes | InputRequired):
            return given
        return to_json(given, indent=2).decode()
