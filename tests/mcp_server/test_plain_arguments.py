"""Arguments that are accepted without pydantic are those that pydantic accepts, and become the same values."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from math import inf, nan
from typing import Annotated, Any, Final, Literal, get_args

from mcp_server.declarations.field import Field, Schema
from mcp_server.declarations.function_tool import FunctionTool, TypedIntake
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.declarations.outlined import OutlinedTool
from tools import TOOLSETS

_ODD: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 20, 10**30, 0.0, 1.0, 0.5, -0.0, 1e300, inf, -inf, nan),
    *(
        "",
        "a",
        " ",
        "é",
        "0",
        "1.5",
        "true",
        "null",
        "[]",
        "{}",
        '["a"]',
        '{"a": 1}',
        "high",
        "\ud800",
        "\0",
        "\U0001f600",
    ),
    *([], ["a"], [""], ["a", 1], [None], [1, 2], [True], [["a"]], ["\udfff"], [1.5, nan]),
    *({}, {"a": 1}, {"a": {"b": []}}, {1: "a"}, {"\ud800": 1}),
)
_TYPES: Final = (
    *(
        str,
        int,
        float,
        bool,
        str | None,
        int | None,
        list[str],
        list[int] | None,
        dict[str, Any],
        str | int,
        str | bool,
    ),
    *(list[str] | str, float | int, Literal["a", "high"], Literal["a", 1], Literal["high"] | None, list[list[str]]),
    *(Annotated[str, Field(min_length=1, max_length=3)], Annotated[int | None, Field(ge=1, le=20, description="Most")]),
    *(Annotated[list[str], Field(max_length=1)], Annotated[str | None, Field(pattern="^a$")] | None),
    *(Annotated[dict[str, Any], Schema({"type": "object"})] | None, list[Annotated[str, Field(min_length=1)]]),
)


def _taking(annotation: Any) -> TypedIntake:
    def function(**_given: Any) -> None: ...

    parameter = inspect.Parameter("value", inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
    function.__signature__ = inspect.Signature([parameter])  # type: ignore[attr-defined]
    return TypedIntake(function)


def _annotations() -> Iterator[Any]:
    yield from _TYPES
    for toolset in TOOLSETS:
        for tool in toolset.tools:
            declared = tool.real if isinstance(tool, OutlinedTool) else tool
            if isinstance(declared, FunctionTool):
                yield from (one.annotation for one in TypedIntake(declared.function).signature.parameters)


def _is_same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other) and type(one) is type(other)


def _values_around(annotation: Any) -> Iterator[Any]:
    """Odd values, and texts, lists and numbers around each bound."""
    yield from _ODD
    for bound in _bounds(annotation):
        for near in (bound - 1, bound, bound + 1):
            yield near
            if 0 <= near < 20_000:
                yield from ("x" * near, ["x"] * near)


def _bounds(annotation: Any) -> Iterator[int]:
    for mark in getattr(annotation, "__metadata__", ()):
        if isinstance(mark, Field):
            yield from (int(one) for one in (mark.min_length, mark.max_length, mark.ge, mark.le) if one is not None)


def _differences(annotation: Any) -> Iterator[str]:
    intake = _taking(annotation)
    for value in _values_around(annotation):
        plain = intake.signature.plain.taken({"value": value})
        if plain is not None:
            try:
                validated = intake.check({"value": value}, intake.schema)
            except InvalidArgumentsError as invalid:
                validated = {"value": invalid}
            if not _is_same(plain["value"], validated["value"]):
                yield f"{annotation}: {str(value)[:50]!r} became {plain!r}, with pydantic {validated!r}"[:500]


def test_whatever_is_accepted_as_it_is_pydantic_accepts_unchanged() -> None:
    annotations = list(_annotations())
    assert len(annotations) > 1000
    assert [difference for one in annotations for difference in _differences(one)] == []


def test_most_parameters_need_no_pydantic() -> None:
    """Each has a value that is accepted as it is: null, a short text, a number, a list or a choice."""
    annotations = list(_annotations())
    plain = [one for one in annotations if _is_plain(one)]
    assert len(plain) > 0.75 * len(annotations)


def _is_plain(annotation: Any) -> bool:
    plain = _taking(annotation).signature.plain
    return any(
        plain.taken({"value": value}) is not None for value in (*_values_around(annotation), *_choices(annotation))
    )


def _choices(annotation: Any) -> Iterator[Any]:
    for part in get_args(annotation):
        yield from (part,) if isinstance(part, str) else _choices(part)
