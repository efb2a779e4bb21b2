"""A prompt: a typed function that returns its text."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mcp.server.mcpserver.prompts as sdk_prompts
import mcp_types


@dataclass(frozen=True, eq=False)
class Prompt:
    function: Callable[..., Any]
    title: str

    @property
    def name(self) -> str:
        return self.function.__name__

    @cached_property
    def sdk(self) -> sdk_prompts.Prompt:
        return sdk_prompts.Prompt.from_function(
            self.function, title=self.title, description=inspect.getdoc(self.function)
        )

    @cached_property
    def published(self) -> mcp_types.Prompt:
        arguments = [
            mcp_types.PromptArgument(name=argument.name, description=argument.description, required=argument.required)
            for argument in self.sdk.arguments or ()
        ]
        return mcp_types.Prompt(name=self.name, title=self.title, description=self.sdk.description, arguments=arguments)
