"""Offers the toolsets of extensions alongside the toolsets of this server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from extensions.extension import Extension
from extensions.pins import Said
from extensions.remote_content import OfExtension
from extensions.tools import proxied
from extensions.upstream.question import Json, ServerRequest
from identity.caller import Caller
from mcp_server.declarations.names import folded
from mcp_server.declarations.toolset import Part, Toolset
from refusal import Refusal

# A function that replaces the toolsets of extensions. The function also gets the reasons why other toolsets are not
# available yet.
Replace = Callable[[Sequence[Toolset], Mapping[str, str]], None]
Ask = Callable[[Extension, str, ServerRequest, Caller], Awaitable[Json]]
# An extension and its approved tools.
Offer = tuple[Extension, tuple[Said, ...]]


class Offering:
    """Builds the toolsets of extensions, and rebuilds them when an extension or its tools change."""

    def __init__(self, replace: Replace, ask: Ask) -> None:
        self._replace = replace
        self._ask = ask
        self._offered: tuple[Mapping[str, Offer], Mapping[str, str]] | None = None

    def offer(self, offers: Mapping[str, Offer], awaited: Mapping[str, str]) -> Mapping[str, str]:
        """Replace the offered toolsets with these toolsets. Omit conflicting toolsets, and return the reasons."""
        # The comparison includes the extensions themselves, so that a reconfigured extension gets a new toolset.
        if (offers, awaited) == self._offered:
            return {}
        self._offered = (offers, awaited)
        toolsets = [self._toolset(extension, let_in) for extension, let_in in offers.values()]
        try:
            self._replace(toolsets, awaited)
        except Refusal:
            return self._offer_fitting(toolsets, awaited)
        return {}

    def _offer_fitting(self, toolsets: Sequence[Toolset], awaited: Mapping[str, str]) -> Mapping[str, str]:
        kept: list[Toolset] = []
        left_out: dict[str, str] = {}
        for toolset in toolsets:
            try:
                self._replace([*kept, toolset], awaited)
            except Refusal as refusal:
                left_out[toolset.name] = str(refusal)
            else:
                kept.append(toolset)
        self._replace(kept, awaited)
        return left_out

    def _toolset(self, extension: Extension, let_in: Sequence[Mapping[str, Any]]) -> Toolset:
        entry = extension.entry

        async def ask(tool: str, question: ServerRequest, caller: Caller) -> Json:
            return await self._ask(extension, tool, question, caller)

        tools = [tool for said in let_in if (tool := proxied(entry, said, ask))]
        # If the names of several tools could be mistaken for each other, only the first of these tools is kept.
        once = {folded(tool.name): tool for tool in reversed(tools)}
        kept = [tool for tool in tools if once[folded(tool.name)] is tool]
        remote_content = OfExtension(extension) if entry.offers else None
        own = Part(tools=[*kept], owner=entry.name)
        return Toolset(entry.name, entry.description, remote_content=remote_content, own=own)
