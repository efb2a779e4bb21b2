"""Arguments and schemas of extensions that try to pass a check, or to make it take long."""

from __future__ import annotations

from typing import Any, Final

import pytest

from extensions.checking import problems_with

WRONG: Final[dict[str, tuple[Any, dict[str, Any] | bool]]] = {
    "a truth for a number": (True, {"type": "integer"}),
    "a truth in a list of numbers": (True, {"enum": [1, 2]}),
    "a number in a list of truths": (0, {"enum": [False]}),
    "a number for a constant truth": (1, {"const": True}),
    "a fraction": (1.5, {"type": "integer"}),
    "a text of digits": ("1", {"type": "integer"}),
    "nothing": (None, {"type": "string"}),
    "a letter of another case": ("A", {"enum": ["a"]}),
    "a letter that looks alike": ("\u0430", {"enum": ["a"]}),
    "an invisible letter": ("a\u200b", {"enum": ["a"]}),
    "a composed letter": ("e\u0301", {"enum": ["\u00e9"]}),
    "an object in another list": ({"a": [1]}, {"enum": [{"a": [True]}]}),
    "too few letters": ("", {"minLength": 1}),
    "too many entries": ([1, 2], {"maxItems": 1}),
    "an unknown name": ({"b": 1}, {"properties": {"a": {}}, "additionalProperties": False}),
    "what is missing": ({}, {"required": ["a"]}),
    "nothing allowed": (1, False),
    "none of several": (1, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    "one of all": (1, {"allOf": [{"type": "integer"}, {"minimum": 2}]}),
    "below the least": (-1e308, {"minimum": 0}),
    "deep inside": ([[["x"]]], {"items": {"items": {"items": {"type": "integer"}}}}),
}


@pytest.mark.parametrize(("value", "schema"), WRONG.values(), ids=WRONG)
def test_no_wrong_argument_passes(value: Any, schema: Any) -> None:
    assert problems_with({"value": value}, {"type": "object", "properties": {"value": schema}})
