"""Prompts and resources of other MCP servers.

On this server, the names and URIs of these prompts and resources contain the name of their toolset.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Protocol

from identity.caller import Caller
from mcp_server.declarations.tool import Tool
from mcp_server.protocol.results import Json

Kind = Literal["resources", "resourceTemplates", "prompts"]
# The prefix of URIs for resources of other servers. No other URI of this server starts with this prefix.
_SCHEME: Final = "x-"


class RemoteContent(Protocol):
    """The prompts and resources of another server.

    Each request for a prompt or resource becomes a tool call, with limits and an audit record.
    """

    @property
    def reading(self) -> Tool:
        """The tool that reads a resource. The tool takes a `uri` on the other server, and returns the `contents`."""

    @property
    def getting(self) -> Tool:
        """The tool that gets a prompt from the other server.

        The tool takes the prompt's `name` on the other server and the prompt's `arguments`, and returns the `messages`.
        """

    @property
    def completing(self) -> Tool:
        """The tool that completes an argument: it takes a `ref` and an `argument`, and returns the `values`."""

    async def listed(self, kind: Kind, caller: Caller) -> Sequence[Json]:
        """The other server's entries of this kind, with the names or URIs that they have on this server.

        Empty if the other server is unavailable.
        """


def address_of(toolset: str, uri: str) -> str:
    """The URI that a resource of another server has on this server."""
    return f"{_SCHEME}{toolset}:{uri}"


def name_of(toolset: str, prompt: str) -> str:
    """The name that a prompt of another server has on this server.

    Everything before the first underscore is the toolset, because names of toolsets contain no underscores.
    """
    return f"{toolset}_{prompt}"


def address_in(uri: str) -> tuple[str, str]:
    """The toolset of a resource, and the URI of the resource on the other server.

    Both are empty if the resource does not belong to another server.
    """
    scheme, _, theirs = uri.partition(":")
    return (scheme[len(_SCHEME) :].lower(), theirs) if scheme.lower().startswith(_SCHEME) else ("", "")


def name_in(prompt: str) -> tuple[str, str]:
    """The toolset of a prompt, and the name of the prompt on the other server.

    The name is empty if the prompt does not belong to another server.
    """
    toolset, _, theirs = prompt.partition("_")
    return toolset, theirs
