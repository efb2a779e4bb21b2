"""Changing the bakery's Cosmos DB: what is fixed at creation, what deletes items, and how they are restored."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.running_changes import RECIPES, at_work, count_recipes, resource
from tests.tools.azure.team import ASKING, team

BREADS: Final = {"account": "oven-recipes", "database": "recipes", "container": "breads"}
BATCHES: Final = {"account": "oven-recipes", "database": "baking", "container": "batches"}
ROLLS: Final = {**BREADS, "container": "rolls"}
PLACE: Final = f"{RECIPES}/sqlDatabases/recipes/containers"


async def test_a_container_is_deleted_by_another_person_with_its_items_counted_and_what_brings_it_back() -> None:
    azure = at_work()
    async with team(azure) as people:
        words = await refused(people.member("ada"), "delete_cosmosdb_container", **BREADS)
        shown = await people.shown(words)
    assert (shown.facts["items"], shown.facts["MiB of data"]) == ("1,000 to 9,999", "10 to 99")
    assert "within 8 hours" in str(shown.facts["recovery"])
    assert "Azure support" in shown.grave
    assert shown.notes == ["Last measured: 4,120 items, 80.0 MiB."]


async def test_what_is_backed_up_continuously_asks_whoever_asks() -> None:
    azure = at_work()
    policy = {"type": "Continuous", "continuousModeProperties": {"tier": "Continuous30Days"}}
    resource(azure, RECIPES).properties["backupPolicy"] = policy
    async with team(azure) as people:
        words = await refused(people.member("ada"), "delete_cosmosdb_container", **BREADS)
        shown = await people.shown(words)
    assert not shown.grave
    assert "Continuous30Days" in str(shown.facts["recovery"])


async def test_sizes_that_cannot_be_read_are_named_as_missing() -> None:
    azure = at_work()
    azure.places["/microsoft.insights/metrics"] = troubles.failing(403, "AuthorizationFailed", "No.")
    async with team(azure, ASKING) as people:
        words = await refused(
            people.member("ada"), "delete_cosmosdb_database", account="oven-recipes", database="baking"
        )
        assert "the metrics could not be read (403" in (await people.shown(words)).missing[0]


@pytest.mark.parametrize(("more", "is_same"), [(100, True), (90_000, False)])
async def test_a_container_in_use_can_be_agreed_to_unless_there_is_much_more_in_it(more: int, *, is_same: bool) -> None:
    azure = at_work()
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), "delete_cosmosdb_container", **BREADS)
        await people.decides("bea", words)
        azure.monitor.metrics.added.clear()
        count_recipes(azure, 4120 + more)
        result = await people.member("ada").call("delete_cosmosdb_container", **BREADS)
    assert result["isError"] is not is_same


@pytest.mark.parametrize(
    ("place", "arguments", "goes"),
    [(BREADS, {"ttl": 60}, True), (BATCHES, {"ttl": 60}, True), (BATCHES, {"ttl": 9_999_999}, False)],
)
async def test_a_shorter_time_to_live_destroys(place: dict[str, str], arguments: dict[str, int], *, goes: bool) -> None:
    async with team(at_work(), ASKING) as people:
        words = await refused(people.member("ada"), "update_cosmosdb_container", **place, **arguments)
        shown = await people.shown(words)
    assert shown.destroys is goes
    assert bool(shown.grave) is goes


async def test_an_update_keeps_what_a_container_is() -> None:
    azure = at_work()
    before = dict(resource(azure, f"{PLACE}/breads").properties["resource"])
    async with asking(azure) as caller:
        await answered(caller, "update_cosmosdb_container", **BREADS, ttl=0, indexing={"indexingMode": "none"})
    after = resource(azure, f"{PLACE}/breads").properties["resource"]
    assert after["indexingPolicy"] == {"indexingMode": "none"}
    assert "defaultTtl" not in after
    assert (after["partitionKey"], after["uniqueKeyPolicy"]) == (before["partitionKey"], before["uniqueKeyPolicy"])


async def test_a_container_is_made_with_a_hierarchical_key_and_throughput_of_its_own() -> None:
    azure = at_work()
    async with asking(azure) as caller:
        await answered(
            caller, "create_cosmosdb_container", **ROLLS, partition_key=["tenant", "/day"], up_to=4000, ttl=60
        )
        listed = await answered(caller, "list_cosmosdb_containers", account="oven-recipes", container="rolls")
    (found,) = listed["items"]
    assert found["partition_key"] == ["/tenant", "/day"]
    assert found["throughput"]["up_to"] == 4000


async def test_collections_of_mongodb_have_a_shard_key() -> None:
    azure = at_work()
    account = resource(azure, RECIPES)
    account.document["kind"] = "MongoDB"
    async with asking(azure) as caller:
        await answered(caller, "create_cosmosdb_database", account="oven-recipes", database="cakes")
        await answered(
            caller,
            "create_cosmosdb_container",
            account="oven-recipes",
            database="cakes",
            container="layers",
            partition_key=["/tenant"],
        )
    made = resource(azure, f"{RECIPES}/mongodbDatabases/cakes/collections/layers").properties["resource"]
    assert made["shardKey"] == {"tenant": "Hash"}


async def test_throughput_is_moved_to_scale_by_itself_first_and_then_set() -> None:
    azure = at_work()
    async with asking(azure) as caller:
        await answered(caller, "set_cosmosdb_throughput", **BATCHES, up_to=6000)
        await answered(caller, "set_cosmosdb_throughput", **BATCHES, request_units=500)
    found = resource(azure, f"{RECIPES}/sqlDatabases/baking/containers/batches/throughputSettings/default").properties[
        "resource"
    ]
    assert found["throughput"] == 500
    assert "autoscaleSettings" not in found


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        (
            "create_cosmosdb_account",
            {"account": "oven-recipes", "resource_group": "oven-prod", "location": "x y"},
            "already",
        ),
        (
            "create_cosmosdb_account",
            {"account": "m", "resource_group": "oven-prod", "location": "westeurope"},
            "account",
        ),
        ("create_cosmosdb_database", {"account": "oven-recipes", "database": "recipes"}, "already"),
        ("create_cosmosdb_database", {"account": "oven-recipes", "database": "a/b"}, "database"),
        ("create_cosmosdb_container", {**BREADS, "partition_key": ["/a"]}, "already"),
        ("create_cosmosdb_container", {**ROLLS, "partition_key": []}, "partition_key"),
        (
            "create_cosmosdb_container",
            {**ROLLS, "partition_key": ["/a"], "up_to": 4000, "request_units": 400},
            "either",
        ),
        ("create_cosmosdb_container", {**ROLLS, "partition_key": ["/a"], "indexing": {"x": 1}}, "unknown fields: x"),
        ("update_cosmosdb_container", BREADS, "`ttl` or `indexing`"),
        ("set_cosmosdb_throughput", BATCHES, "Pass `request_units`"),
        ("set_cosmosdb_throughput", {**BREADS, "up_to": 4000}, "its database's throughput"),
        ("update_cosmosdb_account", {"account": "oven-recipes"}, "Pass at least one"),
        ("delete_cosmosdb_container", {**BREADS, "container": "none"}, "case-sensitive"),
    ],
)
async def test_what_cannot_be_is_refused_in_words(tool: str, arguments: dict[str, Any], words: str) -> None:
    async with asking(FakeAzure()) as caller:
        assert words in await refused(caller, tool, **arguments)


async def test_a_serverless_account_has_no_throughput_to_be_set() -> None:
    azure = at_work()
    resource(azure, RECIPES).properties["capabilities"] = [{"name": "EnableServerless"}]
    async with asking(azure) as caller:
        for tool, more in (("set_cosmosdb_throughput", BATCHES), ("create_cosmosdb_container", ROLLS)):
            extra: dict[str, Any] = {"partition_key": ["/a"]} if tool.startswith("create") else {}
            assert "serverless" in await refused(caller, tool, **more, **extra, request_units=400)


async def test_two_who_make_the_same_at_once_make_it_once_or_the_same() -> None:
    azure = at_work()
    async with team(azure, ASKING) as people:
        arguments = {**ROLLS, "partition_key": ["/a"]}
        words = await refused(people.member("ada"), "create_cosmosdb_container", **arguments)
        await people.decides("bea", words)
        async with asking(azure) as somebody:
            await answered(somebody, "create_cosmosdb_container", **{**arguments, "partition_key": ["/other"]})
        told = await refused(people.member("ada"), "create_cosmosdb_container", **arguments)
    assert "already" in told
    assert resource(azure, f"{PLACE}/rolls").properties["resource"]["partitionKey"]["paths"] == ["/other"]
