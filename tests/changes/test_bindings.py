"""To what exactly somebody agrees: to this call, as it was shown, once."""

from __future__ import annotations

import math
from typing import Any

import pytest

from changes.approval_request import RequiredApprover
from changes.plan import Plan
from changes.preview import Edit, Preview
from changes.rule import Rule
from changes.rules import Rules, unknown_places
from identity.access import Access
from tests.mcp_server.caller import Caller, code_in
from tests.mcp_server.endpoints import approving, new_endpoint

LIKE_ONE_ANOTHER: list[tuple[Any, Any]] = [
    ({"a": 1}, [["a", 1]]),
    ({}, []),
    ({"a": {"b": []}}, {"a": {"b": {}}}),
    (["a", "b"], ["b", "a"]),
    ("1", 1),
    (True, "true"),
    ("a", ["a"]),
    ("", None),
    (math.inf, None),
    (-math.inf, math.inf),
    (math.nan, None),
]


def plan(value: object = "it", access: str = "destroy", **preview: Any) -> Plan:
    return Plan.of("yard", "fell", access, {"value": value}, Preview(**{"what": "An oak", **preview}))


@pytest.mark.parametrize(("one", "another"), LIKE_ONE_ANOTHER)
def test_other_arguments_are_another_call_however_alike_they_look(one: object, another: object) -> None:
    assert plan(one).call != plan(another).call


def test_the_order_of_names_makes_no_other_call() -> None:
    assert plan({"a": 1, "b": {"c": 2, "d": 3}}).call == plan({"b": {"d": 3, "c": 2}, "a": 1}).call


def test_what_only_writes_is_not_agreed_to_as_what_destroys() -> None:
    assert plan(access="write").digest != plan(access="destroy").digest


@pytest.mark.parametrize("before", [None, 7, True, ["a"], "text"])
def test_of_several_edits_at_one_place_each_counts(before: Any) -> None:
    edits = [Edit("links", before, "x"), Edit("links", None, "y"), Edit("links", "text", "z")]
    assert plan(edits=edits).digest == plan(edits=edits[::-1]).digest
    assert plan(edits=edits).digest != plan(edits=edits[:2]).digest


@pytest.mark.parametrize("name", ["prod [eu]", "prod?", "[!p]rod", "what?*"])
def test_in_a_pattern_nothing_but_a_star_stands_for_something_else(name: str) -> None:
    rules = Rules([Rule(RequiredApprover.ANOTHER, places={"environment": [name]})])
    there = Preview(what="it", places={"environment": name})
    assert rules.need(Plan.of("yard", "fell", "destroy", {}, there), Access.DESTROY).asks is RequiredApprover.ANOTHER
    beside = Preview(what="it", places={"environment": name.replace("?", "!").replace("[", "(")})
    assert rules.need(Plan.of("yard", "fell", "destroy", {}, beside), Access.DESTROY).asks is RequiredApprover.CALLER


async def test_the_word_of_a_model_is_good_once_though_what_comes_next_is_quite_alike() -> None:
    caller = Caller(new_endpoint(approvals=approving()), "all")
    code = code_in(await caller.told("brick_up_door", room="attic"))
    assert not (await caller.call("brick_up_door", room="attic", confirm=code))["isError"]
    told = await caller.told("brick_up_door", room="attic", confirm=code)
    assert "does not match the current preview" in told
    assert code_in(told) != code


@pytest.mark.parametrize("place", ["project", "organization"])
async def test_of_a_tool_that_looks_nothing_up_a_rule_for_some_place_counts(place: str) -> None:
    """It might be there."""
    rule = Rule(
        RequiredApprover.ANOTHER, tools=frozenset({("office-doors", "open_door")}), places={place: ["production"]}
    )
    caller = Caller(new_endpoint(approvals=approving(rules=Rules([rule]))), "all")
    assert "Another person must approve" in await caller.told("open_door", room="attic")


async def test_of_a_tool_that_looks_nothing_up_no_rule_for_some_place_spares_the_question() -> None:
    rules = [
        Rule(RequiredApprover.NOBODY, places={"project": ["*"]}),
        Rule(RequiredApprover.CALLER, tools=frozenset({("office-doors", "open_door")})),
    ]
    caller = Caller(new_endpoint(approvals=approving(rules=Rules(rules))), "all")
    assert "The user must approve" in await caller.told("open_door", room="attic")


async def test_a_tool_that_takes_no_word_of_a_model_is_decided_at_the_page() -> None:
    rule = Rule(RequiredApprover.CALLER, tools=frozenset({("office-doors", "open_door")}))
    caller = Caller(new_endpoint(approvals=approving(rules=Rules([rule]))), "all")
    told = await caller.told("open_door", room="attic")
    assert "confirm" not in told
    assert "/changes/" in told


@pytest.mark.parametrize(
    ("parameters", "unknown"),
    [
        (["text"], {"organization", "project"}),
        (["repository", "sourceBranch"], {"organization", "project", "repository", "branch"}),
        (["environmentId"], {"organization", "project", "environment"}),
        (["resource_group", "subscription"], {"organization", "project", "resource-group", "subscription", "tag:"}),
    ],
)
def test_what_nobody_looked_into_may_be_wherever_its_parameters_could_name(
    parameters: list[str], unknown: set[str]
) -> None:
    places = unknown_places(parameters)
    assert {*places} == unknown
    for place in ("branch", "tag:environment"):
        rules = Rules([Rule(RequiredApprover.ANOTHER, places={place: ["production"]})])
        needed = rules.need(Plan.of("yard", "fell", "write", {}, Preview(what="it", places=places)), Access.WRITE)
        may_be_there = place == "branch" or "tag:" in unknown
        assert needed.asks is (RequiredApprover.ANOTHER if may_be_there else RequiredApprover.NOBODY)
