"""Toolsets with a generated outline.

The outline makes it possible to list, search and select tools without importing them. `scripts/docs` generates the
outlines from the declarations, and a test checks that they match. The declaration of a tool is imported when the tool
is called for the first time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from identity.access import Access
from mcp_server.context import AnyContext
from mcp_server.declarations.adaptation import AS_DECLARED, Adaptation
from mcp_server.declarations.prompt import Prompt
from mcp_server.declarations.resource import Resource
from mcp_server.declarations.tool import FurtherName, Intake, Result, Tool
from mcp_server.declarations.toolset import Completer, Part, Toolset
from mcp_server.protocol.results import Json

if TYPE_CHECKING:
    from changes.preview import Preview
    from mcp_server.declarations.change import Change

# Fields that are copied to the outline unchanged if they differ from their defaults.
_AS_IT_IS: Final = (
    *("idempotent", "open_world", "harmless", "secret", "seconds", "gives_secret", "is_many", "app", "asks_later"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class OutlinedTool(Tool):
    declared: Callable[[], Tool]
    words: str
    parameters: Sequence[str]
    destroys: bool = False
    # Set only for the few tools that are listed by default.
    schema: Json | None = None
    adaptation: Adaptation = AS_DECLARED

    def __post_init__(self) -> None:
        """Skip the checks, because the declaration of the tool was already checked."""

    @cached_property
    def real(self) -> Tool:
        """The declared tool, with all changes that views and settings have made to this outline."""
        tool = self.declared()
        adapted = {} if self.adaptation is AS_DECLARED else {"adaptation": self.adaptation}
        own = {"toolset": self.toolset, "takes_confirm": self.takes_confirm, "harmless": self.harmless}
        changed: Any = {**own, **adapted}
        return replace(tool, **changed)

    @property
    def description(self) -> str:
        return self.words

    @property
    def own_schema(self) -> Json:
        is_known = self.schema is not None and self.adaptation is AS_DECLARED
        return self.schema if is_known and self.schema is not None else self.real.own_schema

    @property
    def output_schema(self) -> Json | None:
        return self.real.output_schema

    @property
    def parameter_names(self) -> Collection[str]:
        return (*self.parameters, *self.adaptation.choices)

    @property
    def may_destroy(self) -> bool:
        return self.destroys

    def check(self, arguments: Json) -> Json:
        return self.real.check(arguments)

    def access_of(self, meant: Mapping[str, Any]) -> Access:
        return self.real.access_of(meant)

    def may_interrupt(self, meant: Mapping[str, Any]) -> bool:
        return self.real.may_interrupt(meant)

    def may_look_long(self, meant: Mapping[str, Any]) -> bool:
        return self.real.may_look_long(meant)

    def chosen(self, meant: Mapping[str, Any]) -> Mapping[str, str]:
        return self.real.chosen(meant)

    async def preview(self, meant: Json, context: AnyContext) -> Preview:
        return await self.real.preview(meant, context)

    async def plan(self, meant: Json, context: AnyContext) -> Change[Any]:
        return await self.real.plan(meant, context)

    async def run(self, meant: Json, context: AnyContext) -> Any:
        return await self.real.run(meant, context)

    def result(self, value: Any) -> Result:
        return self.real.result(value)


@dataclass(frozen=True, slots=True)
class _OutlinedIntake:
    """The parameters of an alias."""

    names: Collection[str]
    declared: Callable[[], FurtherName]

    @property
    def schema(self) -> Json:
        return self._real.schema

    def check(self, arguments: Json, schema: Mapping[str, Any], /) -> Json:
        return self._real.check(arguments, schema)

    @property
    def _real(self) -> Intake:
        takes = self.declared().takes
        if takes is None:
            raise TypeError(f"The parameters of {self.declared().name} differ from its outline")
        return takes


def outline_of(toolset: Toolset, with_schemas: Collection[str] = ()) -> Json:
    """The outline of a toolset, with schemas only for the tools in `with_schemas`, which are listed by default."""
    return {
        "tools": [tool_outline(tool, with_schema=tool.name in with_schemas) for tool in toolset.tools],
        "prompts": [{"name": prompt.name, "title": prompt.title} for prompt in toolset.prompts],
        "resources": [
            {"uri": one.uri, "name": one.name, "mime_type": one.mime_type, "ttl_ms": one.ttl_ms}
            for one in toolset.resources
        ],
        "completers": [list(key) for key in toolset.completers],
    }


def tool_outline(tool: Tool, *, with_schema: bool) -> Json:
    marks = {name: _plain(getattr(tool, name)) for name in _AS_IT_IS}
    usual = {name: _plain(Tool.__dataclass_fields__[name].default) for name in _AS_IT_IS}
    return {
        "name": tool.name,
        "access": tool.access.name,
        "title": tool.title,
        "words": tool.description,
        "parameters": list(tool.parameter_names),
        **({"destroys": True} if tool.may_destroy else {}),
        **({"further": [_further_outline(one) for one in tool.further_names]} if tool.further_names else {}),
        **{name: value for name, value in marks.items() if value != usual[name]},
        **({"schema": tool.own_schema} if with_schema else {}),
    }


def _further_outline(further: FurtherName) -> Json:
    return {
        "name": further.name,
        "description": further.description,
        "takes": list(further.takes.names) if further.takes else None,
        "gives": further.gives is not None,
        "harmless": list(further.harmless),
        "secret": list(further.secret),
    }


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set | frozenset) else list(value) if isinstance(value, tuple) else value


def outlined(toolset: Toolset, outline: Callable[[], Json]) -> Toolset:
    """A toolset that is built from its outline. The toolset imports its declaration when one of its tools is called."""
    return replace(toolset, parts=lambda: [_part(toolset, outline())], own=Part())


def _part(toolset: Toolset, outline: Json) -> Part:
    completers: dict[tuple[str, str], Completer] = {
        (of, argument): partial(_completed, toolset, (of, argument)) for of, argument in outline["completers"]
    }
    return Part(
        tools=[outlined_tool(toolset.name, one, partial(_declared, toolset, one["name"])) for one in outline["tools"]],
        prompts=[Prompt(partial(_prompt, toolset, one["name"]), **one) for one in outline["prompts"]],
        resources=[Resource(partial(_resource, toolset, one["uri"]), **one) for one in outline["resources"]],
        completers=completers,
    )


def outlined_tool(toolset: str, outline: Json, declared: Callable[[], Tool]) -> OutlinedTool:
    return OutlinedTool(**told_by(outline, declared), toolset=toolset, declared=declared)


def told_by(outline: Json, declared: Callable[[], Tool]) -> Json:
    """The fields of a tool, read from its outline."""
    further = [_further(one, partial(_further_of, declared, at)) for at, one in enumerate(outline.get("further", ()))]
    return {
        "name": outline["name"],
        "access": Access[outline["access"]],
        "title": outline["title"],
        "words": outline["words"],
        "parameters": outline["parameters"],
        "destroys": outline.get("destroys", False),
        "schema": outline.get("schema"),
        "further_names": further,
        **{name: outline[name] for name in _AS_IT_IS if name in outline},
    }


def _further(told: Json, declared: Callable[[], FurtherName]) -> FurtherName:
    return FurtherName(
        told["name"],
        told["description"],
        None if told["takes"] is None else _OutlinedIntake(told["takes"], declared),
        lambda taken: declared().arguments(taken),
        partial(_in_form_of, declared) if told["gives"] else None,
        told["harmless"],
        told["secret"],
    )


def _in_form_of(declared: Callable[[], FurtherName], answer: Json) -> Json:
    gives = declared().gives
    return gives(answer) if gives else answer


def _declared(toolset: Toolset, name: str) -> Tool:
    return next(tool for tool in toolset.tools if tool.name == name)


def _further_of(declared: Callable[[], Tool], at: int) -> FurtherName:
    return declared().further_names[at]


def _prompt(toolset: Toolset, name: str) -> Callable[..., Any]:
    return next(prompt for prompt in toolset.prompts if prompt.name == name).function


def _resource(toolset: Toolset, uri: str) -> Callable[..., Any]:
    return next(resource for resource in toolset.resources if resource.uri == uri).function


def _completed(toolset: Toolset, key: tuple[str, str], value: str, context: AnyContext) -> Awaitable[list[str]]:
    return toolset.completers[key](value, context)
