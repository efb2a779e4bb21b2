"""Prompts and resources of another server: listed, read and fetched under the name of their toolset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Protocol

from identity.caller import Caller
from mcp_server.declarations.tool import Tool
from mcp_server.protocol.results import Json

Kind = Literal["resources", "resourceTemplates", "prompts"]
# None of our own schemes starts with this.
_SCHEME: Final = "x-"


class RemoteContent(Protocol):
    """What another server has besides tools. Each request for it is a call, with limits, a timeout and a record."""

    @property
    def reading(self) -> Tool:
        """A tool that takes the `uri` of a resource on the other server and returns its `contents`."""

    @property
    def getting(self) -> Tool:
        """A tool that takes a prompt's `name` on the other server and `arguments`, and returns the `messages`."""

    @property
    def completing(self) -> Tool:
        """A tool that takes the `ref` and `argument` to complete, and returns the `values`."""

    async def listed(self, kind: Kind, caller: Caller) -> Sequence[Json]:
        """The entries of this kind, with their names here. An unavailable server returns none; others stay listed."""


def address_of(toolset: str, uri: str) -> str:
    """The address of another server's resource on this server."""
    return f"{_SCHEME}{toolset}:{uri}"


def name_of(toolset: str, prompt: str) -> str:
    """The name of another server's prompt on this server. Toolset names contain no underscore."""
    return f"{toolset}_{prompt}"


def address_in(uri: str) -> tuple[str, str]:
    """The toolset that an address belongs to, and the address on its server; empty strings if it belongs to none."""
    scheme, _, theirs = uri.partition(":")
    return (scheme[len(_SCHEME) :].lower(), theirs) if scheme.lower().startswith(_SCHEME) else ("", "")


def name_in(prompt: str) -> tuple[str, str]:
    """The toolset that a prompt belongs to, and its name on that server."""
    toolset, _, theirs = prompt.partition("_")
    return toolset, theirs
