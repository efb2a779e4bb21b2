"""Whether something is true of a resource, not, or cannot be told; and that a query never leaves out what may be."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from retirements.conditions import ResourceCondition, Truth, finding_of
from retirements.mapping import products
from tests.fakes.azure.graph.operators import Query, Table
from tests.sweeps import Sweep

VALUES = st.sampled_from(["1.0", "1.1", "1.2", "Storage", "StorageV2", "Standard_B2s", "azure", "", None, True])


def truth(condition: ResourceCondition, resource: dict[str, Any], *, is_whole: bool = True) -> Truth:
    return condition.finding(resource, is_whole=is_whole).truth


def test_a_value_is_one_of_those_wanted_whatever_its_case() -> None:
    tls = ResourceCondition("properties.minTls", ("1.0", "1.1"))
    assert truth(tls, {"properties": {"MinTls": "1.0"}}) is Truth.YES
    assert truth(tls, {"properties": {"minTls": "1.2"}}) is Truth.NO
    assert truth(tls, {"properties": {}}) is Truth.UNKNOWN


def test_what_azure_leaves_out_is_not_so_only_where_the_path_says_that_and_all_was_read() -> None:
    addon = ResourceCondition("properties.addon.enabled", ("true",), is_absent_no=True)
    assert truth(addon, {}) is Truth.NO
    assert truth(addon, {}, is_whole=False) is Truth.UNKNOWN
    assert truth(addon, {"properties": {"addon": {"enabled": True}}}) is Truth.YES


def test_any_element_of_a_list_is_enough() -> None:
    pools = ResourceCondition("properties.pools[].os", ("~^flat",), is_absent_no=True)
    assert truth(pools, {"properties": {"pools": [{"os": "Ubuntu"}, {"os": "Flatcar"}]}}) is Truth.YES
    assert truth(pools, {"properties": {"pools": [{"os": "Ubuntu"}, {}]}}) is Truth.NO
    protocols = ResourceCondition("properties.protocols[]", ("SSTP",))
    assert truth(protocols, {"properties": {"protocols": ["OpenVPN", "sstp"]}}) is Truth.YES


def test_a_negation_holds_where_nothing_is_there() -> None:
    linux = ResourceCondition("kind", ("~linux",), is_negated=True)
    assert truth(linux, {"kind": "app"}) is Truth.YES
    assert truth(linux, {}) is Truth.YES
    assert truth(linux, {"kind": "app,linux"}) is Truth.NO


def test_one_that_is_not_so_counts_more_than_one_that_is_not_known() -> None:
    both = [ResourceCondition("kind", ("a",)), ResourceCondition("sku.name", ("b",))]
    assert finding_of(both, {"kind": "x"}).truth is Truth.NO
    unknown = finding_of(both, {"kind": "a"})
    assert (unknown.truth, unknown.why) == (Truth.UNKNOWN, "Resource Graph does not show sku.name")


SCALARS = sorted(
    {
        one
        for entry in products().entries
        for concerned in entry.concerned
        for one in concerned.conditions
        if one.in_query()
    },
    key=lambda one: (one.path, one.wanted),
)


@Sweep("condition", SCALARS, ids=lambda one: f"{one.path}-{one.wanted[0]}", every=3)
@settings(max_examples=25)
@given(value=VALUES | st.text(max_size=20))
def test_a_query_finds_whatever_may_be_affected(condition: ResourceCondition, value: Any) -> None:
    root, *path = condition.path.split(".")
    inner: Any = value
    for name in reversed(path):
        inner = {name: inner}
    row = {root: inner}
    table = Query.run(f"t | where {condition.in_query()}", lambda _: Table([root], [row]))
    if truth(condition, row) is not Truth.NO:
        assert table.rows == [row]
