"""What a function takes and returns is read off its annotations, by the names that clients know."""

from __future__ import annotations

from typing import Annotated, Any, cast

import pytest
from pydantic import BaseModel, Field, ValidationError

from identity.access import Access
from mcp_server.declarations.field import Field as Limited
from mcp_server.declarations.signature import ReturnType, Signature
from mcp_server.declarations.toolset import Toolset
from mcp_server.protocol.results import CallResult


class Cake(BaseModel):
    made_at: Annotated[str, Field(alias="madeAt")]


CAKE = Cake.model_validate({"madeAt": "noon"})


def bake(cake: str, copy: int = 2, json: bool = False) -> Cake:  # two names of methods of models
    """Bake."""
    raise NotImplementedError


def test_parameters_keep_names_that_models_have_for_methods() -> None:
    signature = Signature(bake)
    assert [*signature.schema["properties"]] == ["cake", "copy", "json"]
    assert signature.schema["required"] == ["cake"]
    assert signature.taken({"cake": "plum", "copy": "3"}) == {"cake": "plum", "copy": 3, "json": False}
    with pytest.raises(ValidationError):
        signature.taken({"copy": 3})


@pytest.mark.parametrize(
    ("returned", "value", "structured", "is_json"),
    [
        (Cake, CAKE, {"madeAt": "noon"}, False),
        (list[Cake], [CAKE], {"result": [{"madeAt": "noon"}]}, False),
        (Cake | CallResult, CAKE, {"madeAt": "noon"}, False),
        (str, "x", {"result": "x"}, False),
        (dict[str, Any], {"a": 1}, {"a": 1}, True),
        (dict[str, Any] | CallResult, {"a": 1}, {"a": 1}, True),
    ],
)
def test_an_answer_is_an_object_by_the_names_that_clients_know(
    returned: Any, value: Any, structured: Any, is_json: bool
) -> None:
    kind = ReturnType(returned)
    assert (kind.structured(value), kind.is_json) == (structured, is_json)


def test_a_function_that_only_gives_finished_results_has_no_other_type() -> None:
    assert ReturnType(CallResult).data is CallResult
    assert Signature(bake).answer.data is Cake


async def test_a_preview_function_returns_a_preview_and_a_change_function_a_change() -> None:
    kitchen, context = Toolset("kitchen", "A kitchen."), cast("Any", None)

    def burn() -> None:
        """Burn it."""

    async def frost() -> Any:
        """Frost it."""

    kitchen.tool(Access.DESTROY, previewed=lambda: "It is gone.")(burn)
    kitchen.change(Access.WRITE)(frost)
    burning, frosting = kitchen.tools
    with pytest.raises(TypeError, match="burn returns something other than a preview"):
        await burning.preview({}, context)
    with pytest.raises(TypeError, match="frost returns NoneType, not a change"):
        await frosting.plan({}, context)


def test_a_resource_is_cached_for_a_day_unless_its_declaration_says_otherwise() -> None:
    kitchen = Toolset("kitchen", "A kitchen.")
    kitchen.resource("kitchen://recipes", name="Recipes")(lambda: "")
    kitchen.resource("kitchen://oven", name="Oven", ttl_ms=1)(lambda: "")
    assert [one.ttl_ms for one in kitchen.resources] == [86_400_000, 1]


def weigh(
    weights: list[Annotated[int, Limited(ge=1)]], names: dict[str, Annotated[str, Limited(max_length=2)]] | None = None
) -> None:
    """Weigh."""


def test_marks_within_lists_and_objects_count() -> None:
    signature = Signature(weigh)
    assert signature.schema["properties"]["weights"]["items"] == {"type": "integer", "minimum": 1}
    assert signature.taken({"weights": [1], "names": {"a": "ab"}})["weights"] == [1]
    for wrong in ({"weights": [0]}, {"weights": [1], "names": {"a": "abc"}}):
        with pytest.raises(ValidationError):
            signature.taken(wrong)
