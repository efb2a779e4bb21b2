"""Records are read and changed as those of the caller's tenant, against a server that heeds partition keys."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.forging import altered
from tests.tools.cosmos_data.calling import MINE, THEIRS, Office, answer, office

pytestmark = pytest.mark.anyio


@pytest.fixture
async def shop() -> AsyncIterator[Office]:
    async with office() as there:
        yield there


async def test_a_record_is_inserted_read_patched_replaced_and_deleted(shop: Office) -> None:
    ada = shop.person()
    made = await answer(ada, "cosmos_db_insert", document={"id": "1", "name": "Bread", "_ts": 3})
    assert made["id"] == "1"
    assert made["created_at"]
    read = await answer(ada, "cosmos_db_read", id="1")
    assert read["item"]["tenantId"] == MINE
    patched = await answer(
        ada, "cosmos_db_update", id="1", etag=read["etag"], patch=[{"op": "set", "path": "/name", "value": "Rye"}]
    )
    assert patched["updated_at"]
    replaced = await answer(ada, "cosmos_db_update", id="1", etag=patched["etag"], document={"name": "Bun"})
    assert (await answer(ada, "cosmos_db_read", id="1"))["item"]["name"] == "Bun"
    gone = await answer(ada, "cosmos_db_delete", id="1", etag=replaced["etag"])
    assert gone["deleted_at"]
    assert "Record not found" in await ada.told("cosmos_db_read", id="1")


async def test_an_id_is_made_where_none_is_given(shop: Office) -> None:
    made = await answer(shop.person(), "cosmos_db_insert", document={"name": "Bread"})
    assert (await answer(shop.person(), "cosmos_db_read", id=made["id"]))["item"]["name"] == "Bread"


async def test_an_insert_never_writes_over_a_record(shop: Office) -> None:
    await shop.put({"id": "1", "tenantId": MINE})
    assert "already" in await shop.person().told("cosmos_db_insert", document={"id": "1"})


async def test_a_change_of_what_has_changed_meanwhile_is_refused(shop: Office) -> None:
    await shop.put({"id": "1", "tenantId": MINE, "n": 1})
    ada = shop.person()
    patch = [{"op": "incr", "path": "/n", "value": 1}]
    old = (await answer(ada, "cosmos_db_read", id="1"))["etag"]
    await answer(ada, "cosmos_db_update", id="1", etag=old, patch=patch)
    for arguments in ({"patch": patch}, {"document": {"n": 9}}):
        assert "nothing was done" in await ada.told("cosmos_db_update", id="1", etag=old, **arguments)
    assert "nothing was done" in await ada.told("cosmos_db_delete", id="1", etag=old)
    assert (await answer(ada, "cosmos_db_read", id="1"))["item"]["n"] == 2


async def test_pages_go_on_where_they_ended_and_for_nobody_else(shop: Office) -> None:
    await shop.put(*({"id": str(number), "tenantId": MINE, "n": number} for number in range(7)))
    query = {"order": [{"field": "n"}]}
    ada = shop.person()
    first = await answer(ada, "cosmos_db_query", query=query, max_items=4)
    then = first["continuation_token"]
    second = await answer(ada, "cosmos_db_query", query=query, max_items=4, continuation_token=then)
    assert [one["n"] for one in first["items"] + second["items"]] == [*range(7)]
    assert second["continuation_token"] is None
    other = "belongs to another query"
    bob = shop.person(oid="bob")
    assert other in await bob.told("cosmos_db_query", query=query, continuation_token=then)
    assert other in await shop.person(THEIRS).told("cosmos_db_query", query=query, continuation_token=then)
    assert other in await ada.told("cosmos_db_query", continuation_token=then)
    assert other in await ada.told("cosmos_db_query", query=query, continuation_token=altered(then))


async def test_conditions_and_order_are_heeded(shop: Office) -> None:
    await shop.put(
        {"id": "1", "tenantId": MINE, "name": "Rye", "price": 3, "address": {"city": "Bern"}, "tags": ["a"]},
        {"id": "2", "tenantId": MINE, "name": "Bun", "price": 1, "address": {"city": "Basel"}, "gone": None},
    )

    async def ids(**query: object) -> list[str]:
        return [one["id"] for one in (await answer(shop.person(), "cosmos_db_query", query=query))["items"]]

    assert await ids(where=[{"field": "address.city", "value": "Bern"}]) == ["1"]
    assert await ids(where=[{"field": "price", "operator": "<", "value": 2}]) == ["2"]
    assert await ids(where=[{"field": "name", "operator": "in", "value": ["Rye", "Nan"]}]) == ["1"]
    assert await ids(where=[{"field": "tags", "operator": "has_element", "value": "a"}]) == ["1"]
    assert await ids(where=[{"field": "gone", "operator": "exists"}]) == ["2"]
    assert await ids(any_of=[{"field": "price", "value": 3}, {"field": "price", "value": 1}]) == ["1", "2"]
    assert await ids(order=[{"field": "price", "descending": True}]) == ["1", "2"]


async def test_containers_are_told_with_their_key_and_the_shape_of_own_records(shop: Office) -> None:
    await shop.put(
        {"id": "1", "tenantId": MINE, "price": 3, "address": {"city": "Bern"}},
        {"id": "2", "tenantId": MINE, "price": "3"},
        {"id": "3", "tenantId": THEIRS, "salary": 1},
    )
    told = {one["name"]: one for one in (await answer(shop.person(), "cosmos_db_containers"))["containers"]}
    assert told["prod-data"]["partition_key"] == ["/tenantId"]
    assert told["prod-data"]["fields"] == {
        "id": "text",
        "tenantId": "text",
        "price": "number or text",
        "address.city": "text (1 of 2)",
    }
    assert "not partitioned by tenant" in told["stray"]["problem"]


async def test_a_key_of_several_levels_is_asked_for_whole_where_one_record_is_meant(shop: Office) -> None:
    ada = shop.person()
    await answer(ada, "cosmos_db_insert", container="orders", document={"id": "1", "region": "eu"})
    assert shop.door.of_records[-1].partition == [MINE, "eu"]
    read = await answer(ada, "cosmos_db_read", container="orders", id="1", key=["eu"])
    assert read["item"]["region"] == "eu"
    assert "more levels" in await ada.told("cosmos_db_read", container="orders", id="1")
    assert "must be a string, number or boolean" in await ada.told(
        "cosmos_db_insert", container="orders", document={"id": "2"}
    )


async def test_a_large_row_is_named_and_not_shown(shop: Office) -> None:
    await shop.put(*({"id": str(number), "tenantId": MINE, "text": "x" * 150_000} for number in range(2)))
    told = await answer(shop.person(), "cosmos_db_query")
    assert told["count"] == 1
    assert [one["id"] for one in told["too_large_here"]] == ["1"]
    assert told["bytes"] <= 200_000
    assert told["request_units"] > 0


async def test_a_query_that_costs_too_much_stops_and_can_go_on(shop: Office) -> None:
    await shop.put({"id": "1", "tenantId": MINE})
    more = {"x-ms-continuation": "later", "x-ms-request-charge": "600"}
    shop.door.planned += [(200, more, {"Documents": [{"id": "1", "tenantId": MINE}], "_count": 1, "_rid": "x"})]
    told = await answer(shop.person(), "cosmos_db_query")
    assert told["request_units"] == 600
    assert told["pages"] == 1
    assert told["continuation_token"]
