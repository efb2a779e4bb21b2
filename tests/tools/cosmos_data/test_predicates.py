"""Fifty predicates more that read other tenants where they are put into the text of a query: none does here."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from tests.tools.cosmos_data.calling import MINE, THEIRS, Office, office
from tests.tools.cosmos_data.predicates import KNOWN, MORE

pytestmark = pytest.mark.anyio

HIDDEN = "nobody else's"
BAIT = {"id": "bait", "tenantId": THEIRS, "n": 1, "name": HIDDEN, "tags": ["a"]}


@pytest.fixture
async def shop() -> AsyncIterator[Office]:
    async with office() as there:
        await there.put(BAIT, {"id": "own", "tenantId": MINE, "n": 1, "name": "mine", "tags": ["a"]})
        yield there


def put_into_text(predicate: str) -> str:
    return f"SELECT * FROM c WHERE c.tenantId = '{MINE}' AND ({predicate})"  # noqa: S608 - the mistake that is shown


def alone(predicate: str) -> str:
    return put_into_text(predicate).replace(f"c.tenantId = '{MINE}' AND ", "")


async def test_each_of_them_leaks_where_it_is_put_into_the_text_of_a_query(shop: Office) -> None:
    container = shop.database.get_container_client("prod-data")
    for predicate in MORE:
        found = [one["id"] async for one in container.query_items(put_into_text(predicate))]
        assert "bait" in found, predicate
    assert len(set(MORE) - set(KNOWN)) >= 50


async def test_none_of_them_leaks_here(shop: Office) -> None:
    ada = shop.person()
    for predicate in [*KNOWN, *MORE]:
        shop.door.sent.clear()
        value = {"field": "name", "operator": "contains", "value": predicate}
        told = [
            await ada.call("cosmos_db_select", container="prod-data", sql=put_into_text(predicate)),
            await ada.call("cosmos_db_select", container="prod-data", sql=alone(predicate)),
            await ada.call("cosmos_db_query", query={"where": [value], "any_of": [value]}),
            await ada.call("cosmos_db_query", query={"where": [{"field": predicate, "value": 1}]}),
            await ada.call("cosmos_db_read", id=predicate),
        ]
        assert HIDDEN not in json.dumps(told), predicate
        assert all(one.partition == [MINE] for one in shop.door.of_records), predicate
