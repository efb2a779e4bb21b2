"""Reading the bakery's Service Bus: what is in it, and where dead letters pile up."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.people import READER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN, PRODUCTION
from tests.tools.azure.inventing import answered, asking, refused
from tools.azure.settings import AzureSettings

BUS: Final = f"{OVEN}/providers/Microsoft.ServiceBus/namespaces/oven-bus"


async def asked(tool: str, **arguments: Any) -> dict[str, Any]:
    async with asking(FakeAzure()) as caller:
        return await answered(caller, tool, **arguments)


@pytest.mark.parametrize("named", ["oven-bus", "Oven-Bus", BUS])
async def test_a_namespace_is_shown_with_what_is_in_it(named: str) -> None:
    found = await asked("show_servicebus_namespace", namespace=named)
    assert found["queues"][0]["messages"]["dead_letters"] == 122
    assert found["topics"] == [{"name": "baked", "subscriptions": 2}]


async def test_dead_letters_are_found_over_all_namespaces_the_most_first() -> None:
    found = await asked("find_dead_letters")
    assert [(one["path"], one["dead_letters"]) for one in found["items"]] == [
        ("orders", 122),
        ("baked/subscriptions/shop", 5),
    ]
    assert found["dead_letters"] == 129


async def test_dead_letters_that_grow_are_counted_anew() -> None:
    azure = FakeAzure()
    queue = azure.estate.resources[f"{BUS}/queues/orders".lower()]
    async with asking(azure) as caller:
        before = await answered(caller, "find_dead_letters", namespace="oven-bus")
        queue.properties["countDetails"]["deadLetterMessageCount"] += 30
        after = await answered(caller, "find_dead_letters", namespace="oven-bus")
    assert after["dead_letters"] == before["dead_letters"] + 30


async def test_a_topic_that_fails_is_named_and_the_rest_is_counted() -> None:
    azure = FakeAzure()
    azure.places["/topics/baked/subscriptions"] = troubles.broken
    async with asking(azure) as caller:
        found = await answered(caller, "find_dead_letters")
    assert found["dead_letters"] == 122
    assert [one["names"] for one in found["notRead"]] == [["oven-bus/baked"]]


async def test_rules_say_which_messages_a_subscription_gets() -> None:
    place = {"namespace": "oven-bus", "entity": "baked"}
    kitchen = await asked("show_servicebus_entity", **place, topic_subscription="kitchen")
    assert kitchen["rules"] == [
        {"name": "only-rye", "sql": "flour = 'rye' AND weight > 500", "action": "SET oven = 'big'"}
    ]
    shop = await asked("show_servicebus_entity", **place, topic_subscription="shop")
    assert shop["rules"][0]["equals"] == {"label": "order", "properties": {"shop": "main"}}


async def test_what_there_is_not_says_where_names_are() -> None:
    async with asking(FakeAzure()) as caller:
        told = await refused(caller, "show_servicebus_entity", namespace="oven-bus", entity="cakes")
    assert "Use show_servicebus_namespace to list the queues and topics" in told


async def test_out_of_a_lock_no_dead_letters_are_counted() -> None:
    settings = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({"shop-prod"}))
    azure = FakeAzure()
    async with asking(azure, settings=settings) as caller:
        assert (await answered(caller, "find_dead_letters"))["items"] == []
        await refused(caller, "find_dead_letters", namespace=BUS)
    assert [one.path for one in azure.asked if "/queues" in one.path] == []


async def test_who_may_not_see_it_is_told_which_role_would_do() -> None:
    async with asking(FakeAzure(), who=READER) as caller:
        assert "The request requires the role 'Reader'" in await refused(
            caller, "show_servicebus_namespace", namespace=BUS
        )
