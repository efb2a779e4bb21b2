"""Arguments against schemas of others: as a complete validator sees it, or not at all, and never for long."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from extensions.checking import problems_with

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, "", "a", "bcd"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null"])
SCHEMAS = st.recursive(
    st.builds(lambda kind: {"type": kind}, KINDS)
    | st.builds(lambda kinds: {"type": kinds}, st.lists(KINDS, min_size=1, max_size=2, unique=True))
    | st.builds(lambda values: {"enum": values}, st.lists(VALUES, min_size=1, max_size=3))
    | st.builds(lambda least: {"minimum": least, "maxLength": 2, "minItems": 1}, st.integers(-2, 2))
    | st.booleans()
    | st.just({"$ref": "#/$defs/text"}),
    lambda inner: (
        st.builds(
            lambda known, required, more: {"properties": known, "required": required, "additionalProperties": more},
            st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            inner,
        )
        | st.builds(lambda one: {"items": one}, inner)
        | st.builds(lambda some: {"anyOf": some}, st.lists(inner, min_size=1, max_size=2))
        | st.builds(lambda some: {"allOf": some}, st.lists(inner, min_size=1, max_size=2))
    ),
    max_leaves=5,
)


@settings(max_examples=int(os.environ.get("FUZZ_SCHEMAS", "60")))
@given(VALUES, SCHEMAS)
def test_it_finds_what_a_complete_validator_finds(value: Any, schema: Any) -> None:
    root = {"type": "object", "properties": {"value": schema}, "$defs": {"text": {"type": "string"}}}
    arguments = {"value": value}
    assert bool(problems_with(arguments, root)) is not Draft202012Validator(root).is_valid(arguments)


@pytest.mark.parametrize("pair", [["a", 1], ["a"], []])
def test_a_list_that_fits_schemas_of_single_places_is_valid(pair: list[Any]) -> None:
    """`items` is then about what comes after these places."""
    prefixed = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False}
    assert problems_with({"pair": pair}, {"type": "object", "properties": {"pair": prefixed}}) == []


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"a": 1}, False),
        ([1, "a"], {"items": {"type": "integer"}}),
        ([[1, None]], {"items": {"items": {"type": "integer"}}}),
        ({"a": ["b"]}, {"properties": {"a": {"items": False}}}),
        ({"a": {"b": 1}}, {"additionalProperties": {"additionalProperties": False}}),
        ("a", {"$ref": "#/$defs/number"}),
    ],
)
def test_each_kind_of_mistake_is_found_wherever_it_is(value: Any, schema: Any) -> None:
    root = {"type": "object", "properties": {"value": schema}, "$defs": {"number": {"type": "number"}}}
    assert problems_with({"value": value}, root)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "https://elsewhere.example.com/schema"},
        {"$ref": "#/nowhere"},
        {"$ref": "elsewhere.json/$defs/a", "$defs": {"a": {"type": "integer"}}},
        {"$ref": 3},
        {"type": "hologram"},
        {"type": 3},
        {"properties": []},
        {"required": 3},
        {"enum": 3},
        {"anyOf": 3},
        {"properties": {"a": {"minimum": "x"}}},
        {"properties": {"a": {"pattern": "(a+)+$"}}},
        {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}] * 9}}, "$ref": "#/$defs/a"},
        {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}] * 9}}, "$ref": "#/$defs/a"},
    ],
)
def test_what_cannot_be_gone_by_is_not_checked(schema: dict[str, Any]) -> None:
    assert problems_with({"a": 1, "b": "a" * 40 + "!"}, schema) == []


LARGE: Final = [{"a": [f"{number}" * 20]} for number in range(100)]


@pytest.mark.parametrize(
    ("arguments", "schema"),
    [
        ({"a": ["z"] * 9000}, {"properties": {"a": {"items": {"enum": [f"v{n}" for n in range(1000)]}}}}),
        ({"a": [LARGE[-1]] * 9000}, {"properties": {"a": {"items": {"enum": LARGE}}}}),
        ({"a": [0] * 9000}, {"properties": {"a": {"items": {"anyOf": [{"enum": LARGE}] * 40}}}}),
        ({"a": [0] * 9000}, {"properties": {"a": {"items": {"type": ["string"] * 2000}}}}),
        ({"a": [{}] * 9000}, {"properties": {"a": {"items": {"required": ["b"] * 2000}}}}),
    ],
)
def test_no_schema_takes_more_than_a_bounded_number_of_comparisons(arguments: Any, schema: Any) -> None:
    compared = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal compared
        compared += event == "call"

    sys.setprofile(count)
    try:
        problems_with(arguments, schema)
    finally:
        sys.setprofile(None)
    assert compared < 400_000


def test_each_of_many_entries_is_looked_up_among_many_values() -> None:
    schema = {"properties": {"a": {"items": {"enum": [*(f"v{n}" for n in range(1000)), 1, True, ["x"]]}}}}
    assert problems_with({"a": ["v999"] * 9000}, schema) == []
    assert problems_with({"a": ["v1", 1.0, True, ["x"]]}, schema) == []
    assert len(problems_with({"a": ["v1", False, 0, ["y"], "v1000"]}, schema)) == 4
