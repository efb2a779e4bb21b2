"""Prompts and resources that another server has: listed, read and got under the name of their toolset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Protocol

from identity.caller import Caller
from mcp_server.declarations.tool import Tool
from mcp_server.protocol.results import Json

Kind = Literal["resources", "resourceTemplates", "prompts"]
# No scheme of ours begins with it.
_SCHEME: Final = "x-"


class RemoteContent(Protocol):
    """What another server has beside tools. Asking for one is a call, with its limits, its time and its record."""

    @property
    def reading(self) -> Tool:
        """Takes the `uri` of a resource, by which the other server knows it; tells the `contents`."""

    @property
    def getting(self) -> Tool:
        """Takes the `name` of a prompt, by which the other server knows it, and `arguments`; tells the `messages`."""

    @property
    def completing(self) -> Tool:
        """Takes the `ref` and `argument` of what is to be completed; tells the `values`."""

    async def listed(self, kind: Kind, caller: Caller) -> Sequence[Json]:
        """What is there, under its names here. A server that is away has nothing, so that the others are listed."""


def address_of(toolset: str, uri: str) -> str:
    """The address under which a resource of another server is had here."""
    return f"{_SCHEME}{toolset}:{uri}"


def name_of(toolset: str, prompt: str) -> str:
    """The name under which a prompt of another server is had here. No name of a toolset has a line in it."""
    return f"{toolset}_{prompt}"


def address_in(uri: str) -> tuple[str, str]:
    """Of which toolset an address is, and what it is there; nothing, if it is of none."""
    scheme, _, theirs = uri.partition(":")
    return (scheme[len(_SCHEME) :].lower(), theirs) if scheme.lower().startswith(_SCHEME) else ("", "")


def name_in(prompt: str) -> tuple[str, str]:
    """Of which toolset a prompt of this name is, and what it is called there."""
    toolset, _, theirs = prompt.partition("_")
    return toolset, theirs
