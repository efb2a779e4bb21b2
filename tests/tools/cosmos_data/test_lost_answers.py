"""A change whose answer is lost is never sent twice: the record is looked at, and what came of it is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
from azure.core.pipeline.transport import HttpRequest

from clients.cosmos_data.failures import UnknownOutcomeError
from clients.cosmos_data.transport import SendingOnce
from tests.fakes.cosmos_data.peer import Lost
from tests.mcp_server.caller import Json
from tests.tools.cosmos_data.calling import MINE, Office, answer, office

pytestmark = pytest.mark.anyio

RECORD: Final[Json] = {"id": "1", "tenantId": MINE, "n": 1}
OTHER: Final[Json] = {**RECORD, "n": 7, "_etag": '"other"'}
PATCH: Final = [{"op": "incr", "path": "/n", "value": 1}]
# Every change, by its tool, with what is at the record's place after it.
CHANGES: Final[dict[str, tuple[str, Json, int | None]]] = {
    "insert": ("cosmos_db_insert", {"document": {"id": "new", "n": 2}}, 2),
    "replace": ("cosmos_db_update", {"id": "1", "document": {"n": 2}}, 2),
    "patch": ("cosmos_db_update", {"id": "1", "patch": PATCH}, 2),
    "delete": ("cosmos_db_delete", {"id": "1"}, None),
}
BEFORE: Final = {"insert": None, "replace": 1, "patch": 1, "delete": 1}


@pytest.fixture
async def shop() -> AsyncIterator[Office]:
    async with office() as there:
        await there.put(RECORD)
        yield there


async def arguments_of(shop: Office, change: str) -> Json:
    """What the call takes, with the etag of now."""
    etag = (await answer(shop.person(), "cosmos_db_read", id="1"))["etag"]
    shop.door.sent.clear()
    return {**CHANGES[change][1], **({} if change == "insert" else {"etag": etag})}


async def number_at(shop: Office, change: str) -> int | None:
    name = "new" if change == "insert" else "1"
    there = [record async for record in shop.database.get_container_client("prod-data").read_all_items()]
    return next((record["n"] for record in there if record["id"] == name), None)


def changes_sent(shop: Office) -> int:
    return len([sent for sent in shop.door.of_records if sent.changes])


@pytest.mark.parametrize("where", [Lost.BEFORE_ITS_ANSWER, Lost.WITHIN_ITS_ANSWER])
@pytest.mark.parametrize("change", ["insert", "replace", "delete"])
async def test_what_was_made_is_told_as_made(shop: Office, change: str, where: Lost) -> None:
    tool, _, after = CHANGES[change]
    arguments = await arguments_of(shop, change)
    shop.door.lost = [where]
    told = await answer(shop.person(), tool, **arguments)
    assert "response from Cosmos DB was lost" in told["note"]
    assert await number_at(shop, change) == after
    assert changes_sent(shop) == 1
    if "etag" in told:
        assert told["etag"] == (await answer(shop.person(), "cosmos_db_read", id=told["id"]))["etag"]


@pytest.mark.parametrize("change", CHANGES)
async def test_what_was_not_made_is_told_so_and_can_be_sent_again(shop: Office, change: str) -> None:
    tool, _, after = CHANGES[change]
    arguments = await arguments_of(shop, change)
    shop.door.lost = [Lost.BEFORE_IT]
    assert "has not changed. You can safely repeat the call" in await shop.person().told(tool, **arguments)
    assert await number_at(shop, change) == BEFORE[change]
    assert changes_sent(shop) == 1
    assert "note" not in await answer(shop.person(), tool, **arguments)
    assert await number_at(shop, change) == after


async def test_an_insert_without_an_id_is_told_the_id_by_which_it_is_made_once(shop: Office) -> None:
    shop.door.lost = [Lost.BEFORE_IT]
    told = await shop.person().told("cosmos_db_insert", document={"n": 2})
    sent = next(sent for sent in shop.door.of_records if sent.changes)
    assert f"use the id {sent.body['id']}." in told


@pytest.mark.parametrize("where", [Lost.BEFORE_ITS_ANSWER, Lost.WITHIN_ITS_ANSWER])
async def test_nobody_claims_to_know_whose_patch_it_was(shop: Office, where: Lost) -> None:
    arguments = await arguments_of(shop, "patch")
    shop.door.lost = [where]
    assert "the outcome is unknown" in await shop.person().told("cosmos_db_update", **arguments)
    assert await number_at(shop, "patch") == 2
    assert changes_sent(shop) == 1
    assert "nothing was done" in await shop.person().told("cosmos_db_update", **arguments)


@pytest.mark.parametrize("change", CHANGES)
async def test_what_somebody_else_wrote_meanwhile_is_not_taken_for_the_change(shop: Office, change: str) -> None:
    tool = CHANGES[change][0]
    arguments = await arguments_of(shop, change)
    shop.door.lost = [Lost.BEFORE_IT]
    shop.door.planned = [(200, {}, OTHER)]
    assert "the outcome is unknown" in await shop.person().told(tool, **arguments)
    assert changes_sent(shop) == 1


@pytest.mark.parametrize("status", [408, 500, 502, 503])
async def test_a_failure_of_the_service_says_nothing_of_the_change(shop: Office, status: int) -> None:
    arguments = await arguments_of(shop, "replace")
    shop.door.planned = [(status, {}, {"code": "X", "message": "hidden"}), (200, {}, {**RECORD, "n": 2, "_etag": "e"})]
    told = await answer(shop.person(), "cosmos_db_update", **arguments)
    assert told["note"]
    assert changes_sent(shop) == 1


@pytest.mark.parametrize("status", [408, 500, 503])
async def test_the_sdk_is_given_no_failure_after_which_it_sends_a_change_again(shop: Office, status: int) -> None:
    url = f"{shop.door.url}/dbs/shop/colls/prod-data/docs/1"
    failure: Any = (status, {}, {})
    shop.door.planned = [failure] * 3
    async with SendingOnce() as transport:
        with pytest.raises(UnknownOutcomeError):
            await transport.send(HttpRequest("PUT", url))
        assert (await transport.send(HttpRequest("GET", url))).status_code == status
        query = HttpRequest("POST", url, headers={"Content-Type": "application/query+json"})
        assert (await transport.send(query)).status_code == status


async def test_what_cannot_be_looked_at_is_told_as_not_known(shop: Office) -> None:
    arguments = await arguments_of(shop, "replace")
    shop.door.lost = [Lost.BEFORE_ITS_ANSWER]
    failure: Any = (403, {}, {"code": "Forbidden", "message": "hidden"})
    shop.door.planned = [failure] * 9
    told = await shop.person().told("cosmos_db_update", **arguments)
    assert "outcome of the change could not be checked" in told
    assert "hidden" not in told


async def test_what_was_never_sent_is_told_as_not_done(shop: Office) -> None:
    arguments = await arguments_of(shop, "replace")
    await shop.door.leave()
    assert "nothing was sent and nothing was done" in await shop.person().told("cosmos_db_update", **arguments)
