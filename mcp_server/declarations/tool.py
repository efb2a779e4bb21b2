"""What the catalog, a call and its record need of a tool, whatever the tool is made of."""

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
_UNTOLD: Final = "what the service has, and what it would do"
# Arguments that name what a tool makes, to people.
_NAMING: Final = ("title", "name", "path", "fileName")

# A task is work that goes on, told to a client that knows what that is.
Result: TypeAlias = "CallResult | InputRequired | Task"
Reshape = Callable[[dict[str, Any]], dict[str, Any]]


class Intake(Protocol):
    """What a tool takes: its schema, and the check of arguments against it."""

    @property
    def names(self) -> Collection[str]:
        """The names of its parameters, told without building the schema if that costs anything."""

    @property
    def schema(self) -> dict[str, Any]: ...

    def check(self, arguments: dict[str, Any], schema: Mapping[str, Any], /) -> dict[str, Any]:
        """Return what is meant by the arguments; `schema` is the one that the caller was shown.

        Raises:
            InvalidArgumentsError: They are not valid.
        """


class Marks(Protocol):
    """Which parameters are marked."""

    # Those whose values may stand in the audit record.
    @property
    def harmless(self) -> Collection[str]: ...

    # Those whose values are neither shown, kept, recorded nor repeated.
    @property
    def secret(self) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class FurtherName:
    """A name by which callers also know a tool: public specifications name the same thing differently.

    Without `takes`, the tool's own arguments are given under it. With it, `arguments` makes the tool's arguments of
    what was taken, and `harmless` and `secret` mark what is taken. `gives` makes the answer from the tool's.
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
    """One tool. Every kind of it is listed, learned, asked consent for, called and recorded alike.

    A call goes in these steps: `check` says what is meant by the arguments, `preview` what it would do where somebody
    has to agree to that, `run` does it, `result` puts what came of it into the form that clients read. What is between
    them (consent, limits, failures, the record) no kind can skip.
    """

    name: str
    toolset: str
    access: Access
    title: str
    idempotent: bool = False
    open_world: bool = True
    # Whether a caller may say by an argument that the user agreed to what the preview told.
    takes_confirm: bool = False
    harmless: Collection[str] = ()
    secret: Collection[str] = ()
    seconds: float = LONGEST_CALL
    further_names: Sequence[FurtherName] = field(default=())
    # Whether its answer is a secret, of which records of its calls say so.
    gives_secret: bool = False
    # Whether its preview, or that of some calls, may take longer than a call. It is followed in later calls then, and
    # counts for some minutes.
    looks_long: bool | Callable[[Mapping[str, Any]], bool] = False
    # Whether users of a running system notice what it does, or what some calls do; a preview may say that one does not.
    interrupts: bool | Callable[[Mapping[str, Any]], bool] = False
    # Whether one call may change several resources, of which its preview says how many.
    is_many: bool = False
    # The address of the app in which hosts can show its answers.
    app: str = ""
    # Whether and how it can be undone, of a tool that shows only what it was given.
    undo: Undo | Callable[[Mapping[str, Any]], Undo] = UNSAID
    # Whether it begins a task that asks its owner something, which only clients that know tasks can answer.
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
        """The JSON schema of what the tool itself takes: an object. What the call takes besides is added to it."""

    @abstractmethod
    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return what is meant by the arguments, by the names that `run` knows, and do nothing else.

        Raises:
            InvalidArgumentsError: They are not valid.
        """

    def access_of(self, _meant: Mapping[str, Any]) -> Access:
        """How far this very call goes: with some arguments a tool destroys that otherwise writes."""
        return self.own_access

    @property
    def may_destroy(self) -> bool:
        """Whether some call of it destroys something."""
        return self.own_access is Access.DESTROY

    async def preview(self, meant: dict[str, Any], _context: AnyContext) -> Preview:
        """What it would do, found out without doing it.

        A tool that cannot tell shows what it was given, which says of one that destroys too little.

        Raises:
            Refusal: It could not be done; the caller can act on why.
        """
        from changes.preview import Preview

        given = {name: str(value) for name, value in self.shown(meant).items() if value is not None}
        is_lost = self.access_of(meant) is Access.DESTROY
        name = next((given[one] for one in _NAMING if given.get(one)), "")
        sentence = f"{self.title}: {name}" if name else ""
        undo = self.undo(meant) if callable(self.undo) else self.undo
        missing = [_UNTOLD] if is_lost else []
        return Preview(what=self.title, sentence=sentence, facts=given, missing=missing, undo=undo)

    async def plan(self, meant: dict[str, Any], context: AnyContext) -> Change[Any]:
        """The change that a call would make. Of a tool whose preview is declared apart from it, both together.

        Raises:
            Refusal: It cannot be done; the caller can act on why.
        """
        return _PreviewedApart(self, meant, context)

    @abstractmethod
    async def run(self, meant: dict[str, Any], context: AnyContext) -> Any:
        """Do what is meant.

        Raises:
            InvalidArgumentsError: The arguments turn out not to be valid, and nothing was done.
            Refusal: It cannot be done, and the caller can act on why.
        """

    @abstractmethod
    def result(self, value: Any) -> Result:
        """Put what `run` returned into the form that clients read."""

    @property
    def parameter_names(self) -> Collection[str]:
        return list(self.own_schema.get("properties", ()))

    @property
    def original(self) -> Tool:
        """The tool itself, where this is a further name of it."""
        return self

    @property
    def own_access(self) -> Access:
        """What the tool itself does, apart from the tools that it calls."""
        return self.access

    @property
    def reads_secret(self) -> bool:
        """Whether it tells a secret that is there, so that only a role that names it opens it; some make one."""
        return self.gives_secret and self.access is Access.READ

    def may_interrupt(self, meant: Mapping[str, Any]) -> bool:
        return self.interrupts(meant) if callable(self.interrupts) else self.interrupts

    def may_look_long(self, meant: Mapping[str, Any]) -> bool:
        return self.looks_long(meant) if callable(self.looks_long) else self.looks_long

    def shown(self, meant: Mapping[str, Any]) -> dict[str, Any]:
        """What is meant, as it may be shown and kept."""
        from changes.plan import not_kept

        return dict(meant) | not_kept(self.secrets(meant))

    def secrets(self, meant: Mapping[str, Any]) -> dict[str, Any]:
        """What is meant, as far as it is secret."""
        return {name: value for name, value in meant.items() if name in self.original.secret and value is not None}

    def chosen(self, _meant: Mapping[str, Any]) -> Mapping[str, str]:
        """What is meant for whatever stands behind the tool, beside its own arguments."""
        return {}

    @property
    def output_schema(self) -> Json | None:
        """What it gives, where a type says so."""
        return None

    @property
    def qualified_name(self) -> str:
        """The name that tells it from tools of other toolsets that are called the same."""
        return f"{self.toolset.replace('-', '_')}_{self.name}"

    @property
    def first_sentence(self) -> str:
        return " ".join(self.description.partition("\n\n")[0].split())

    @property
    def own_words(self) -> tuple[str, str]:
        """Its name, which begins with what it does, and its description: by these it is found."""
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
        """Whether clients repeat some of the arguments in headers."""
        return _has_marked(self.input_schema)

    @cached_property
    def published(self) -> Json:
        """What clients see of it."""
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
    """The change of a tool that finds out twice what it does: once for its preview, and once to do it."""

    tool: Tool
    meant: dict[str, Any]
    context: AnyContext

    async def preview(self) -> Preview:
        return await self.tool.preview(self.meant, self.context)

    async def apply(self) -> Any:
        # What came back of the question is used up, and not for the tool.
        return await self.tool.run(self.meant, self.context.unanswered())

    def held_to(self, pins: Mapping[str, Any]) -> Change[Any]:
        return replace(self, meant={**self.meant, **pins})


def _has_marked(schema: Any) -> bool:
    """Whether some parameter in a schema is one that clients repeat in a header."""
    if isinstance(schema, Mapping):
        return HEADER_MARK in schema or any(map(_has_marked, schema.values()))
    return isinstance(schema, list) and any(map(_has_marked, schema))


def _refuse_mismarked(tool: str, marks: Marks, parameters: Collection[str]) -> None:
    """A misspelt mark would mark nothing, and say so to nobody: a value would be missing from every record, or told."""
    if misspelt := sorted({*marks.harmless, *marks.secret} - set(parameters)):
        names = ", ".join(parameters) or "none"
        raise TypeError(f"{tool} marks {', '.join(misspelt)}, but its parameters are {names}")
    if both := sorted({*marks.harmless} & {*marks.secret}):
        raise TypeError(f"{tool} marks {', '.join(both)} as harmless and as secret")
