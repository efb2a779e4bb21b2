"""A resource: a typed function that returns what is at an address."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mcp.server.mcpserver.resources as sdk_resources
import mcp_types


@dataclass(frozen=True, eq=False)
class Resource:
    """A resource at one address, or, where the address has variables, a template of many."""

    function: Callable[..., Any]
    uri: str
    name: str
    mime_type: str
    ttl_ms: int

    @property
    def is_template(self) -> bool:
        return "{" in self.uri

    @cached_property
    def sdk(self) -> sdk_resources.ResourceTemplate:
        return sdk_resources.ResourceTemplate.from_function(
            self.function,
            uri_template=self.uri,
            name=self.name,
            description=inspect.getdoc(self.function),
            mime_type=self.mime_type,
        )

    @cached_property
    def published(self) -> mcp_types.Resource:
        return mcp_types.Resource(
            uri=self.uri, name=self.name, description=self.sdk.description, mime_type=self.mime_type
        )

    @cached_property
    def published_template(self) -> mcp_types.ResourceTemplate:
        return mcp_types.ResourceTemplate(
            uri_template=self.uri, name=self.name, description=self.sdk.description, mime_type=self.mime_type
        )
