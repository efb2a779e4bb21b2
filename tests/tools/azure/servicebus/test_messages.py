"""Messages of the bakery's Service Bus are looked at over AMQP, and nothing happens to them by that."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.fakes.azure.bus.link import Told
from tests.fakes.azure.people import DEVELOPER, OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION
from tests.tools.azure.inventing import answered, asking, refused
from tools.azure.settings import AzureSettings

# Microsoft's client says this to its HTTP library where there is no TLS, which is in tests only.
pytestmark = pytest.mark.filterwarnings("ignore:ssl=None is deprecated:DeprecationWarning")

ORDERS: Final = {"namespace": "oven-bus", "entity": "orders"}
DEAD: Final = {**ORDERS, "dead_letters": True}
PEEK: Final = "peek_servicebus_messages"
REASON: Final = {"DeadLetterReason": "MaxDeliveryCountExceeded", "DeadLetterErrorDescription": "It failed ten times."}


def at_work(*texts: str | bytes, place: str = "orders/$deadletterqueue", **about: Any) -> FakeAzure:
    azure = FakeAzure()
    azure.bus.messages.clear()
    azure.bus.put(f"oven-bus/{place}", *texts, **about)
    return azure


async def told(azure: FakeAzure, **arguments: Any) -> str:
    async with asking(azure) as caller:
        return await refused(caller, PEEK, **arguments)


async def test_dead_letters_are_shown_with_why_they_failed() -> None:
    azure = at_work('{"order": 1}', deliveries=10, subject="order", properties={**REASON, "shop": "main"})
    async with asking(azure) as caller:
        found = await answered(caller, PEEK, **DEAD)
    (one,) = found["items"]
    assert found["waiting"] == 122
    assert one == {
        "sequence_number": 1,
        "id": "message-1",
        "enqueued": "2026-11-22T08:00:00Z",
        "expires": "2026-12-06T08:00:00Z",
        "deliveries": 10,
        "reason": "MaxDeliveryCountExceeded",
        "description": "It failed ten times.",
        "subject": "order",
        "properties": {"shop": "main"},
        "text": '{"order": 1}',
    }


async def test_why_orders_die_at_the_bakery_is_found_in_two_steps() -> None:
    async with asking(FakeAzure()) as caller:
        worst = (await answered(caller, "find_dead_letters"))["items"][0]
        found = await answered(caller, PEEK, namespace=worst["namespace"], entity=worst["path"], dead_letters=True)
    assert [one["reason"] for one in found["items"]] == [*["MaxDeliveryCountExceeded"] * 2, "Unreadable"]
    assert [one["text"] for one in found["items"]][-1] == "not even JSON"


async def test_nothing_is_delivered_locked_or_settled_by_looking() -> None:
    azure = at_work("a", place="orders")
    async with asking(azure) as caller:
        await answered(caller, PEEK, **ORDERS)
    (link,) = azure.bus.links
    assert link.credit == {"orders": 0}
    assert link.settled == []
    assert [one.properties.get("operation") for one in azure.bus.asked] == ["put-token", "com.microsoft:peek-message"]
    assert azure.bus.asked[1].value == {"from-sequence-number": 1, "message-count": 5}


async def test_it_is_asked_in_the_name_of_who_asks() -> None:
    azure = at_work("a")
    async with asking(azure) as caller:
        await answered(caller, PEEK, **DEAD)
    signing_in = azure.bus.asked[0]
    who = azure.people.of(signing_in.value)
    assert (signing_in.node, signing_in.properties["type"]) == ("$cbs", "jwt")
    assert who is not None
    assert who[0] == OWNER


async def test_one_goes_on_where_one_was() -> None:
    azure = at_work(*"abcdefg")
    async with asking(azure) as caller:
        first = await answered(caller, PEEK, **DEAD, max_results=5)
        rest = await answered(caller, PEEK, **DEAD, max_results=5, beginning=first["next"])
    assert [one["text"] for one in (*first["items"], *rest["items"])] == list("abcdefg")
    assert "next" not in rest


async def test_dead_letters_of_a_subscription_are_found_in_it() -> None:
    azure = at_work("rye", place="baked/Subscriptions/shop/$deadletterqueue")
    async with asking(azure) as caller:
        place = {"namespace": "oven-bus", "entity": "baked", "topic_subscription": "shop", "dead_letters": True}
        found = await answered(caller, PEEK, **place)
    assert [one["text"] for one in found["items"]] == ["rye"]


async def test_texts_are_bounded_and_secrets_in_them_withheld() -> None:
    connection = "Endpoint=sb://x/;SharedAccessKey=c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"
    azure = at_work(
        f'{{"connection": "{connection}"}}', "long " * 2000, b"\xff\x00\xfe", properties={"password": "hunter22"}
    )
    async with asking(azure) as caller:
        found = await answered(caller, PEEK, **DEAD)
    assert "c2VjcmV0" not in json.dumps(found)
    assert "hunter22" not in json.dumps(found)
    assert [len(one["text"]) for one in found["items"][1:]] == [2000, len("[3 bytes, not text]")]
    assert found["items"][1]["cut"] == "of 10000 characters"


async def test_where_none_are_nothing_is_asked() -> None:
    azure = at_work("a", place="orders")
    azure.estate.resources[next(one for one in azure.estate.resources if one.endswith("/queues/orders"))].properties[
        "countDetails"
    ] = {"activeMessageCount": 0}
    async with asking(azure) as caller:
        assert (await answered(caller, PEEK, **ORDERS))["items"] == []
    assert azure.bus.links == []


async def test_who_lacks_the_role_is_told_which_would_do() -> None:
    azure = at_work("a")
    azure.bus.receivers = {DEVELOPER.id}
    assert "'Azure Service Bus Data Receiver' on the namespace" in await told(azure, **DEAD)


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (Told(401, "No.", "amqp:unauthorized-access"), "do not have permission to read oven-bus/orders"),
        (Told(404, "Gone.", "amqp:not-found"), "cannot read oven-bus/orders"),
        (Told(503, "Busy.", "com.microsoft:server-busy"), "is throttling requests"),
        (Told(500, "Broken.", "amqp:internal-error"), "could not be read"),
    ],
)
async def test_a_trouble_is_told_in_words(trouble: Told, words: str) -> None:
    azure = at_work("a")
    azure.bus.trouble = trouble
    assert words in await told(azure, **DEAD)


async def test_sessions_are_not_locked_to_look_into_them() -> None:
    azure = at_work("a", place="orders")
    azure.bus.put("oven-bus/orders/$deadletterqueue", "b")
    next(one for one in azure.estate.resources.values() if one.id.endswith("/queues/orders")).properties[
        "requiresSession"
    ] = True
    assert "uses sessions" in await told(azure, **ORDERS)
    assert azure.bus.links == []
    async with asking(azure) as caller:
        assert (await answered(caller, PEEK, **DEAD))["count"] == 1


async def test_a_topic_keeps_none() -> None:
    assert "Pass `topic_subscription`" in await told(at_work(), namespace="oven-bus", entity="baked")


async def test_a_namespace_cannot_lead_its_readers_elsewhere() -> None:
    azure = at_work("a")
    async with asking(azure) as caller:
        bus = next(one for one in azure.bus.namespaces() if one.document["name"] == "oven-bus")
        bus.properties["serviceBusEndpoint"] = "https://elsewhere.example:443/"
        assert "not in this cloud" in await refused(caller, PEEK, **DEAD)
    assert azure.bus.links == []


@pytest.mark.parametrize("group", ["shop-prod", f"{PRODUCTION}/network-prod"])
async def test_out_of_a_lock_nobody_connects(group: str) -> None:
    azure = at_work("a")
    settings = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({group}))
    async with asking(azure, settings=settings) as caller:
        await refused(caller, PEEK, **DEAD)
    assert azure.bus.links == []
