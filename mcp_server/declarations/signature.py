"""The parameters and the return type of a declared function.

The parameters and the return type are read from the annotations on first use.

Reading the annotations loads pydantic, which is slow to import.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, Union, get_args, get_origin, get_type_hints, is_typeddict

from mcp_server.declarations.change import answer_type
from mcp_server.declarations.field import for_pydantic
from mcp_server.declarations.injection import Injection, injection_of
from mcp_server.declarations.plain_arguments import PlainParameters
from mcp_server.protocol.results import CallResult, InputRequired, JsonText

if TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter

_RENAMED: Final = "field_"


@dataclass(frozen=True)
class Signature:
    function: Callable[..., Any]

    @cached_property
    def injection(self) -> Injection:
        return injection_of(self.function)

    @cached_property
    def model(self) -> type[BaseModel]:
        """A Pydantic model of the arguments."""
        from pydantic import ConfigDict, create_model

        return create_model(
            f"{self.function.__name__}Arguments",
            __config__=ConfigDict(arbitrary_types_allowed=True),
            **dict(_field_of(parameter) for parameter in self.parameters),
        )

    @cached_property
    def parameters(self) -> list[inspect.Parameter]:
        """The parameters for which callers pass arguments."""
        parameters = inspect.signature(self.function, eval_str=True).parameters.values()
        return [parameter for parameter in parameters if parameter.name not in self.injection.names]

    @cached_property
    def schema(self) -> dict[str, Any]:
        return self.model.model_json_schema(by_alias=True)

    @cached_property
    def plain(self) -> PlainParameters:
        return PlainParameters.of(self.parameters)

    def taken(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Convert the arguments to their types.

        Raises:
            ValidationError: The arguments are invalid.
        """
        taken = self.model.model_validate(arguments)
        return {field.alias or name: getattr(taken, name) for name, field in self.model.model_fields.items()}

    @cached_property
    def answer(self) -> ReturnType:
        return ReturnType(answer_type(get_type_hints(self.function, include_extras=True).get("return")))


def _field_of(parameter: inspect.Parameter) -> tuple[str, Any]:
    """The name and the definition of the model field for a parameter.

    If the parameter has the same name as a method of Pydantic's models, the field gets another name.
    """
    from pydantic import BaseModel, Field

    default: Any = ... if parameter.default is parameter.empty else parameter.default
    annotation = for_pydantic(parameter.annotation)
    if not callable(getattr(BaseModel, parameter.name, None)):
        return parameter.name, (annotation, default)
    return f"{_RENAMED}{parameter.name}", (annotation, Field(default, alias=parameter.name))


@dataclass(frozen=True)
class ReturnType:
    """The return type of a function."""

    returned: Any

    @cached_property
    def data(self) -> Any:
        """The type of the returned data.

        Types such as CallResult are left out, because their values are not converted.
        """
        if get_origin(self.returned) not in {Union, UnionType}:
            return self.returned
        from tasks.task import Task

        # Remove the types whose values are not converted.
        data = tuple(
            kind for kind in get_args(self.returned) if kind not in {CallResult, InputRequired, JsonText, Task}
        )
        return Union[data] if data else self.returned  # noqa: UP007 - a tuple of types has no `|` form

    @cached_property
    def is_json(self) -> bool:
        """Whether the function is declared to return a JSON object."""
        return bool(self.data == dict[str, Any])

    def structured(self, value: Any) -> Any:
        """Convert the return value to JSON. A value that is not an object becomes the member `result` of an object."""
        if self.is_json:
            return value
        told = self._adapter.dump_python(self._adapter.validate_python(value), mode="json", by_alias=True)
        return told if self._is_object else {"result": told}

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(self.data)

    @cached_property
    def _is_object(self) -> bool:
        if get_origin(self.data) is dict:
            return get_args(self.data)[0] is str
        return is_typeddict(self.data) or is_dataclass(self.data) or hasattr(self.data, "model_fields")
