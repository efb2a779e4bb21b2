"""A tool under one of its aliases."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from identity.access import Access
from mcp_server.context import AnyContext
from mcp_server.declarations.change import Change
from mcp_server.declarations.tool import FurtherName, Result, Tool
from mcp_server.protocol.results import CallResult, JsonText, text


def under_further_names(tool: Tool) -> Iterator[Tool]:
    """All aliases of a tool, each as a tool with the alias's parameters and answer."""
    return (_under(tool, further) for further in tool.further_names)


def _under(tool: Tool, further: FurtherName) -> Tool:
    marks: Tool | FurtherName = further if further.takes else tool
    return _UnderFurtherName(
        tool=tool,
        further=further,
        name=further.name,
        toolset=tool.toolset,
        access=tool.access,
        title=tool.title,
        idempotent=tool.idempotent,
        open_world=tool.open_world,
        takes_confirm=tool.takes_confirm,
        harmless=marks.harmless,
        secret=marks.secret,
        seconds=tool.seconds,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _UnderFurtherName(Tool):
    """An alias of a tool. The alias only converts arguments and answers; the tool itself does everything else."""

    tool: Tool
    further: FurtherName

    @property
    def original(self) -> Tool:
        return self.tool

    @property
    def parameter_names(self) -> Collection[str]:
        return self.further.takes.names if self.further.takes else self.tool.parameter_names

    @property
    def description(self) -> str:
        return self.further.description or self.tool.description

    @property
    def own_schema(self) -> dict[str, Any]:
        return self.further.takes.schema if self.further.takes else self.tool.own_schema

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if self.further.takes is None:
            return self.tool.check(arguments)
        mapped = self.further.arguments(self.further.takes.check(arguments, self.input_schema))
        return self.tool.check({name: value for name, value in mapped.items() if value is not None})

    def access_of(self, meant: Mapping[str, Any]) -> Access:
        return self.tool.access_of(meant)

    async def plan(self, meant: dict[str, Any], context: AnyContext) -> Change[Any]:
        # The plan contains the tool's own name instead of the alias, because people approve what the tool itself does.
        return await self.tool.plan(meant, context)

    async def run(self, meant: dict[str, Any], context: AnyContext) -> Any:
        return await self.tool.run(meant, context)

    def result(self, value: Any) -> Result:
        result = self.tool.result(value)
        if self.further.gives is None or not isinstance(result, CallResult) or result.is_error:
            return result
        document = self.further.gives(_document(result))
        return CallResult([text(JsonText.of(document))], document)


def _document(result: CallResult) -> dict[str, Any]:
    if isinstance(result.structured_content, dict):
        return result.structured_content
    return {"result": "\n".join(result.texts)}
