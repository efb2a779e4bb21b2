"""A shelf: resources that come and go, with tools in its toolset to list, read, write and delete them.

Every request for one of its resources, over MCP or plain HTTP, becomes a call of such a tool. So permissions, approvals
and records work as for any call.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mcp_server.protocol.results import Json
from refusal import Refusal

LIST: Final = "list_shelf"
READ: Final = "read_resource"
WRITE: Final = "write_resource"
DELETE: Final = "delete_resource"
# The `_meta` key for reading only a part of a resource.
PIECE: Final = "azure-team-mcp/piece"


@dataclass(frozen=True, slots=True)
class Template:
    """The addresses of one kind of resource.

    `needs` is the provider that must be configured for them. `opened_by` is a toolset that the caller needs access to,
    in addition to that of the shelf.
    """

    uri: str
    name: str
    description: str
    needs: Any = None
    opened_by: str = ""

    @property
    def scheme(self) -> str:
        return self.uri.partition(":")[0]

    @property
    def published(self) -> Json:
        return {"name": self.name, "uriTemplate": self.uri, "description": self.description}


@dataclass(frozen=True, slots=True)
class Shelf:
    templates: Sequence[Template]

    def opened(self, toolsets: Collection[str]) -> Shelf:
        """The shelf with the kinds that are available to callers with access to these toolsets."""
        return Shelf([one for one in self.templates if not one.opened_by or one.opened_by in toolsets])

    def holds(self, uri: str) -> bool:
        """Whether an address belongs to this shelf."""
        return uri.partition(":")[0].lower() in {template.scheme for template in self.templates}


class MissingError(Refusal):
    """Resource not found."""

    http_status = 404


class OutdatedError(Refusal):
    """The resource has changed since the caller last read it."""

    http_status = 412


class BeyondError(Refusal):
    """The range starts after the end of the resource."""

    http_status = 416


class AddressError(Refusal):
    """The address is invalid, or the content cannot be written there."""

    http_status = 400
