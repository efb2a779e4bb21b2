"""A shelf is a set of resources that can change.

The toolset of a shelf has tools to list, read, write and delete these resources.

Each request for a resource on a shelf, over MCP or HTTP, becomes a call to one of these tools. Permissions, approvals
and audit records therefore work as for any call.
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
# The key in `_meta` with which clients request only a part of a resource.
PIECE: Final = "azure-team-mcp/piece"


@dataclass(frozen=True, slots=True)
class Template:
    """A kind of resource on a shelf, with the template of its URIs.

    - `needs` is the provider that must be configured, if any.
    - `opened_by` names a toolset that the caller must have access to, in addition to the toolset of the shelf.
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
        """A copy of the shelf with only the kinds of resources that callers with access to these toolsets can see."""
        return Shelf([one for one in self.templates if not one.opened_by or one.opened_by in toolsets])

    def holds(self, uri: str) -> bool:
        """Whether a URI belongs to this shelf."""
        return uri.partition(":")[0].lower() in {template.scheme for template in self.templates}


class MissingError(Refusal):
    """The resource was not found."""

    http_status = 404


class OutdatedError(Refusal):
    """The resource has changed since the caller read it."""

    http_status = 412


class BeyondError(Refusal):
    """The requested range starts after the end of the resource."""

    http_status = 416


class AddressError(Refusal):
    """The URI is invalid, or is not the URI of a resource that can be written."""

    http_status = 400
