"""What goes wrong while records are read is told, and never as fewer records; nobody goes on where another was."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import product
from typing import Any, Final

import pytest

from tests.fakes.cosmos_data.peer import ONE_RANGE, Lost
from tests.forging import altered
from tests.mcp_server.caller import Caller, Json
from tests.tools.cosmos_data.calling import MINE, THEIRS, Office, answer, office

pytestmark = pytest.mark.anyio

READS: Final[dict[str, Json]] = {
    "cosmos_db_query": {},
    "cosmos_db_select": {"container": "prod-data", "sql": "SELECT * FROM c"},
    "cosmos_db_read": {"id": "1"},
}


@pytest.fixture
async def shop() -> AsyncIterator[Office]:
    async with office() as there:
        await there.put(*({"id": str(number), "tenantId": MINE, "n": number} for number in range(5)))
        await answer(there.person(), "cosmos_db_query")
        there.door.sent.clear()
        yield there


@pytest.mark.parametrize("where", Lost)
async def test_a_connection_that_breaks_is_no_answer(shop: Office, where: Lost) -> None:
    for tool, arguments in READS.items():
        shop.door.unread = [where] * 20
        assert "does not respond" in await shop.person().told(tool, **arguments)


@pytest.mark.parametrize("where", [Lost.BEFORE_IT, Lost.BEFORE_ITS_ANSWER])
async def test_one_that_breaks_once_is_asked_again(shop: Office, where: Lost) -> None:
    shop.door.unread = [where]
    assert (await answer(shop.person(), "cosmos_db_query"))["count"] == 5


async def test_a_failure_of_the_service_is_told_without_its_words(shop: Office) -> None:
    for status, (tool, arguments) in product([408, 410, 500, 502, 503], READS.items()):
        shop.door.planned = [(status, {}, {"code": "X", "message": "hidden"})] * 20
        told = await shop.person().told(tool, **arguments)
        assert "does not respond" in told
        assert "hidden" not in told


async def test_where_a_later_page_fails_nothing_is_told_as_all(shop: Office) -> None:
    row = {"id": "1", "tenantId": MINE}
    first: Any = (200, {"x-ms-continuation": "more"}, {"_rid": "r", "Documents": [row], "_count": 1})
    failures: list[Any] = [(403, {}, {"code": "Forbidden", "message": "hidden"})] * 9
    shop.door.planned = [first, *failures]
    assert "Built-in Data Contributor" in await shop.person().told("cosmos_db_query")


def spoilt(token: str) -> list[str]:
    """The token in forms that are not it."""
    return [
        token[:-1],
        token[1:],
        altered(token),
        token + token,
        token.swapcase(),
        token[::-1],
        "more",
        "[fabrikam]",
        '{"token":"x","range":{"min":"","max":"FF"}}',
        "x" * 20_000,
        "é",
        "\x00",
    ]


async def test_a_token_that_was_changed_or_made_up_goes_nowhere(shop: Office) -> None:
    then = (await answer(shop.person(), "cosmos_db_query", max_items=2))["continuation_token"]
    shop.door.sent.clear()
    for token in spoilt(then):
        result = await shop.person().call("cosmos_db_query", max_items=2, continuation_token=token)
        assert result["isError"], token
    assert shop.door.of_records == []


async def test_a_token_is_good_for_one_caller_tenant_container_key_and_query(shop: Office) -> None:
    query = {"where": [{"field": "n", "operator": ">=", "value": 0}]}
    then = (await answer(shop.person(), "cosmos_db_query", query=query, max_items=2))["continuation_token"]
    shop.door.sent.clear()
    ada, support = shop.person(), shop.person(MINE, "Support")
    others: dict[str, tuple[Caller, Json]] = {
        "another person": (shop.person(oid="bob"), {"query": query}),
        "another tenant": (shop.person(THEIRS), {"query": query}),
        "a tenant crossed to": (support, {"query": query, "tenant_id": THEIRS}),
        "another container": (ada, {"query": query, "container": "orders"}),
        "another value": (ada, {"query": {"where": [{"field": "n", "operator": ">=", "value": 1}]}}),
        "another type of value": (ada, {"query": {"where": [{"field": "n", "operator": ">=", "value": False}]}}),
        "no conditions": (ada, {}),
    }
    for name, (who, arguments) in others.items():
        told = await who.told("cosmos_db_query", continuation_token=then, **arguments)
        assert "belongs to another query" in told, name
    select = {"container": "prod-data", "sql": "SELECT * FROM c"}
    assert "belongs to another query" in await ada.told("cosmos_db_select", continuation_token=then, **select)
    assert shop.door.of_records == []
    assert (await answer(ada, "cosmos_db_query", query=query, continuation_token=then))["count"] == 3


async def test_a_token_of_one_range_of_a_tenant_does_not_go_on_in_another(shop: Office) -> None:
    shop.door.ranges = ONE_RANGE
    await shop.put(
        *({"id": f"{region}{n}", "tenantId": MINE, "region": region} for n in range(3) for region in ("eu", "us")),
        container="orders",
    )
    ada = shop.person()
    then = (await answer(ada, "cosmos_db_query", container="orders", key=["eu"], max_items=2))["continuation_token"]
    for key in (["us"], None, []):
        told = await ada.told("cosmos_db_query", container="orders", key=key, continuation_token=then)
        assert "belongs to another query" in told
    rest = await answer(ada, "cosmos_db_query", container="orders", key=["eu"], continuation_token=then)
    assert [one["region"] for one in rest["items"]] == ["eu"]


async def test_a_level_of_a_key_is_a_text_a_number_or_a_truth_value(shop: Office) -> None:
    ada = shop.person()
    for value in ("eu", 7, 1.5, True, False, ""):
        document = {"id": f"of{value}", "region": value}
        await answer(ada, "cosmos_db_insert", container="orders", document=document)
        read = await answer(ada, "cosmos_db_read", container="orders", id=document["id"], key=[value])
        assert read["item"]["region"] == value
        assert shop.door.of_records[-1].partition == [MINE, value]


async def test_a_key_that_is_none_is_refused(shop: Office) -> None:
    keys: list[Any] = [["eu", "x"], [None], [{}], [["eu"]], "eu", ["x" * 3000]]
    for key in keys:
        result = await shop.person().call("cosmos_db_read", container="orders", id="1", key=key)
        assert result["isError"], key
    assert shop.door.of_records == []


async def test_a_record_keeps_the_levels_of_its_key(shop: Office) -> None:
    ada = shop.person()
    made = await answer(ada, "cosmos_db_insert", container="orders", document={"id": "1", "region": "eu"})
    change = {"container": "orders", "id": "1", "etag": made["etag"]}
    patch = [{"op": "set", "path": "/region", "value": "us"}]
    assert "cannot be changed" in await ada.told("cosmos_db_update", **change, key=["eu"], patch=patch)
    # A document says itself where it belongs. The peer knows a record by its tenant and id alone.
    shop.door.planned = [(404, {}, {"code": "NotFound"})]
    assert "Record not found" in await ada.told("cosmos_db_update", **change, document={"region": "us"})
    assert shop.door.of_records[-1].partition == [MINE, "us"]
    assert (await answer(ada, "cosmos_db_read", container="orders", id="1", key=["eu"]))["etag"] == made["etag"]
    assert "2048 bytes" in await ada.told("cosmos_db_insert", container="orders", document={"region": "x" * 3000})
