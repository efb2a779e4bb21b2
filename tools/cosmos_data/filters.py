"""Compiles conditions on fields of records to SQL. Every value is passed as a query parameter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from clients.cosmos_data.documents import Compiled
from refusal import Refusal

_FIELD: Final = re.compile(r"[^\W\d][\w$@-]{0,99}(?:\[\d{1,4}\])?")
_MOST_LEVELS: Final = 10
_MOST_VALUES: Final = 50
_LONGEST: Final = 1000
_COMPARED: Final = {"=": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_FUNCTIONS: Final = {"contains": "CONTAINS", "starts_with": "STARTSWITH", "ends_with": "ENDSWITH"}

Operator = Literal[
    "=", "!=", "<", "<=", ">", ">=", "in", "contains", "starts_with", "ends_with", "has_element", "exists", "is_null"
]
FieldName = Annotated[str, Field(max_length=300, description="E.g. address.city or lines[0].sku")]


# Each type of value has its own schema, because many clients reject schemas without a type or with several types.
_SCALARS: Final = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]
_LIST: Final = {"type": "array", "items": {"anyOf": _SCALARS}}
Value = Annotated[Any, Field(json_schema_extra={"anyOf": [*_SCALARS, _LIST, {"type": "null"}]})]


class Condition(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    field: FieldName
    operator: Operator = "="
    # A string, number or boolean, or a list of these. The schema is short, because values are validated later.
    value: Value = None


class RecordOrder(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    field: FieldName
    descending: bool = False


class Filter(BaseModel):
    """Records that meet all conditions in `where` and at least one in `any_of`, if given."""

    model_config = ConfigDict(extra="forbid", strict=True)

    where: Annotated[list[Condition], Field(max_length=20)] = []
    any_of: Annotated[list[Condition], Field(max_length=20)] = []
    order: Annotated[list[RecordOrder], Field(max_length=2)] = []


def compiled(wanted: Filter) -> Compiled:
    """Compile this filter to the conditions and the sort order of an SQL query."""
    made = _Compiling()
    conditions = [made.condition(one) for one in wanted.where]
    if wanted.any_of:
        conditions.append(f"({' OR '.join(made.condition(one) for one in wanted.any_of)})")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    orders = [f"{_path(one.field)} {'DESC' if one.descending else 'ASC'}" for one in wanted.order]
    order = f" ORDER BY {', '.join(orders)}" if orders else ""
    # SQL injection is impossible: field names are validated, and values are query parameters.
    return Compiled(text=f"SELECT * FROM c{where}{order}", parameters=made.parameters)  # noqa: S608 - said above


class _Compiling:
    def __init__(self) -> None:
        self.parameters: list[dict[str, Any]] = []

    def condition(self, one: Condition) -> str:
        field, operator, value = _path(one.field), one.operator, one.value
        if operator == "exists":
            return f"{'' if value in (None, True) else 'NOT '}IS_DEFINED({field})"
        if operator == "is_null":
            return f"{'' if value in (None, True) else 'NOT '}IS_NULL({field})"
        if operator == "in":
            return f"{field} IN ({', '.join(self._values(one))})"
        if isinstance(value, list) or value is None:
            raise Refusal(f"`{operator}` takes one value. Use `in` for several values, and `is_null` for no value.")
        return self._compared(field, one)

    def _compared(self, field: str, one: Condition) -> str:
        placed = self._placed(one.value)
        if one.operator in _COMPARED:
            return f"{field} {_COMPARED[one.operator]} {placed}"
        if one.operator == "has_element":
            return f"ARRAY_CONTAINS({field}, {placed})"
        if not isinstance(one.value, str):
            raise Refusal(f"`{one.operator}` takes a string.")
        return f"{_FUNCTIONS[one.operator]}({field}, {placed}, true)"

    def _values(self, one: Condition) -> Iterator[str]:
        if not isinstance(one.value, list) or not 0 < len(one.value) <= _MOST_VALUES:
            raise Refusal(f"`in` takes a list of 1 to {_MOST_VALUES} values.")
        return (self._placed(value) for value in one.value)

    def _placed(self, value: Any) -> str:
        if not isinstance(value, str | int | float | bool | None) or len(str(value)) > _LONGEST:
            raise Refusal(f"A value must be a string of up to {_LONGEST} characters, a number or a boolean.")
        name = f"@v{len(self.parameters)}"
        self.parameters.append({"name": name, "value": value})
        return name


def _path(field: str) -> str:
    parts = field.split(".")
    if len(parts) > _MOST_LEVELS or not all(map(_FIELD.fullmatch, parts)):
        raise Refusal(
            f"A field name has 1 to {_MOST_LEVELS} parts, separated by dots, for example address.city or lines[0].sku."
            " Each part starts with a letter or _, and contains letters, digits, _, $, @ and -."
        )
    return "c" + "".join(_steps(parts))


def _steps(parts: list[str]) -> Iterator[str]:
    for part in parts:
        name, bracket, index = part.partition("[")
        yield f"[{json.dumps(name)}]" + (f"[{int(index[:-1])}]" if bracket else "")
