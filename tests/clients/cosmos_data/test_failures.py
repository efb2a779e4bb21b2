"""Failures of Cosmos DB are told in words to act on; hostile documents are refused before anything is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.fakes.cosmos_data.peer import ONE_RANGE
from tests.mcp_server.endpoints import approving
from tests.sweeps import Sweep
from tests.tools.cosmos_data.calling import MINE, Office, answer, office

pytestmark = pytest.mark.anyio

PATCH = [{"op": "set", "path": "/n", "value": 2}]


@pytest.fixture
async def shop() -> AsyncIterator[Office]:
    async with office() as there:
        await there.put({"id": "1", "tenantId": MINE, "n": 1, "name": "Bread"})
        # What the SDK keeps of containers is asked for first.
        await answer(there.person(), "cosmos_db_query")
        yield there


@Sweep(
    ("status", "words"),
    [
        (400, "rejected the request"),
        (401, "rejected this server's sign-in"),
        (403, "Built-in Data Contributor"),
        (404, "Record not found"),
        (409, "already"),
        (412, "nothing was done"),
        (413, "2 MB"),
        (449, "Try again in a second"),
        (408, "outcome of the change could not be checked"),
        (500, "outcome of the change could not be checked"),
        (503, "outcome of the change could not be checked"),
    ],
    every=2,
)
async def test_a_failure_of_a_change_says_what_to_do(shop: Office, status: int, words: str) -> None:
    hidden = "key=1234 at /internal/path"
    shop.door.planned += [(status, {}, {"code": "X", "message": hidden})] * 9
    told = await shop.person().told("cosmos_db_update", id="1", etag='"e"', patch=PATCH)
    assert words in told
    assert hidden not in told


@pytest.mark.parametrize(
    ("asked_for", "told"),
    [
        ({"x-ms-retry-after-ms": "90001"}, "in 91 seconds"),
        ({"x-ms-retry-after-ms": "20"}, "in 1 second."),
        ({}, "in 60 seconds"),
    ],
)
async def test_too_much_at_once_says_how_long_to_wait(shop: Office, asked_for: dict[str, str], told: str) -> None:
    shop.door.planned += [(429, asked_for, {"code": "TooManyRequests"})] * 9
    ada = shop.person()
    assert f"Try again {told}" in await ada.told("cosmos_db_query")
    assert f"Try again {told}" in await ada.told("cosmos_db_update", id="1", etag='"e"', patch=PATCH)


async def test_what_passes_by_itself_is_waited_for_and_nobody_hears_of_it(shop: Office) -> None:
    shop.door.planned += [(429, {"x-ms-retry-after-ms": "20"}, {"code": "TooManyRequests"})]
    assert (await answer(shop.person(), "cosmos_db_query"))["count"] == 1


async def test_only_of_a_select_does_the_caller_hear_what_the_service_says(shop: Office) -> None:
    answers: list[Any] = [(400, {}, {"code": "BadRequest", "message": "Syntax error near FORM"})] * 9
    shop.door.planned += answers
    assert "near FORM" in await shop.person().told("cosmos_db_select", container="prod-data", sql="SELECT * FORM c")
    shop.door.planned[:] = answers
    assert "near FORM" not in await shop.person().told("cosmos_db_query")


def deep(levels: int) -> Any:
    return {"a": deep(levels - 1)} if levels else 1


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"text": "x" * 1_000_001}, "the maximum"),
        ({"a": deep(31)}, "levels"),
        ({"n": 2**53 + 1}, "send the number as a string"),
        ({"n": -(2**64)}, "send the number as a string"),
        ({"id": 5}, "An id must be a string"),
        ({"id": "a/b"}, "An id must be a string"),
        ({"id": None}, "An id must be a string"),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_a_document_that_cannot_be_kept_as_it_is_is_refused(
    shop: Office, document: dict[str, Any], words: str
) -> None:
    shop.door.sent.clear()
    assert words in await shop.person().told("cosmos_db_insert", document=document)
    assert shop.door.of_records == []


async def test_what_the_service_writes_itself_is_left_to_it(shop: Office) -> None:
    document = {"id": "2", "_etag": "x", "_rid": "y", "_self": "z", "_ts": 1, "_attachments": "a"}
    await answer(shop.person(), "cosmos_db_insert", document=document)
    sent = next(one.body for one in shop.door.of_records if one.method == "POST" and one.path.endswith("/docs/"))
    assert shop.door.of_records[-1].body == {"id": "2", "tenantId": MINE}, sent


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "not both"),
        ({"patch": PATCH, "document": {}}, "not both"),
        ({"document": {"id": "2"}}, "id of a record cannot change"),
        ({"patch": [{"op": "move", "path": "/n"}]}, "`from`"),
        ({"patch": [{"op": "set", "path": "/n", "from": "/name", "value": 1}]}, "`from`"),
        ({"patch": [{"op": "incr", "path": "/n", "value": "1"}]}, "must be a number"),
        ({"patch": [{"op": "set", "path": "/n", "value": 2**60}]}, "send the number as a string"),
    ],
)
async def test_an_update_that_cannot_be_right_is_refused(shop: Office, arguments: dict[str, Any], words: str) -> None:
    shop.door.sent.clear()
    assert words in await shop.person().told("cosmos_db_update", id="1", etag='"e"', **arguments)
    assert shop.door.of_records == []


async def test_a_prefix_of_a_key_goes_as_the_range_of_its_tenant() -> None:
    async with office() as shop:
        rows = {"_rid": "r", "Documents": [{"id": "1", "tenantId": MINE, "region": "eu"}], "_count": 1}
        shop.door.ranges = ONE_RANGE
        shop.door.planned += [(200, {}, rows)] * 3
        told = await answer(shop.person(), "cosmos_db_query", container="orders")
        assert [one["id"] for one in told["items"]] == ["1"]
        (asked,) = shop.door.of_records
        low, high = asked.headers["x-ms-start-epk"], asked.headers["x-ms-end-epk"]
        assert high == low + "FF"
        assert asked.headers["x-ms-read-key-type"] == "EffectivePartitionKeyRange"


async def test_a_deletion_is_previewed_with_what_goes_and_done_if_that_is_still_so() -> None:
    async with office(approving()) as shop:
        await shop.put({"id": "1", "tenantId": MINE, "name": "Bread"})
        ada = shop.person()
        etag = (await answer(ada, "cosmos_db_read", id="1"))["etag"]
        told = await ada.told("cosmos_db_delete", id="1", etag=etag)
        assert "Delete the record 1 in prod-data" in told
        assert "/name removed (was Bread)" in told
        assert (await answer(ada, "cosmos_db_read", id="1"))["etag"] == etag
        assert "has changed since" in await ada.told("cosmos_db_delete", id="1", etag='"old"')
        assert not (await ada.agreed("cosmos_db_delete", id="1", etag=etag)).get("isError")
        assert "Record not found" in await ada.told("cosmos_db_read", id="1")
