"""What one caller sees: the tools, prompts and resources that exist for them, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, Literal

import mcp_types

from mcp_server.toolset import Completer, Prompt, Resource, Tool, Toolset

CacheScope = Literal["public", "private"]


class View:
    """A tool outside the view can be neither listed, learned nor called, because the view does not hold it.

    `tools` are the ones listed and called directly; `toolsets` hold all that can be reached, through `learn` too.
    """

    def __init__(self, toolsets: Sequence[Toolset], tools: Iterable[Tool], cache_scope: CacheScope) -> None:
        self.toolsets = toolsets
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
