"""What is accepted without pydantic is what pydantic accepts as it is, and that is most of it."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field as PydanticField
from pydantic import TypeAdapter

from mcp_server.declarations.field import Field, Schema
from mcp_server.declarations.plain_arguments import PlainParameters

NO = "left to pydantic"


def parameter(annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter("a", inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def taken(annotation: Any, value: Any) -> Any:
    found = PlainParameters.of([parameter(annotation)]).taken({"a": value})
    return NO if found is None else found["a"]


SHORT = Annotated[str, Field(min_length=2, max_length=3)]
FEW = Annotated[list[str], Field(min_length=1, max_length=2)]
PERCENT = Annotated[int, Field(ge=0, le=100)]
OPTIONAL = Annotated[str | None, Field(min_length=2)]


@pytest.mark.parametrize(
    ("annotation", "accepted", "left"),
    [
        (str, ["", "a", "ä", "\U0001f600"], [1, None, b"a", "\ud800"]),
        (bool, [True, False], [1, 0, "true", None]),
        (int, [0, -5, 2**70], [True, 1.0, "1", None]),
        (float, [0.5, -1.0], [1, float("nan"), float("inf"), "0.5", True]),
        (None | str, [None, "a"], [1]),
        (int | str, [], [1, "a"]),
        (Literal["a", "b"], ["a", "b"], ["c", 1, None]),
        (Literal[1, 2], [], [1, 2]),
        (list[str], [[], ["a", "b"]], [["a", 1], ("a",), "a", {"a": 1}]),
        (list[int], [[1, 2]], [[True], [1.0]]),
        (list[list[str]], [], [[["a"]]]),
        (dict[str, Any], [{}, {"a": [1]}], [{1: "a"}, [], {"\ud800": 1}]),
        (dict[str, str], [], [{"a": "b"}]),
        (SHORT, ["ab", "abc"], ["a", "abcd", 5]),
        (FEW, [["a"], ["a", "b"]], [[], ["a", "b", "c"]]),
        (PERCENT, [0, 100], [-1, 101, 5.0]),
        (OPTIONAL, [None, "ab"], ["a"]),
        (Annotated[str, Schema({})], ["a"], [1]),
        (Annotated[str, Field(pattern="a+")], [], ["a"]),
        (Annotated[str, "unknown"], [], ["a"]),
        (Annotated[str, PydanticField(max_length=5)], [], ["a"]),
        (bytes, [], [b"a"]),
    ],
    ids=str,
)
def test_what_needs_no_pydantic_is_taken_as_it_is(annotation: Any, accepted: list[Any], left: list[Any]) -> None:
    for value in accepted:
        found = taken(annotation, value)
        assert (found, type(found)) == (value, type(value))
    for value in left:
        assert taken(annotation, value) == NO


@pytest.mark.parametrize("annotation", [str, bool, int, float, str | None, Literal["a"], list[str], dict[str, Any]])
@pytest.mark.parametrize("value", ["", "a", 1, 1.5, True, None, [], ["a"], [1], {}, {"a": 1}, {"a": None}])
def test_pydantic_takes_it_unchanged(annotation: Any, value: Any) -> None:
    found = taken(annotation, value)
    if found != NO:
        assert TypeAdapter(annotation).validate_python(value) == found == value


def test_a_list_is_copied_so_that_a_tool_cannot_change_what_was_sent() -> None:
    for annotation, value in ((list[str], ["a"]), (dict[str, Any], {"a": 1})):
        assert taken(annotation, value) is not value


def test_what_is_missing_has_its_default_or_is_left_to_pydantic() -> None:
    parameters = PlainParameters.of([parameter(int, 5), parameter(str).replace(name="b")])
    assert parameters.taken({"b": "x"}) == {"a": 5, "b": "x"}
    assert parameters.taken({"a": 6, "b": "x"}) == {"a": 6, "b": "x"}
    assert parameters.taken({"a": 6}) is None
    assert parameters.taken({"b": "x", "c": 1}) is None
