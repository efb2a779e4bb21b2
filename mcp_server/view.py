"""What one caller sees: the tools, prompts and resources that exist for them, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, Literal

import mcp_types

from mcp_server.declarations.prompt import Prompt
from mcp_server.declarations.resource import Resource
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Completer, Toolset

CacheScope = Literal["public", "private"]


# Of toolsets that a server could offer, or of groups of them, what they lack.
NOTHING_ABSENT: Final[Mapping[str, str]] = {}


def why_absent(name: str, absent: Mapping[str, str]) -> str:
    """What the toolset of this name lacks, if it is known to be absent."""
    return next((lacking for group, lacking in absent.items() if name == group or name.startswith(f"{group}-")), "")


class View:
    """A tool outside the view can be neither listed, learned nor called, because the view does not hold it.

    `tools` are the ones listed and called directly; `toolsets` hold all that can be reached, through `learn` too.
    """

    def __init__(
        self,
        toolsets: Sequence[Toolset],
        tools: Iterable[Tool],
        cache_scope: CacheScope,
        absent: Mapping[str, str] = NOTHING_ABSENT,
    ) -> None:
        self.toolsets = toolsets
        self.absent = absent
        self.tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self.cache_scope = cache_scope
        # The ready bytes of this view's list answers, by method and protocol version.
        self.answers: dict[tuple[str, str | None], bytes] = {}

    @cached_property
    def prompts(self) -> Mapping[str, Prompt]:
        return {prompt.name: prompt for toolset in self.toolsets for prompt in toolset.prompts}

    @cached_property
    def resources(self) -> Sequence[Resource]:
        return [resource for toolset in self.toolsets for resource in toolset.resources]

    @cached_property
    def completers(self) -> Mapping[tuple[str, str], Completer]:
        return {key: completer for toolset in self.toolsets for key, completer in toolset.completers.items()}

    @cached_property
    def listed_tools(self) -> list[mcp_types.Tool]:
        return [tool.published for tool in self.tools.values()]


NOTHING: Final = View((), (), "private")
