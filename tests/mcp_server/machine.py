"""A second kind of tool: no Python function, but a plain JSON schema and a coroutine over plain JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.declarations.tool import Result, Tool
from mcp_server.protocol.results import CallResult, text
from mcp_server.visit import Context

Action = Callable[[dict[str, Any]], Awaitable[str]]
TYPES: Mapping[str, type] = {"string": str, "integer": int}


@dataclass(frozen=True, eq=False, kw_only=True)
class Machine(Tool):
    """Checks no more of a schema than it has to: what is required, what there is, and of which type it is."""

    schema: dict[str, Any]
    action: Action
    says: str = "Do what a machine does."

    @property
    def description(self) -> str:
        return self.says

    @property
    def own_schema(self) -> dict[str, Any]:
        return self.schema

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        properties = self.schema["properties"]
        problems = [f"{name}: is required." for name in self.schema.get("required", ()) if name not in arguments]
        problems += [f"{name}: unknown parameter." for name in arguments if name not in properties]
        problems += [
            f"{name}: must be {properties[name]['type']}."
            for name, value in arguments.items()
            if name in properties and not isinstance(value, TYPES[properties[name]["type"]])
        ]
        if problems:
            raise InvalidArgumentsError(problems)
        return arguments

    async def run(self, meant: dict[str, Any], context: Context) -> Any:
        return await self.action(meant)

    def result(self, value: Any) -> Result:
        return CallResult([text(value)], {"made": value})
