"""How a tool, a prompt or a resource is declared: a typed function that joins one toolset."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from typing import Any, Final, ParamSpec, Protocol, TypedDict, TypeVar, Unpack, get_type_hints

import mcp.server.mcpserver.prompts as sdk_prompts
import mcp.server.mcpserver.resources as sdk_resources
import mcp.server.mcpserver.tools as sdk_tools
import mcp_types
from mcp.shared.inbound import x_mcp_header_map
from pydantic import TypeAdapter

from identity.access import Access
from mcp_server.declarations.schema import slim

__all__ = ["Access", "Completer", "Part", "Prompt", "Resource", "Tool", "Toolset", "title_of"]

P = ParamSpec("P")
R = TypeVar("R")

Completer = Callable[..., Awaitable[list[str]]]
CONFIRM: Final = "confirm"
LONGEST_CALL: Final = 60.0
_DAY_IN_MS: Final = 24 * 60 * 60 * 1000


def title_of(name: str) -> str:
    return name.replace("_", " ").capitalize()


class Marks(TypedDict, total=False):
    """What a declaration may say of a tool beside its function."""

    title: str
    idempotent: bool
    open_world: bool
    raw_schema: dict[str, Any]
    # The argument whose value a caller has to repeat before this tool destroys something.
    confirm: str
    # The arguments whose values may stand in the audit record.
    harmless: Collection[str]
    # After how long a call is stopped.
    seconds: float


@dataclass(frozen=True, eq=False)
class Tool:
    """One tool. What clients see of it is derived from its function, when it is first needed."""

    function: Callable[..., Any]
    toolset: str
    access: Access
    title: str
    idempotent: bool = False
    open_world: bool = True
    raw_schema: dict[str, Any] | None = None
    confirm: str | None = None
    harmless: Collection[str] = ()
    seconds: float = LONGEST_CALL

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def own_access(self) -> Access:
        """What the tool itself does, apart from the tools that it calls."""
        return self.access

    @property
    def description(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def first_sentence(self) -> str:
        return " ".join(self.description.partition("\n\n")[0].split())

    @property
    def annotations(self) -> mcp_types.ToolAnnotations:
        return mcp_types.ToolAnnotations(
            title=self.title,
            read_only_hint=self.access is Access.READ,
            destructive_hint=self.access is Access.DESTROY,
            idempotent_hint=self.idempotent or self.access is Access.READ,
            open_world_hint=self.open_world,
        )

    @cached_property
    def sdk(self) -> sdk_tools.Tool:
        """The SDK's form of the function: its argument model, injected dependencies and output model."""
        return sdk_tools.Tool.from_function(self.function)

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        schema = self.raw_schema or slim(self.sdk.parameters) | {"additionalProperties": False}
        if self.confirm is None:
            return schema
        confirmation = {"type": "string", "description": f"Repeat {self.confirm} if the user agreed"}
        return schema | {"properties": schema["properties"] | {CONFIRM: confirmation}}

    @cached_property
    def output(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.sdk.fn_metadata.output_model)

    @cached_property
    def gives_json(self) -> bool:
        """Whether the function says that what it returns is JSON already."""
        return get_type_hints(self.function).get("return") == dict[str, Any]

    @cached_property
    def takes_headers(self) -> bool:
        """Whether clients repeat some of the arguments in headers."""
        return bool(x_mcp_header_map(self.input_schema))

    @cached_property
    def published(self) -> mcp_types.Tool:
        return mcp_types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.input_schema,
            annotations=self.annotations,
        )


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


@dataclass(frozen=True, eq=False)
class Resource:
    """A resource at one address, or, where the address has variables, a template of many."""

    function: Callable[..., Any]
    uri: str
    name: str
    mime_type: str
    ttl_ms: int

    @property
    def is_template(self) -> bool:
        return "{" in self.uri

    @cached_property
    def sdk(self) -> sdk_resources.ResourceTemplate:
        return sdk_resources.ResourceTemplate.from_function(
            self.function,
            uri_template=self.uri,
            name=self.name,
            description=inspect.getdoc(self.function),
            mime_type=self.mime_type,
        )

    @cached_property
    def published(self) -> mcp_types.Resource:
        return mcp_types.Resource(
            uri=self.uri, name=self.name, description=self.sdk.description, mime_type=self.mime_type
        )

    @cached_property
    def published_template(self) -> mcp_types.ResourceTemplate:
        return mcp_types.ResourceTemplate(
            uri_template=self.uri, name=self.name, description=self.sdk.description, mime_type=self.mime_type
        )


@dataclass(eq=False, kw_only=True)
class Part:
    """What one file declares: its decorators leave a function as it is, and add it to the lists."""

    tools: list[Tool] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    completers: dict[tuple[str, str], Completer] = field(default_factory=dict)

    @property
    def _owner(self) -> str:
        """The toolset's name, which a part does not know: it is given to the tools when the toolset takes the part."""
        return ""

    def tool(self, access: Access, **marks: Unpack[Marks]) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Add a tool. One that destroys something marks the argument that tells what goes."""
        if (access is Access.DESTROY) != (marks.get("confirm") is not None):
            raise TypeError("a tool that destroys something, and only such a tool, marks what is to be confirmed")

        def add(function: Callable[P, R]) -> Callable[P, R]:
            titled: Marks = {"title": title_of(function.__name__), **marks}
            self.tools.append(Tool(function, self._owner, access, **titled))
            return function

        return add

    def prompt(self, *, title: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
        def add(function: Callable[P, R]) -> Callable[P, R]:
            self.prompts.append(Prompt(function, title or title_of(function.__name__)))
            return function

        return add

    def resource(
        self, uri: str, *, name: str, mime_type: str = "application/json", ttl_ms: int = _DAY_IN_MS
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        def add(function: Callable[P, R]) -> Callable[P, R]:
            self.resources.append(Resource(function, uri, name, mime_type, ttl_ms))
            return function

        return add

    def completion(self, of: str, argument: str) -> Callable[[Completer], Completer]:
        """Add a function that completes one argument of a prompt (by name) or of a resource template (by address)."""

        def add(function: Completer) -> Completer:
            self.completers[of, argument] = function
            return function

        return add


class Need(Protocol):
    """A provider, as far as it concerns what is declared."""

    @property
    def name(self) -> str: ...


@dataclass(eq=False)
class Toolset(Part):
    """What belongs together and is chosen together. One that takes several files has a part in each of them."""

    name: str
    description: str
    # Whether anybody may read here, signed in or not: there is nothing of the team in it.
    is_public: bool = field(default=False, kw_only=True)
    # What has to be configured before any of its tools can do anything.
    needs: Sequence[Need] = field(default=(), kw_only=True)
    parts: InitVar[Sequence[Part]] = field(default=(), kw_only=True)

    def __post_init__(self, parts: Sequence[Part]) -> None:
        for part in parts:
            self.tools += [replace(tool, toolset=self.name) for tool in part.tools]
            self.prompts += part.prompts
            self.resources += part.resources
            self.completers |= part.completers

    @property
    def _owner(self) -> str:
        return self.name

    def narrowed(self, tools: Iterable[Tool]) -> Toolset:
        return replace(self, tools=list(tools))
