"""Slimming a schema takes away noise and nothing else."""

from __future__ import annotations

from typing import Annotated, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter

from mcp_server.declarations.schema import slim


class Leaf(BaseModel):
    title: str = Field(title="A title", description="What it is called")
    weight: Annotated[int, Field(ge=0)] | None = None


class Tree(BaseModel):
    leaf: Leaf
    leaves: list[Leaf] = []
    children: list[Tree] = []


JSON = st.recursive(
    st.none() | st.integers(-2, 2) | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["title", "weight", "leaf", "leaves", "children"]), inner, max_size=5)
    ),
    max_leaves=12,
)


def test_a_property_called_title_stays_while_titles_go() -> None:
    assert slim(Leaf.model_json_schema()) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "What it is called"},
            "weight": {"type": "integer", "minimum": 0},
        },
        "required": ["title"],
    }


def test_a_default_is_not_mistaken_for_a_schema() -> None:
    schema = {"type": "object", "properties": {"a": {"default": {"title": "kept"}, "enum": [{"title": "kept"}]}}}
    assert slim(schema) == schema


def test_a_definition_that_holds_itself_stays_one() -> None:
    schema = slim(Tree.model_json_schema())
    assert set(schema["$defs"]) == {"Tree"}
    assert schema["properties"]["leaf"]["properties"]["title"]["type"] == "string"


@pytest.mark.parametrize("model", [Leaf, Tree])
@given(document=JSON)
def test_what_the_full_schema_takes_the_slim_one_takes_but_for_nulls(model: type[BaseModel], document: Any) -> None:
    full = TypeAdapter(model).json_schema()
    if not _holds_null(document):
        assert _takes(full, document) == _takes(slim(full), document)


def _takes(schema: dict[str, Any], document: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(document))


def _holds_null(document: Any) -> bool:
    if isinstance(document, dict):
        return any(map(_holds_null, document.values()))
    return document is None or (isinstance(document, list) and any(map(_holds_null, document)))
