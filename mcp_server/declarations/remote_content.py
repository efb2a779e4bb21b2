"""Prompts and resources of another MCP server, listed and read with the name of their toolset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Protocol

from identity.caller import Caller
from mcp_server.declarations.tool import Tool
from mcp_server.protocol.results import Json

Kind = Literal["resources", "resourceTemplates", "prompts"]
# The start of URIs for resources of other servers. No other URI of this server starts with this text.
_SCHEME: Final = "x-"


class RemoteContent(Protocol):
    """The prompts and resources of another server.

    Each request for a prompt or resource is a tool call, with limits and an audit record.
    """

    @property
    def reading(self) -> Tool:
        """The tool that reads a resource: it takes a `uri` of the other server, and returns the `contents`."""

    @property
    def getting(self) -> Tool:
        """The tool that gets a prompt of the other server.

        This tool takes the `name` on the other server and `arguments`, and returns the `messages`.
        """

    @property
    def completing(self) -> Tool:
        """The tool that completes an argument: it takes a `ref` and an `argument`, and returns the `values`."""

    async def listed(self, kind: Kind, caller: Caller) -> Sequence[Json]:
        """The entries of this kind with their names on this server. Empty if the other server is unavailable."""


def address_of(toolset: str, uri: str) -> str:
    """The URI on this server of a resource of another server."""
    return f"{_SCHEME}{toolset}:{uri}"


def name_of(toolset: str, prompt: str) -> str:
    """The name on this server of a prompt of another server. The names of toolsets contain no underscore."""
    return f"{toolset}_{prompt}"


def address_in(uri: str) -> tuple[str, str]:
    """The toolset and the original URI of a resource.

    Both texts are empty if the resource does not belong to another server.
    """
    scheme, _, theirs = uri.partition(":")
    return (scheme[len(_SCHEME) :].lower(), theirs) if scheme.lower().startswith(_SCHEME) else ("", "")


def name_in(prompt: str) -> tuple[str, str]:
    """The toolset and the original name of a prompt.

    Both texts are empty if the resource does not belong to another server.
    """
    toolset, _, theirs = prompt.partition("_")
    return toolset, theirs
