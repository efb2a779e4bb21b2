"""Which resource, group or environment is meant by what somebody calls it."""

from __future__ import annotations

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.world import OVEN, SHOP
from tests.tools.incidents.world import SITE, SQL, Bakery, answered, asking, whats

GRAPH = "/providers/Microsoft.ResourceGraph/resources"


@pytest.mark.parametrize(
    ("said", "found_by"),
    [
        (SITE, "its id"),
        (SITE.upper().replace("/SUBSCRIPTIONS", "/subscriptions"), "its id"),
        ("SHOP-WEB", "its name"),
        ("shop.bakery.example.com", "its host name"),
        ("https://shop.bakery.example.com/cart?full=yes", "its host name"),
    ],
)
async def test_a_resource_is_found_by_its_id_its_name_and_its_host(said: str, found_by: str) -> None:
    bakery = Bakery()
    bakery.change(SITE, 10, properties__httpsOnly=(True, False))
    answer = await answered(bakery, said)
    assert answer["about"]["foundBy"] == found_by
    assert answer["items"][0]["why"].endswith("the subject itself")


async def test_a_part_of_a_name_will_do_where_only_one_application_has_it() -> None:
    answer = await answered(Bakery(), "hop-orde")
    assert (answer["about"]["id"].rpartition("/")[2], answer["about"]["foundBy"]) == (
        "shop-orders",
        "a part of its name",
    )


async def test_of_a_group_everything_in_it_counts() -> None:
    bakery = Bakery()
    bakery.change(SQL, 10, properties__publicNetworkAccess=("Enabled", "Disabled"))
    answer = await answered(bakery, "shop-prod")
    assert answer["about"]["foundBy"] == "the resource group of this name"
    assert answer["items"][0]["relation"] == "its group"
    assert (await answered(bakery, SHOP))["items"] == answer["items"]


async def test_an_azd_environment_is_all_that_has_its_tag() -> None:
    bakery = Bakery()
    for place in (SITE, SQL):
        bakery.azure.estate.resources[place.lower()].document["tags"] = {"azd-env-name": "shop-live"}
    bakery.change(SQL, 10, properties__publicNetworkAccess=("Enabled", "Disabled"))
    answer = await answered(bakery, "shop-live")
    assert answer["about"] == {
        "id": "shop-live",
        "foundBy": "the azd environment of this name",
        "name": "shop-live",
        "groups": ["network-prod"],
    }
    assert (answer["items"][0]["relation"], answer["items"][0]["on"][-8:]) == ("itself", "shop-sql")


async def test_what_was_deleted_is_found_by_the_name_that_it_had() -> None:
    bakery = Bakery()
    gone = f"{OVEN}/providers/Microsoft.Compute/virtualMachines/oven-gone"
    bakery.change(gone, 5, kind="Delete", by="grace@example.com")
    answer = await answered(bakery, "oven-gone")
    assert answer["about"]["foundBy"] == "its name; it was deleted"
    assert (answer["items"][0]["kind"], answer["items"][0]["by"]) == ("deleted", "grace@example.com")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("nowhere-to-be-found", "can see in Bakery Production, Bakery Development, Bakery Shared"),
        ("oven", "This name is ambiguous. Pass one of these ids: /subscriptions/"),
        ('x" or name contains "shop', "can see in Bakery Production"),
        ("two\nlines", "cannot contain line breaks"),
        (f"{SHOP}/providers/Microsoft.Web/sites", "This is the id of a list"),
        ("/subscriptions/8e56a298-db31-514d-b40c-0e93fafc3e6f", "a whole subscription"),
        ("/nowhere", "An id looks like"),
        ("http://[", "can see in Bakery Production"),
    ],
)
async def test_what_is_not_clear_is_refused_with_what_to_do(said: str, why: str) -> None:
    async with asking(Bakery()) as caller:
        assert why in await caller.told("what_changed", resource=said)


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ({"since": "2026-13-01"}, "`since` must be a time"),
        ({"until": "soon"}, "`until` must be a time"),
        ({"broke_at": "yesterday"}, "`broke_at` must be a time"),
        ({"since": "1h", "until": "2h"}, ""),
        ({"since": "2030-01-01"}, "`since` is after `until`"),
        ({"since": "2d", "until": "1d", "broke_at": "2h"}, "`broke_at` must be between"),
    ],
)
async def test_times_that_leave_nothing_to_look_at_are_refused(when: dict[str, str], why: str) -> None:
    async with asking(Bakery()) as caller:
        result = await caller.call("what_changed", resource="shop-web", **when)
        assert result["isError"] is bool(why)
        assert why in result["content"][0]["text"]


@pytest.mark.parametrize("said", ["shop-web", SITE, "shop-web.azurewebsites.net", "shop-prod", SHOP])
async def test_without_resource_graph_resource_manager_tells_what_is_meant(said: str) -> None:
    bakery = Bakery()
    bakery.azure.places[GRAPH] = troubles.failing(503, "ServiceUnavailable", "Later.")
    bakery.act(SITE, "Microsoft.Web/sites/stop/action", 5)
    answer = await answered(bakery, said)
    assert whats(answer)[0] == "Microsoft.Web/sites/stop/action"
    assert {one["source"] for one in answer["failed"]} >= {"resource_changes", "retirements"}
