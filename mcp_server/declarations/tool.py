"""The base class of tools.

The catalog, calls and audit records depend only on this class, and not on how each tool is implemented.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from changes.undo import UNSAID, Undo
from identity.access import Access
from mcp_server.context import AnyContext
from mcp_server.declarations.change import Change
from mcp_server.protocol.names import HEADER_MARK
from mcp_server.protocol.results import CallResult, InputRequired, Json

if TYPE_CHECKING:
    from changes.preview import Preview
    from tasks.task import Task

CONFIRM: Final = "confirm"
LONGEST_CALL: Final = 60.0
_UNTOLD: Final = "the state of the service, and the effect of the change"
# Names of arguments that may contain the name of the object to create.
_NAMING: Final = ("title", "name", "path", "fileName")

# The result of a call. If the client supports tasks, the result can be a task, which continues after the call.
Result: TypeAlias = "CallResult | InputRequired | Task"
Reshape = Callable[[dict[str, Any]], dict[str, Any]]


class Intake(Protocol):
    """The input of a tool: its schema, and the validation of arguments."""

    @property
    def names(self) -> Collection[str]:
        """The names of the parameters. This property must be fast, so it does not build the schema."""

    @property
    def schema(self) -> dict[str, Any]: ...

    def check(self, arguments: dict[str, Any], schema: Mapping[str, Any], /) -> dict[str, Any]:
        """Validate and convert the arguments. `schema` is the schema that was shown to the caller.

        Raises:
            InvalidArgumentsError: The arguments are invalid.
        """


class Marks(Protocol):
    """The parameters that are marked as harmless or secret."""

    # Parameters whose values the audit record may contain.
    @property
    def harmless(self) -> Collection[str]: ...

    # Parameters whose values are never shown, stored, recorded or repeated.
    @property
    def secret(self) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class FurtherName:
    """An alias of a tool. Tools need aliases, because public specifications use different names for the same operation.

    - Without `takes`, the alias has the parameters of the tool.
    - With `takes`, `arguments` converts the alias's arguments to the tool's arguments, and `harmless` and `secret` mark
      parameters of the alias.
    - `gives` converts the tool's answer to the alias's answer.
    """

    name: str
    description: str = ""
    takes: Intake | None = None
    arguments: Reshape = dict
    gives: Reshape | None = None
    harmless: Collection[str] = ()
    secret: Collection[str] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Tool(ABC):
    """A tool. All kinds of tools are listed, explained, approved, called and recorded in the same way.

    A call has these steps:

    - `check` validates the arguments.
    - `preview` shows what the call would do, if approval is required.
    - `run` performs the call.
    - `result` converts the returned value for clients.

    Around these steps, the server handles approval, limits, errors and the audit record. No kind of tool can bypass
    these steps.
    """

    name: str
    toolset: str
    access: Access
    title: str
    idempotent: bool = False
    open_world: bool = True
    # Whether a caller is allowed to state, in an argument, that the user approved the preview.
    takes_confirm: bool = False
    harmless: Collection[str] = ()
    secret: Collection[str] = ()
    seconds: float = LONGEST_CALL
    further_names: Sequence[FurtherName] = field(default=())
    # Whether the answer contains a secret. The audit record of each call contains this flag.
    gives_secret: bool = False
    # Whether a preview may take longer than a call. Later calls continue such a preview, and the finished preview stays
    # valid for a few minutes.
    looks_long: bool | Callable[[Mapping[str, Any]], bool] = False
    # Whether users of a running system may notice changes by this tool. The preview of a particular change may say that
    # users do not notice it.
    interrupts: bool | Callable[[Mapping[str, Any]], bool] = False
    # Whether a call may change several resources. The preview contains the number of affected resources.
    is_many: bool = False
    # The URI of the app in which clients can show the answers.
    app: str = ""
    # Whether and how the change can be undone, for tools whose preview only shows the arguments.
    undo: Undo | Callable[[Mapping[str, Any]], Undo] = UNSAID
    # Whether the tool's task asks the user questions. Only clients that support tasks can answer these
    # questions.
    asks_later: bool = False

    def __post_init__(self) -> None:
        if self.harmless or self.secret:
            _refuse_mismarked(self.name, self, self.parameter_names)
        for further in self.further_names:
            _refuse_mismarked(further.name, further, further.takes.names if further.takes else ())
            if self.secret and further.takes and not further.secret:
                raise TypeError(f"{further.name} must mark which of its parameters are secret")

    @property
    @abstractmethod
    def description(self) -> str: ...

    @property
    @abstractmethod
    def own_schema(self) -> dict[str, Any]:
        """The JSON schema of the tool's own arguments. Arguments for the server itself are added to this schema."""

    @abstractmethod
    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Validate the arguments, and return them under the names that `run` uses. This method has no side effects.

        Raises:
            InvalidArgumentsError: The arguments are invalid.
        """

    def access_of(self, _meant: Mapping[str, Any]) -> Access:
        """The access that a call with these arguments needs.

        Some tools destroy something only with certain arguments.
        """
        return self.own_access

    @property
    def may_destroy(self) -> bool:
        """Whether a call to the tool may destroy something."""
        return self.own_access is Access.DESTROY

    async def preview(self, meant: dict[str, Any], _context: AnyContext) -> Preview:
        """Preview the call by showing its arguments. Tools that destroy something must show more than the arguments."""
        from changes.preview import Preview

        given = {name: str(value) for name, value in self.shown(meant).items() if value is not None}
        is_lost = self.access_of(meant) is Access.DESTROY
        name = next((given[one] for one in _NAMING if given.get(one)), "")
        sentence = f"{self.title}: {name}" if name else ""
        undo = self.undo(meant) if callable(self.undo) else self.undo
        missing = [_UNTOLD] if is_lost else []
        return Preview(what=self.title, sentence=sentence, facts=given, missing=missing, undo=undo)

    async def plan(self, meant: dict[str, Any], context: AnyContext) -> Change[Any]:
        """The change that a call would make.

        For tools with separate `run` and `preview` methods, the change combines both methods.

        Raises:
            Refusal: The change cannot be made. The message says what the caller can do.
        """
        return _PreviewedApart(self, meant, context)

    @abstractmethod
    async def run(self, meant: dict[str, Any], context: AnyContext) -> Any:
        """Run the call.

        Raises:
            InvalidArgumentsError: The tool itself found that the arguments are invalid. Nothing was done.
            Refusal: The call failed. The message says what the caller can do.
        """

    @abstractmethod
    def result(self, value: Any) -> Result:
        """Convert the return value of `run` to the form that clients read."""

    @property
    def parameter_names(self) -> Collection[str]:
        return list(self.own_schema.get("properties", ()))

    @property
    def original(self) -> Tool:
        """The tool itself, if this object is an alias."""
        return self

    @property
    def own_access(self) -> Access:
        """The access that the tool itself needs, not counting the tools that it calls."""
        return self.access

    @property
    def reads_secret(self) -> bool:
        """Whether the tool returns an existing secret. A tool that returns a secret is accessible only through roles
        that name the tool.
        """
        return self.gives_secret and self.access is Access.READ

    def may_interrupt(self, meant: Mapping[str, Any]) -> bool:
        return self.interrupts(meant) if callable(self.interrupts) else self.interrupts

    def may_look_long(self, meant: Mapping[str, Any]) -> bool:
        return self.looks_long(meant) if callable(self.looks_long) else self.looks_long

    def shown(self, meant: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments in a form that may be shown and stored: with placeholders for secrets."""
        from changes.plan import not_kept

        return dict(meant) | not_kept(self.secrets(meant))

    def secrets(self, meant: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the secret arguments."""
        return {name: value for name, value in meant.items() if name in self.original.secret and value is not None}

    def chosen(self, _meant: Mapping[str, Any]) -> Mapping[str, str]:
        """The values of the parameters that settings added for the service behind the tool."""
        return {}

    @property
    def output_schema(self) -> Json | None:
        """The JSON schema of the answer. None if the tool does not declare the type of its answer."""
        return None

    @property
    def qualified_name(self) -> str:
        """The name that distinguishes the tool from tools with the same name in other toolsets."""
        return f"{self.toolset.replace('-', '_')}_{self.name}"

    @property
    def first_sentence(self) -> str:
        return " ".join(self.description.partition("\n\n")[0].split())

    @property
    def own_words(self) -> tuple[str, str]:
        """The tool's name, which starts with a verb, and the tool's description. Search uses both."""
        return self.name, self.description

    @property
    def annotations(self) -> Json:
        return {
            "title": self.title,
            "readOnlyHint": self.access is Access.READ,
            "destructiveHint": self.may_destroy or self.access is Access.DESTROY,
            "idempotentHint": self.idempotent or self.access is Access.READ,
            "openWorldHint": self.open_world,
        }

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        if not self.takes_confirm:
            return self.own_schema
        confirmation = {"type": "string", "description": "Code of the preview, if the user agreed"}
        return self.own_schema | {"properties": self.own_schema["properties"] | {CONFIRM: confirmation}}

    @cached_property
    def takes_headers(self) -> bool:
        """Whether clients must repeat some arguments in HTTP headers."""
        return _has_marked(self.input_schema)

    @cached_property
    def published(self) -> Json:
        """The entry for the tool in the protocol's list of tools."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": self.annotations,
            **({"_meta": {"ui": {"resourceUri": self.app}}} if self.app else {}),
        }

    def published_as(self, name: str) -> Json:
        return self.published if name == self.name else {**self.published, "name": name}


@dataclass(frozen=True, slots=True)
class _PreviewedApart(Change[Any]):
    """A change by a tool that reads the service's state twice: once to preview the change, and again to apply it."""

    tool: Tool
    meant: dict[str, Any]
    context: AnyContext

    async def preview(self) -> Preview:
        return await self.tool.preview(self.meant, self.context)

    async def apply(self) -> Any:
        # The client's answers were already used for the approval, and are not meant for the tool.
        return await self.tool.run(self.meant, self.context.unanswered())

    def held_to(self, pins: Mapping[str, Any]) -> Change[Any]:
        return replace(self, meant={**self.meant, **pins})


def _has_marked(schema: Any) -> bool:
    """Whether a schema has a parameter that clients must repeat in a header."""
    if isinstance(schema, Mapping):
        return HEADER_MARK in schema or any(map(_has_marked, schema.values()))
    return isinstance(schema, list) and any(map(_has_marked, schema))


def _refuse_mismarked(tool: str, marks: Marks, parameters: Collection[str]) -> None:
    """Raise an error if a mark names an unknown parameter, or if a parameter is marked as both harmless and secret.

    A misspelled mark would have no effect, and could expose a secret.
    """
    if misspelt := sorted({*marks.harmless, *marks.secret} - set(parameters)):
        names = ", ".join(parameters) or "none"
        raise TypeError(
            f"{tool} has marks for parameters that do not exist: {', '.join(misspelt)}. Its parameters are: {names}"
        )
    if both := sorted({*marks.harmless} & {*marks.secret}):
        raise TypeError(f"{tool} marks {', '.join(both)} as harmless and as secret")
