"""A tool that is defined by a typed function.

The tool derives its schema and description from the function when they are needed for the first time.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from types import CodeType
from typing import TYPE_CHECKING, Any, get_type_hints

from identity.access import Access
from mcp_server.context import AnyContext
from mcp_server.declarations.adaptation import AS_DECLARED, Adaptation
from mcp_server.declarations.change import Change, StatedChange
from mcp_server.declarations.doubted_change import DoubtedChange
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError, problems_of, unknown_arguments
from mcp_server.declarations.invocation import invoked
from mcp_server.declarations.schema import slim
from mcp_server.declarations.secret import Seal, Secret, secret_types
from mcp_server.declarations.signature import Signature
from mcp_server.declarations.tool import FurtherName, Reshape, Result, Tool
from mcp_server.protocol.results import CallResult, InputRequired, JsonText, text
from mcp_server.wording import speakable

if TYPE_CHECKING:
    from changes.preview import Preview


@dataclass(frozen=True, eq=False)
class TypedIntake:
    """The input of a tool, derived from the parameters of the tool's typed function."""

    function: Callable[..., Any]

    @cached_property
    def signature(self) -> Signature:
        return Signature(self.function)

    @cached_property
    def names(self) -> Collection[str]:
        # Read the names from the code object, because building a signature is slower. This code runs for all tools at
        # startup.
        code: CodeType = inspect.unwrap(self.function).__code__
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @cached_property
    def schema(self) -> dict[str, Any]:
        return slim(self.signature.schema) | {"additionalProperties": False}

    def check(self, arguments: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
        from pydantic import ValidationError

        # Report unknown arguments together with all other problems, so that a single retry is enough.
        unknown = unknown_arguments(schema, arguments)
        try:
            meant = self.signature.taken(self._read(arguments))
        except ValidationError as invalid:
            raise InvalidArgumentsError([*unknown, *problems_of(invalid, schema)]) from None
        if unknown:
            raise InvalidArgumentsError(unknown)
        return meant

    def _read(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Parse lists and objects that clients send as JSON strings.

        Strings for parameters that accept only text stay unchanged, even if they are valid JSON.
        """
        texts = {name: value for name, value in arguments.items() if isinstance(value, str) and name in self._no_texts}
        return arguments | {name: _read_json(value) for name, value in texts.items()}

    @cached_property
    def _no_texts(self) -> Collection[str]:
        """The names of the parameters that accept values other than text."""
        properties: Mapping[str, Any] = self.schema.get("properties", {})
        return {name for name, schema in properties.items() if _types_of(schema) - {"null"} != {"string"}}


def _read_json(value: str) -> Any:
    """Parse a string that contains a JSON list, object or null. Other strings stay unchanged."""
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return value if isinstance(read, str | int | float) else read


def _types_of(schema: Mapping[str, Any]) -> set[str]:
    return {str(one.get("type")) for one in schema.get("anyOf", [schema])}


@cache
def _output_of(function: Callable[..., Any]) -> dict[str, Any] | None:
    """The schema of the model that a function returns. None if the return type is not a model."""
    from pydantic import BaseModel

    given = get_type_hints(function).get("return")
    if not isinstance(given, type) or not issubclass(given, BaseModel):
        return None
    return given.model_json_schema(mode="serialization")


@cache
def intake_of(function: Callable[..., Any]) -> TypedIntake:
    """The input of a function. The input is cached, so that copies of a tool share it."""
    return TypedIntake(function)


def further_name(
    function: Callable[..., dict[str, Any]],
    *,
    gives: Reshape | None = None,
    harmless: Collection[str] = (),
    secret: Collection[str] = (),
) -> FurtherName:
    """Declare an alias. The alias has the function's parameters; the function converts them to the tool's arguments."""
    words, takes = inspect.getdoc(function) or "", intake_of(function)
    return FurtherName(function.__name__, words, takes, lambda taken: function(**taken), gives, harmless, secret)


@dataclass(frozen=True, eq=False, kw_only=True)
class FunctionTool(Tool):
    function: Callable[..., Any]
    # The function that builds the preview from the state of the service. This function takes some of the tool's
    # parameters.
    previewed: Callable[..., Any] | None = None
    # For tools that destroy something only in some calls: returns whether a call with these arguments destroys
    # something.
    destroys: Callable[[Mapping[str, Any]], bool] | None = None
    raw_schema: dict[str, Any] | None = None
    adaptation: Adaptation = AS_DECLARED

    @property
    def parameter_names(self) -> Collection[str]:
        names = intake_of(self.function).names
        return (*names, *self.adaptation.choices) if self.adaptation.choices else names

    @property
    def description(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def own_schema(self) -> dict[str, Any]:
        schema = self.raw_schema or intake_of(self.function).schema
        return schema if self.adaptation is AS_DECLARED else self.adaptation.schema(schema)

    @property
    def output_schema(self) -> dict[str, Any] | None:
        return _output_of(self.function)

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        own, chosen = self.adaptation.split(arguments)
        intake = intake_of(self.function)
        taken = None if self.raw_schema else intake.signature.plain.taken(own)
        if taken is None:
            taken = intake.check(own, self.input_schema)
        # Keep the values of added parameters in the arguments, so that an approval also covers them.
        return taken | chosen

    def chosen(self, _meant: Mapping[str, Any]) -> Mapping[str, str]:
        return {name: _meant[name] for name in self.adaptation.choices if name in _meant}

    def access_of(self, meant: Mapping[str, Any]) -> Access:
        return Access.DESTROY if self.destroys and self.destroys(meant) else self.own_access

    @property
    def may_destroy(self) -> bool:
        return self.own_access is Access.DESTROY or self.destroys is not None

    async def preview(self, meant: dict[str, Any], context: AnyContext) -> Preview:
        own, chosen = self.adaptation.split(meant)
        told = (
            await self._preview_by(self.previewed, own, context)
            if self.previewed
            else await self._preview_of_arguments(own, context)
        )
        return await placed(told, self.adaptation, chosen, own, context)

    async def _preview_of_arguments(self, own: dict[str, Any], context: AnyContext) -> Preview:
        """A preview that shows the arguments, for tools without a preview function."""
        from changes.rules import unknown_places

        return replace(await super().preview(own, context), places=unknown_places(self.parameter_names))

    async def _preview_by(self, previewed: Callable[..., Any], own: dict[str, Any], context: AnyContext) -> Preview:
        wanted = {parameter.name for parameter in intake_of(previewed).signature.parameters}
        told = await invoked(previewed, {name: value for name, value in own.items() if name in wanted}, context)
        from changes.preview import Preview

        if not isinstance(told, Preview):
            raise TypeError(f"{self.name} returns something other than a preview")
        return told

    async def plan(self, meant: dict[str, Any], context: AnyContext) -> Change[Any]:
        # Check the permission first, so that the change is sent immediately after the state was read.
        doubt = await self._doubt(meant, context)
        change = await self._planned(meant, context)
        return DoubtedChange(change, doubt) if doubt else change

    async def _doubt(self, meant: dict[str, Any], context: AnyContext) -> str:
        """Say why the caller's permission is unknown. Returns an empty string if the caller has permission.

        Raises:
            Refusal: The caller does not have permission.
        """
        permitting = self.adaptation.permitting
        own, _ = self.adaptation.split(meant)
        return await permitting(context, self.original.name, own) if permitting else ""

    async def _planned(self, meant: dict[str, Any], context: AnyContext) -> Change[Any]:
        return await super().plan(meant, context)

    async def run(self, meant: dict[str, Any], context: AnyContext) -> Any:
        meant, _ = self.adaptation.split(meant)
        return await invoked(self.function, meant, context)

    def result(self, value: Any) -> Result:
        """Return data as structured content, and also as compact JSON text, which all clients show to their model."""
        if isinstance(value, CallResult | InputRequired):
            return value
        if isinstance(value, JsonText):
            return CallResult([text(value)], value)
        structured = intake_of(self.function).signature.answer.structured(value)
        if isinstance(value, str):
            return CallResult([text(speakable(value))], structured)
        return CallResult([text(JsonText.of(structured))], structured)


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangeTool(FunctionTool):
    """A tool whose function returns a change, which is previewed before it is applied."""

    async def _planned(self, meant: dict[str, Any], context: AnyContext) -> Change[Any]:
        own, chosen = self.adaptation.split(meant)
        seal = Seal()
        wrappers = {name: one for name, one in self._secret_types.items() if own.get(name) is not None}
        sealed = {name: wrapper(own[name], seal) for name, wrapper in wrappers.items()}
        change = await invoked(self.function, own | sealed, context)
        if not isinstance(change, Change):
            raise TypeError(f"{self.name} returns {type(change).__name__}, not a change")
        shown = (
            partial(self._preview_of_arguments, own, context) if isinstance(change, StatedChange) else change.preview
        )
        return _Placed(change, shown, self.adaptation, chosen, context, own, seal)

    async def run(self, meant: dict[str, Any], context: AnyContext) -> Any:
        return await (await self.plan(meant, context)).apply()

    @cached_property
    def _secret_types(self) -> Mapping[str, type[Secret[Any]]]:
        return secret_types(self.function)


@dataclass(frozen=True, slots=True)
class _Placed(Change[Any]):
    """A change whose preview also contains the places and values that settings add.

    The change can read its secrets only while it is being applied.
    """

    change: Change[Any]
    shown: Callable[[], Awaitable[Preview]]
    adaptation: Adaptation
    chosen: Mapping[str, str]
    context: AnyContext
    own: Mapping[str, Any]
    seal: Seal

    @property
    def is_no_op(self) -> bool:
        return self.change.is_no_op

    async def preview(self) -> Preview:
        return await placed(await self.shown(), self.adaptation, self.chosen, self.own, self.context)

    async def apply(self) -> Any:
        self.seal.is_open = True
        return await self.change.apply()


async def placed(
    told: Preview, adaptation: Adaptation, chosen: Mapping[str, str], own: Mapping[str, Any], context: AnyContext
) -> Preview:
    """Add the names of places and the values of added parameters to a preview, so that an approval also covers them.

    The call that undoes the change gets the same values for added parameters, for example the same organization.
    """
    places = await adaptation.placing(context, own, told.places) if adaptation.placing else told.places
    undo = told.undo.with_arguments(chosen)
    return replace(told, facts={**chosen, **told.facts}, places={**chosen, **places}, undo=undo)
