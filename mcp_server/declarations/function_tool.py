"""A tool that is a typed function: what clients see of it is derived from the function, when it is first needed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, wraps
from types import CodeType
from typing import Any, Final, get_type_hints

import mcp.server.mcpserver.tools as sdk_tools
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import resolve_arguments
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from changes.preview import Preview
from changes.rules import unknown_places
from identity.access import Access
from mcp_server.declarations.adaptation import AS_DECLARED, Adaptation
from mcp_server.declarations.change import Change, answer_type
from mcp_server.declarations.doubted_change import DoubtedChange
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError, problems_of, unknown_arguments
from mcp_server.declarations.schema import slim
from mcp_server.declarations.secret import Seal, Secret, secret_types
from mcp_server.declarations.tool import FurtherName, Reshape, Result, Tool
from mcp_server.wording import speakable
from tasks.task import Task

# What a function says that returns JSON, at once or in the end.
_JSON: Final = (dict[str, Any], dict[str, Any] | Task)


@dataclass(frozen=True, eq=False)
class TypedIntake:
    """What a typed function takes."""

    function: Callable[..., Any]

    @cached_property
    def sdk(self) -> sdk_tools.Tool:
        """The SDK's form of the function: its argument model, injected dependencies and output model."""
        return sdk_tools.Tool.from_function(_answering(self.function))

    @cached_property
    def answer(self) -> Any:
        """The type of the answer."""
        return answer_type(get_type_hints(self.function).get("return"))

    @cached_property
    def names(self) -> Collection[str]:
        # Not by way of the model, nor of a signature: this is asked of every tool at the start of the app.
        code: CodeType = inspect.unwrap(self.function).__code__
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @cached_property
    def schema(self) -> dict[str, Any]:
        return slim(self.sdk.parameters) | {"additionalProperties": False}

    def check(self, arguments: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
        # An unknown argument is told together with all the rest, so that one more call mends it.
        unknown = unknown_arguments(schema, arguments)
        try:
            meant = self._validated(arguments)
        except ValidationError as invalid:
            raise InvalidArgumentsError([*unknown, *problems_of(invalid, schema)]) from None
        if unknown:
            raise InvalidArgumentsError(unknown)
        return meant

    def _validated(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments by their types. Clients send lists and objects as JSON texts, which the SDK reads; what can
        only be a text stays the text that it is, also where that is JSON.
        """
        metadata = self.sdk.fn_metadata
        others = {name: value for name, value in arguments.items() if name not in self._texts}
        read = arguments | metadata.pre_parse_json(others)
        return metadata.arg_model.model_validate(read).model_dump_one_level()

    @cached_property
    def _texts(self) -> Collection[str]:
        properties: Mapping[str, Any] = self.schema.get("properties", {})
        return {name for name, schema in properties.items() if _types_of(schema) - {"null"} == {"string"}}


def _answering(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as the SDK has to read it: one that returns a change answers with what applying that gives."""
    signature = inspect.signature(function, eval_str=True)
    answer = answer_type(signature.return_annotation)
    if answer is signature.return_annotation:
        return function

    @wraps(function)
    async def read_only_by_the_sdk(**_given: Any) -> Any:
        raise NotImplementedError

    vars(read_only_by_the_sdk)["__signature__"] = signature.replace(return_annotation=answer)
    return read_only_by_the_sdk


def _types_of(schema: Mapping[str, Any]) -> set[str]:
    return {str(one.get("type")) for one in schema.get("anyOf", [schema])}


@cache
def intake_of(function: Callable[..., Any]) -> TypedIntake:
    """The one intake of a function: every view and every waived consent makes a new tool of it, at no further cost."""
    return TypedIntake(function)


def further_name(
    function: Callable[..., dict[str, Any]],
    *,
    gives: Reshape | None = None,
    harmless: Collection[str] = (),
    secret: Collection[str] = (),
) -> FurtherName:
    """A further name that takes what this function takes; the function returns the arguments of the tool."""
    return FurtherName(
        function.__name__,
        inspect.getdoc(function) or "",
        intake_of(function),
        lambda taken: function(**taken),
        gives,
        harmless,
        secret,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class FunctionTool(Tool):
    function: Callable[..., Any]
    # Tells what it would do: a function of the tool's own parameters, or of some of them.
    previewed: Callable[..., Any] | None = None
    # Whether a call with these arguments destroys, where others of the tool do not.
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

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        own, chosen = self.adaptation.split(arguments)
        # What is chosen stays with what is meant, because whoever agrees to it agrees to both.
        return intake_of(self.function).check(own, self.input_schema) | chosen

    def chosen(self, _meant: Mapping[str, Any]) -> Mapping[str, str]:
        return {name: _meant[name] for name in self.adaptation.choices if name in _meant}

    def access_of(self, meant: Mapping[str, Any]) -> Access:
        return Access.DESTROY if self.destroys and self.destroys(meant) else self.own_access

    @property
    def may_destroy(self) -> bool:
        return self.own_access is Access.DESTROY or self.destroys is not None

    async def preview(self, meant: dict[str, Any], context: Context[Any, Any]) -> Preview:
        own, chosen = self.adaptation.split(meant)
        told = await self._told(self.previewed, own, context) if self.previewed else await self._given(own, context)
        return await placed(told, self.adaptation, chosen, own, context)

    async def _given(self, own: dict[str, Any], context: Context[Any, Any]) -> Preview:
        """What it was given, where nothing tells what it would do."""
        return replace(await super().preview(own, context), places=unknown_places(self.parameter_names))

    async def _told(self, previewed: Callable[..., Any], own: dict[str, Any], context: Context[Any, Any]) -> Preview:
        wanted = intake_of(previewed).sdk.fn_metadata.arg_model.model_fields
        told = await _called(previewed, {name: value for name, value in own.items() if name in wanted}, context)
        if not isinstance(told, Preview):
            raise TypeError(f"{self.name} tells something else of itself than a preview")
        return told

    async def plan(self, meant: dict[str, Any], context: Context[Any, Any]) -> Change[Any]:
        # First, so that nothing lies between what the change itself reads and what it sends.
        doubt = await self._doubt(meant, context)
        change = await self._planned(meant, context)
        return DoubtedChange(change, doubt) if doubt else change

    async def _doubt(self, meant: dict[str, Any], context: Context[Any, Any]) -> str:
        """Why nobody can tell whether the caller may do this; nothing, where they may.

        Raises:
            Refusal: They may not.
        """
        permitting = self.adaptation.permitting
        own, _ = self.adaptation.split(meant)
        return await permitting(context, self.original.name, own) if permitting else ""

    async def _planned(self, meant: dict[str, Any], context: Context[Any, Any]) -> Change[Any]:
        return await super().plan(meant, context)

    async def run(self, meant: dict[str, Any], context: Context[Any, Any]) -> Any:
        meant, _ = self.adaptation.split(meant)
        return await _called(self.function, meant, context)

    def result(self, value: Any) -> Result:
        """Give data both ways: as compact JSON text, which every client shows its model, and as structured content."""
        metadata = intake_of(self.function).sdk.fn_metadata
        if isinstance(value, CallToolResult | InputRequiredResult) or metadata.output_model is None:
            return metadata.convert_result(value)
        structured = self._structured(value)
        text = speakable(value) if isinstance(value, str) else to_json(structured, inf_nan_mode="null").decode()
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)

    def _structured(self, value: Any) -> Any:
        if self._gives_json:
            return value
        is_wrapped = intake_of(self.function).sdk.fn_metadata.wrap_output
        output = self._output.validate_python({"result": value} if is_wrapped else value)
        return self._output.dump_python(output, mode="json", by_alias=True)

    @cached_property
    def _output(self) -> TypeAdapter[Any]:
        return TypeAdapter(intake_of(self.function).sdk.fn_metadata.output_model)

    @cached_property
    def _gives_json(self) -> bool:
        """Whether the function says that what it returns is JSON already."""
        return intake_of(self.function).answer in _JSON


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangeTool(FunctionTool):
    """A tool whose function returns the change that a call would make."""

    async def _planned(self, meant: dict[str, Any], context: Context[Any, Any]) -> Change[Any]:
        own, chosen = self.adaptation.split(meant)
        seal = Seal()
        wrappers = {name: one for name, one in self._secret_types.items() if own.get(name) is not None}
        sealed = {name: wrapper(own[name], seal) for name, wrapper in wrappers.items()}
        change = await _called(self.function, own | sealed, context)
        if not isinstance(change, Change):
            raise TypeError(f"{self.name} returns {type(change).__name__}, which is no change")
        return _Placed(change, self.adaptation, chosen, context, own, seal)

    async def run(self, meant: dict[str, Any], context: Context[Any, Any]) -> Any:
        return await (await self.plan(meant, context)).apply()

    @cached_property
    def _secret_types(self) -> Mapping[str, type[Secret[Any]]]:
        return secret_types(self.function)


@dataclass(frozen=True, slots=True)
class _Placed(Change[Any]):
    """A change with what the settings of this server add to it; its secrets are opened when it is applied."""

    change: Change[Any]
    adaptation: Adaptation
    chosen: Mapping[str, str]
    context: Context[Any, Any]
    own: Mapping[str, Any]
    seal: Seal

    @property
    def is_no_op(self) -> bool:
        return self.change.is_no_op

    async def preview(self) -> Preview:
        return await placed(await self.change.preview(), self.adaptation, self.chosen, self.own, self.context)

    async def apply(self) -> Any:
        self.seal.is_open = True
        return await self.change.apply()


async def placed(
    told: Preview,
    adaptation: Adaptation,
    chosen: Mapping[str, str],
    own: Mapping[str, Any],
    context: Context[Any, Any],
) -> Preview:
    """A preview with what was chosen, because whoever agrees, agrees to that as well, and with the names of places.

    The call that undoes it is meant for the same: the organization, where there are several.
    """
    places = await adaptation.placing(context, own, told.places) if adaptation.placing else told.places
    undo = told.undo.with_arguments(chosen)
    return replace(told, facts={**chosen, **told.facts}, places={**chosen, **places}, undo=undo)


async def _called(function: Callable[..., Any], meant: dict[str, Any], context: Context[Any, Any]) -> Any:
    """Call a function with what is meant, and with what it wants injected.

    The SDK's own way to run a tool would check the arguments once more, and wrap whatever the function raises.
    """
    sdk = intake_of(function).sdk
    injected = {sdk.context_kwarg: context} if sdk.context_kwarg else {}
    if sdk.resolved_params:
        resolved = await resolve_arguments(sdk.resolved_params, sdk.resolver_plans, meant, context)
        if isinstance(resolved, InputRequiredResult):
            return resolved
        injected |= resolved
    return await sdk.fn_metadata.call_fn(function, sdk.is_async, meant, injected)
