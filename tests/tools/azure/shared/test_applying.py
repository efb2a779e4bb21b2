"""One change is sent once, and what became of it is found out, whatever happens on the way."""

from __future__ import annotations

import pytest

from clients.azure.client import Azure
from clients.azure.cloud import cloud_named
from clients.azure.connection import AzureConnection
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from refusal import Refusal
from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident, Trouble
from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.fakes.transport import HastyTransport
from tools.azure.shared.applying import AppliedChange, OutcomeCheck, SeenOutcome, change, gone, holding, made

SITE = ResourceId.of(f"{SHOP}/providers/Microsoft.Web/sites/shop-web")
NEW = ResourceId.of(f"/subscriptions/{PRODUCTION}/resourceGroups/bread")
CALL = "show_resource(resource_id=...)"
VERSION = "2024-07-01"
LOST = [troubles.cut_connection, troubles.cut_body, troubles.broken, troubles.gateway_timeout, troubles.no_json]


def creating() -> AzureRequest:
    return of_id("PUT", NEW, body={"location": "westeurope"}, version=VERSION)


def look_at_new() -> OutcomeCheck:
    return OutcomeCheck(of_id("GET", NEW, version=VERSION), made, CALL)


def deleting(place: ResourceId = NEW) -> tuple[AzureRequest, OutcomeCheck]:
    version = {"version": VERSION} if place is NEW else {}
    return of_id("DELETE", place, **version), OutcomeCheck(of_id("GET", place, **version), gone, CALL)


def sent(bakery: FakeAzure, method: str) -> int:
    return len([one for one in bakery.asked if one.method == method])


async def create(azure: Azure) -> AppliedChange:
    return await change(azure, creating(), look_at_new())


async def test_what_was_done_is_told_with_what_is_there(azure: Azure) -> None:
    done = await create(azure)
    assert done.document["name"] == "bread"
    assert done.answer(created="bread") | {"untrusted": ""} == {"untrusted": "", "created": "bread", "status": "done"}


@pytest.mark.parametrize("trouble", LOST)
async def test_a_lost_answer_to_what_was_done_is_found_out(azure: Azure, bakery: FakeAzure, trouble: Trouble) -> None:
    bakery.accidents.append(Accident("PUT", "bread", trouble, is_done=True))
    done = await create(azure)
    assert done.document["name"] == "bread"
    assert "the change was applied" in done.note
    assert sent(bakery, "PUT") == 1


@pytest.mark.parametrize("trouble", LOST)
async def test_a_lost_answer_to_what_was_not_done_is_told_as_that(
    azure: Azure, bakery: FakeAzure, trouble: Trouble
) -> None:
    bakery.accidents.append(Accident("PUT", "bread", trouble))
    with pytest.raises(Refusal, match=r"most likely not applied.*check: show_resource"):
        await create(azure)
    assert sent(bakery, "PUT") == 1


async def test_where_one_cannot_look_either_nothing_is_claimed(azure: Azure, bakery: FakeAzure) -> None:
    bakery.accidents.append(Accident("PUT", "bread", troubles.cut_connection, is_done=True))
    bakery.accidents += [Accident("GET", "bread", troubles.broken)] * 40
    with pytest.raises(Refusal, match=r"outcome is unknown.*current state first: show_resource"):
        await create(azure)
    assert sent(bakery, "PUT") == 1


async def test_what_was_never_sent_was_not_done() -> None:
    async def authorize(_scope: str) -> str:
        return "Bearer invented"

    async with AzureConnection(transport=HastyTransport()) as connection:
        nobody = Azure(connection, cloud_named("http://127.0.0.1:9"), authorize)
        with pytest.raises(Refusal, match="Nothing was sent, so nothing was done"):
            await create(nobody)


async def test_what_changed_meanwhile_is_told_so(azure: Azure, bakery: FakeAzure) -> None:
    bakery.accidents.append(Accident("PUT", "bread", troubles.failing(412, "PreconditionFailed", "etag mismatch")))
    with pytest.raises(Refusal, match="changed in the meantime, so nothing was done"):
        await create(azure)


@pytest.mark.parametrize("status", [400, 403, 404, 409])
async def test_what_azure_refuses_is_told_as_it_says(azure: Azure, bakery: FakeAzure, status: int) -> None:
    bakery.accidents.append(Accident("PUT", "bread", troubles.failing(status, "NotLikeThis", "Not like this.")))
    with pytest.raises(Refusal, match="NotLikeThis"):
        await create(azure)
    assert sent(bakery, "GET") == 0


async def test_what_takes_azure_longer_is_followed_to_its_end(azure: Azure, bakery: FakeAzure) -> None:
    await create(azure)
    done = await change(azure, *deleting())
    assert not done.is_under_way
    assert NEW.key not in bakery.estate.groups


async def test_the_outcome_of_a_change_with_too_large_a_response_is_found_out(
    azure: Azure, bakery: FakeAzure, monkeypatch: pytest.MonkeyPatch
) -> None:
    bakery.accidents.append(Accident("PUT", "bread", troubles.endless_body, is_done=True))
    monkeypatch.setattr("clients.replies.LARGEST_REPLY", 100_000)
    done = await create(azure)
    assert (done.document["name"], sent(bakery, "PUT")) == ("bread", 1)


async def test_what_does_not_end_in_time_is_under_way_and_says_how_to_look(azure: Azure, bakery: FakeAzure) -> None:
    await create(azure)
    bakery.work.never_ends = True
    told = (await change(azure, *deleting())).answer(deleting=NEW.text)
    assert told["status"] == "under way"
    assert told["look_again"] == CALL
    assert "Do not repeat the call" in told["note"]
    assert sent(bakery, "DELETE") == 1


async def test_where_one_cannot_follow_one_looks_at_the_thing_itself(azure: Azure, bakery: FakeAzure) -> None:
    await create(azure)
    bakery.places["/operationresults/"] = troubles.failing(404, "OperationNotFound", "No such operation.")
    told = (await change(azure, *deleting())).answer()
    assert told["status"] == "under way"
    assert "The progress of the change could not be read" in told["note"]


async def test_work_that_fails_is_told_with_its_reason(azure: Azure, bakery: FakeAzure) -> None:
    await create(azure)
    bakery.places["/operationresults/"] = troubles.failing(409, "InUse", "Something holds it.")
    with pytest.raises(Refusal, match=r"409 InUse.*Check the current state with show_resource"):
        await change(azure, *deleting())


@pytest.mark.parametrize(
    ("found", "seen"),
    [
        (None, SeenOutcome.NOT_DONE),
        ({"tags": {"a": "1"}}, SeenOutcome.NOT_DONE),
        ({"tags": {"A": "2"}, "location": "westeurope"}, SeenOutcome.DONE),
        (
            {"tags": {"a": "2"}, "location": "West Europe", "properties": {"provisioningState": "Updating"}},
            SeenOutcome.UNDER_WAY,
        ),
        ({"tags": {"a": "3"}, "location": "westeurope"}, SeenOutcome.UNCLEAR),
    ],
)
def test_what_was_sent_is_looked_for_in_what_there_is(found: dict[str, object] | None, seen: SeenOutcome) -> None:
    judge = holding({"tags": {"a": "2"}, "location": "westEurope"}, before={"tags": {"a": "1"}})
    assert judge(found) is seen
