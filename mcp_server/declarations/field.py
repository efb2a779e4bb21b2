"""Describes a tool's parameter in its annotation: `Annotated[str, Field(description="Name or id")]`.

Pydantic is not imported at startup, because importing it would make startup take 25 % longer. Tools therefore use this
class instead of Pydantic's `Field`. Instances of this class are converted to Pydantic's class when Pydantic is needed.
Fields of Pydantic models still use Pydantic's `Field`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import GenericAlias, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, Union, get_args, get_origin

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field:
    description: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    ge: float | None = None
    le: float | None = None
    # A regular expression in the syntax of Rust's regex crate, which Pydantic uses.
    pattern: str | None = None
    # Keys to add to the JSON schema of the type.
    json_schema_extra: dict[str, Any] | None = None

    def __get_pydantic_core_schema__(self, *_given: object) -> NoReturn:
        """Raise an error if Pydantic uses this object without conversion.

        Without this error, Pydantic would ignore the object.
        """
        raise TypeError("This Field works only for parameters of functions. In models, use pydantic's Field.")

    def for_pydantic(self) -> FieldInfo:
        from pydantic import fields as pydantic_fields

        given = {one.name: getattr(self, one.name) for one in fields(self)}
        info: FieldInfo = pydantic_fields.Field(**{name: value for name, value in given.items() if value is not None})
        return info


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """A JSON schema for a type, which replaces the schema that Pydantic derives from the type."""

    schema: Mapping[str, Any]

    def for_pydantic(self) -> Any:
        from pydantic import WithJsonSchema

        return WithJsonSchema(dict(self.schema))


def for_pydantic(annotation: Any) -> Any:
    """Replace the classes of this module in an annotation with Pydantic's classes."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is None or origin is Literal:
        return annotation
    if origin is Annotated:
        kind, *marks = arguments
        converted_marks = [mark.for_pydantic() if isinstance(mark, Field | Schema) else mark for mark in marks]
        return Annotated[for_pydantic(kind), *converted_marks]
    converted = tuple(map(for_pydantic, arguments))
    if all(new is old for new, old in zip(converted, arguments, strict=True)):
        return annotation
    if origin in {Union, UnionType}:
        return Union[converted]  # noqa: UP007 - a tuple of types has no `|` form
    return GenericAlias(origin, converted)
