"""Declares the tools, prompts and resources of a toolset as typed functions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, ParamSpec, Protocol, TypedDict, TypeVar, Unpack

from changes.undo import Undo
from identity.access import Access
from mcp_server.declarations.change import Change
from mcp_server.declarations.prompt import Prompt
from mcp_server.declarations.remote_content import RemoteContent
from mcp_server.declarations.resource import Resource
from mcp_server.declarations.shelf import Shelf
from mcp_server.declarations.tool import FurtherName, Tool

__all__ = ["Access", "Completer", "Part", "Tool", "Toolset", "title_of"]

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=Change[Any])

Completer = Callable[..., Awaitable[list[str]]]
_DAY_IN_MS: Final = 24 * 60 * 60 * 1000


def title_of(name: str) -> str:
    return name.replace("_", " ").capitalize()


class ChangeMarks(TypedDict, total=False):
    """The options in the declaration of a tool that changes something."""

    title: str
    idempotent: bool
    open_world: bool
    # For tools that destroy something only in some calls: returns whether a call with these arguments does.
    destroys: Callable[[Mapping[str, Any]], bool]
    # The arguments whose values the audit record may contain.
    harmless: Collection[str]
    # The arguments whose values are never shown, stored, recorded or repeated.
    secret: Collection[str]
    # The time limit of a call, in seconds.
    seconds: float
    # The aliases of the tool.
    further_names: Sequence[FurtherName]
    # Whether the answer contains a secret.
    gives_secret: bool
    # Whether a preview may take longer than a call. A preview that takes too long raises `StillLookingError`, and a
    # later call continues the preview with the stored `Trail`. The result of a continued preview stays valid for a
    # while.
    looks_long: bool | Callable[[Mapping[str, Any]], bool]
    # Whether users of a running system may notice the change, for example a restart, or a change of settings, traffic,
    # network, roles or keys.
    interrupts: bool | Callable[[Mapping[str, Any]], bool]
    # Whether a call may change several resources. The preview contains the number of resources in `touches`.
    is_many: bool
    # Whether and how the change can be undone, if this follows from the arguments of the tool.
    undo: Undo | Callable[[Mapping[str, Any]], Undo]
    # Whether the tool's task asks the user questions. Clients that do not support tasks are rejected.
    asks_later: bool


class ToolMarks(ChangeMarks, total=False):
    """The options in the declaration of any tool."""

    raw_schema: dict[str, Any]
    # The URI of the app in which clients can show the answers. The app is a resource of this toolset.
    app: str
    # The function that builds the preview from the state of the service. The function has some of the tool's
    # parameters.
    previewed: Callable[..., Any]


@dataclass(eq=False, kw_only=True)
class Part:
    """The tools, prompts and resources that a file declares.

    The decorators of this class register a function and return it unchanged.
    """

    tools: list[Tool] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    completers: dict[tuple[str, str], Completer] = field(default_factory=dict)
    # The toolset's name, which is set when this part is added to a toolset. The file that declares the part does not
    # contain the name.
    owner: str = ""

    def tool(self, access: Access, **marks: Unpack[ToolMarks]) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Declare a tool. A tool that may destroy something needs a function that previews what would be deleted."""
        if (access is Access.DESTROY or "destroys" in marks) and "previewed" not in marks:
            raise TypeError("a tool that may destroy something needs a preview that says what would be destroyed")
        from mcp_server.declarations.function_tool import FunctionTool

        def add(function: Callable[P, R]) -> Callable[P, R]:
            titled: ToolMarks = {"title": title_of(function.__name__), **marks}
            name, toolset = function.__name__, self.owner
            self.tools.append(FunctionTool(function=function, name=name, toolset=toolset, access=access, **titled))
            return function

        return add

    def change(
        self, access: Access, **marks: Unpack[ChangeMarks]
    ) -> Callable[[Callable[P, Awaitable[C]]], Callable[P, Awaitable[C]]]:
        """Declare a tool that changes something. The tool's function returns the change that a call would make."""
        from mcp_server.declarations.function_tool import ChangeTool

        def add(function: Callable[P, Awaitable[C]]) -> Callable[P, Awaitable[C]]:
            titled: ChangeMarks = {"title": title_of(function.__name__), **marks}
            name, toolset = function.__name__, self.owner
            self.tools.append(ChangeTool(function=function, name=name, toolset=toolset, access=access, **titled))
            return function

        return add

    def prompt(self, *, title: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
        def add(function: Callable[P, R]) -> Callable[P, R]:
            self.prompts.append(Prompt(lambda: function, function.__name__, title or title_of(function.__name__)))
            return function

        return add

    def resource(
        self, uri: str, *, name: str, mime_type: str = "application/json", ttl_ms: int = _DAY_IN_MS
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        def add(function: Callable[P, R]) -> Callable[P, R]:
            self.resources.append(Resource(lambda: function, uri, name, mime_type, ttl_ms))
            return function

        return add

    def completion(self, of: str, argument: str) -> Callable[[Completer], Completer]:
        """Declare a function that completes an argument of a prompt or resource template.

        `of` is the prompt's name or the template's URI.
        """

        def add(function: Completer) -> Completer:
            self.completers[of, argument] = function
            return function

        return add


class Need(Protocol):
    """A provider that a toolset requires."""

    @property
    def name(self) -> str: ...


@dataclass(eq=False)
class Toolset:
    """Tools that belong together and are selected together.

    A toolset is imported on first use. If a required provider is not configured, the toolset is never imported.
    """

    name: str
    description: str
    # Whether the toolset contains no data of the team, so that anyone can read it without sign-in.
    is_public: bool = field(default=False, kw_only=True)
    # All of these providers must be configured before any tool in the toolset works.
    needs: Sequence[Need] = field(default=(), kw_only=True)
    # At least one of these providers must be configured, in addition to `needs`.
    needs_one_of: Sequence[Need] = field(default=(), kw_only=True)
    # The names of tools that can be used only with a role that names the tool. Access to the toolset or to all toolsets
    # does not include these tools.
    by_name_only: Collection[str] = field(default=(), kw_only=True)
    # Resources that can change, with tools to list, read, write and delete them.
    shelf: Shelf | None = field(default=None, kw_only=True)
    # The prompts and resources of another MCP server.
    remote_content: RemoteContent | None = field(default=None, kw_only=True)
    # The parts of the toolset, if it is declared in several files.
    parts: Callable[[], Sequence[Part]] | None = field(default=None, kw_only=True)
    own: Part = field(default_factory=Part, kw_only=True)

    def __post_init__(self) -> None:
        own = self.own
        own.owner = self.name
        self.tool, self.change = own.tool, own.change
        self.prompt, self.resource, self.completion = own.prompt, own.resource, own.completion

    @property
    def tools(self) -> Sequence[Tool]:
        return self._whole.tools

    @property
    def prompts(self) -> Sequence[Prompt]:
        return self._whole.prompts

    @property
    def resources(self) -> Sequence[Resource]:
        return self._whole.resources

    @property
    def completers(self) -> Mapping[tuple[str, str], Completer]:
        return self._whole.completers

    @property
    def may_need(self) -> Sequence[Need]:
        return (*self.needs, *self.needs_one_of)

    def with_tools_alone(self) -> Toolset:
        return replace(self, parts=None, remote_content=None, own=Part(tools=[*self.tools]))

    def narrowed(self, tools: Iterable[Tool]) -> Toolset:
        return replace(self, parts=None, own=replace(self._whole, tools=list(tools)))

    def adapted(self, adapt: Callable[[Tool], Tool]) -> Toolset:
        """A copy of the toolset in which each tool is adapted on first use."""

        def parts() -> Sequence[Part]:
            return [replace(self._whole, tools=[adapt(tool) for tool in self.tools])]

        return replace(self, parts=parts, own=Part())

    @property
    def _whole(self) -> Part:
        return self._of_all_parts if self.parts else self.own

    @cached_property
    def _of_all_parts(self) -> Part:
        whole = Part(owner=self.name)
        for part in self.parts() if self.parts else ():
            whole.tools += [self._owned(tool) for tool in part.tools]
            whole.prompts += part.prompts
            whole.resources += part.resources
            whole.completers |= part.completers
        if ajar := [tool.name for tool in whole.tools if tool.reads_secret and tool.name not in self.by_name_only]:
            raise TypeError(f"{', '.join(ajar)} returns a secret, so `by_name_only` of {self.name} must contain it")
        return whole

    def _owned(self, tool: Tool) -> Tool:
        return tool if tool.toolset == self.name else replace(tool, toolset=self.name)
