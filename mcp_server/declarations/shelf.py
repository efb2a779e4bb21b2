"""A shelf: resources that come and go, which tools of its toolset list, read, write and delete.

Whatever asks for one of its resources, over MCP or plain HTTP, becomes a call of such a tool. So who may do it, who has
to agree and what is recorded is never decided anew.
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
# What a reader of one piece says beside the address.
PIECE: Final = "azure-team-mcp/piece"


@dataclass(frozen=True, slots=True)
class Template:
    """The addresses of one kind of resources.

    `needs` is the provider that has to be configured for them; `opened_by` the toolset, if there is one, that has to be
    open to the caller beside that of the shelf.
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
        """The shelf with the kinds that are open to whom these toolsets are."""
        return Shelf([one for one in self.templates if not one.opened_by or one.opened_by in toolsets])

    def holds(self, uri: str) -> bool:
        """Whether an address is one of its kinds."""
        return uri.partition(":")[0].lower() in {template.scheme for template in self.templates}


class MissingError(Refusal):
    """There is no such resource."""

    http_status = 404


class OutdatedError(Refusal):
    """The resource is not what whoever writes it has seen."""

    http_status = 412


class BeyondError(Refusal):
    """The piece begins after the end of the resource."""

    http_status = 416


class AddressError(Refusal):
    """The address is none of a resource, or what is to be written there cannot be."""

    http_status = 400
