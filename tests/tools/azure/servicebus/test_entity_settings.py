"""Changing the bakery's Service Bus: what waits in a queue is counted before it goes, and what is there is kept."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.running_changes import BUS, resource
from tests.tools.azure.team import ASKING, team

QUEUE: Final = f"{BUS}/queues/orders"
ORDERS: Final = {"namespace": "oven-bus", "entity": "orders"}
KITCHEN: Final = {"namespace": "oven-bus", "topic": "baked", "topic_subscription": "kitchen"}


async def test_a_queue_with_messages_takes_another_person_and_is_counted() -> None:
    azure = FakeAzure()
    resource(azure, f"{BUS}/topics/baked/subscriptions/kitchen")
    async with team(azure) as people:
        words = await refused(people.member("ada"), "delete_servicebus_entity", **ORDERS)
        shown = await people.shown(words)
    assert shown.grave == "The messages are lost permanently."
    facts = {name: shown.facts[name] for name in ("messages", "dead letters", "scheduled messages")}
    assert facts == {"messages": "10 to 99", "dead letters": "100 to 999", "scheduled messages": "1 to 9"}
    assert shown.facts["keys of the namespace"] == ["RootManageSharedAccessKey: Listen, Manage, Send"]
    assert shown.notes[0] == "Now: messages: 12, dead letters: 122, scheduled messages: 3."


@pytest.mark.parametrize(("more", "is_same"), [(5, True), (5000, False)])
async def test_a_queue_in_use_can_be_agreed_to_unless_there_is_much_more_in_it(more: int, *, is_same: bool) -> None:
    azure = FakeAzure()
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), "delete_servicebus_entity", **ORDERS)
        await people.decides("bea", words)
        resource(azure, QUEUE).properties["countDetails"]["activeMessageCount"] += more
        result = await people.member("ada").call("delete_servicebus_entity", **ORDERS)
    assert result["isError"] is not is_same
    assert (QUEUE.lower() in azure.estate.resources) is not is_same


async def test_an_empty_queue_asks_whoever_asks() -> None:
    azure = FakeAzure()
    resource(azure, QUEUE).properties["countDetails"] = dict.fromkeys(
        resource(azure, QUEUE).properties["countDetails"], 0
    )
    async with team(azure) as people:
        words = await refused(people.member("ada"), "delete_servicebus_entity", **ORDERS)
        assert not (await people.shown(words)).grave


async def test_a_topic_goes_with_its_subscriptions_and_their_messages() -> None:
    azure = FakeAzure()
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), "delete_servicebus_entity", namespace="oven-bus", entity="baked")
        shown = await people.shown(words)
    assert shown.facts["subscriptions"] == ["kitchen", "shop"]
    assert (shown.facts["messages"], shown.facts["dead letters"]) == ("100 to 999", "1 to 9")


async def test_counts_that_cannot_be_read_are_named_as_missing() -> None:
    azure = FakeAzure()
    azure.places["/queues/orders/authorizationrules"] = troubles.broken
    async with team(azure, ASKING) as people:
        words = await refused(people.member("ada"), "delete_servicebus_entity", **ORDERS)
        assert "its keys" in (await people.shown(words)).missing


async def test_an_update_keeps_all_that_it_does_not_change() -> None:
    azure = FakeAzure()
    before = dict(resource(azure, QUEUE).properties)
    async with asking(azure) as caller:
        await answered(caller, "update_servicebus_entity", **ORDERS, settings={"most_deliveries": 3})
    after = resource(azure, QUEUE).properties
    assert after["maxDeliveryCount"] == 3
    for name in ("lockDuration", "defaultMessageTimeToLive", "deadLetteringOnMessageExpiration", "countDetails"):
        assert after[name] == before[name]


async def test_a_forwarding_begins_and_ends() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        await answered(caller, "create_servicebus_entity", namespace="oven-bus", entity="rest")
        await answered(caller, "update_servicebus_entity", **ORDERS, settings={"forwards_to": "rest"})
        assert resource(azure, QUEUE).properties["forwardTo"] == "rest"
        await answered(caller, "update_servicebus_entity", **ORDERS, settings={"forwards_to": ""})
    assert "forwardTo" not in resource(azure, QUEUE).properties


async def test_what_looks_like_a_secret_is_not_written_back_as_its_mark() -> None:
    azure = FakeAzure()
    like_a_key = "Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey=aW52ZW50ZWQta2V5LW9mLXRoZS1idXM9PT0xMjM="
    resource(azure, QUEUE).properties["forwardTo"] = like_a_key
    async with asking(azure) as caller:
        told = await refused(caller, "update_servicebus_entity", **ORDERS, settings={"most_deliveries": 3})
    assert "look like secrets" in told
    assert resource(azure, QUEUE).properties["forwardTo"] == like_a_key


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("create_servicebus_entity", ORDERS, "The queue orders already exists"),
        ("create_servicebus_entity", {**ORDERS, "entity": "x", "settings": {"lock": "PT10M"}}, "maximum of '300'"),
        ("create_servicebus_entity", {**ORDERS, "entity": "x", "settings": {"lock": "5 minutes"}}, "lock"),
        ("create_servicebus_entity", {**ORDERS, "entity": "x", "settings": {"colour": "red"}}, "colour"),
        (
            "create_servicebus_entity",
            {**ORDERS, "entity": "x", "kind": "topic", "settings": {"lock": "PT1M"}},
            "A topic does not support lock",
        ),
        ("create_servicebus_entity", {**ORDERS, "entity": "none", "topic_subscription": "x"}, "404"),
        ("update_servicebus_entity", {**ORDERS, "settings": {"sessions": True}}, "only be set when a queue is created"),
        ("update_servicebus_entity", {**ORDERS, "settings": {}}, "Pass the settings to change"),
        ("set_servicebus_rule", {**KITCHEN, "rule": "x"}, "either `sql` or `equals`"),
        ("set_servicebus_rule", {**KITCHEN, "rule": "x", "sql": "nonsense"}, "cannot be parsed"),
        ("delete_servicebus_rule", {**KITCHEN, "rule": "x"}, "Its rules: only-rye"),
        (
            "update_servicebus_namespace",
            {"namespace": "oven-bus", "tier": "Premium"},
            "cannot change to or from Premium",
        ),
        ("update_servicebus_namespace", {"namespace": "oven-bus", "units": 2}, "requires the Premium tier"),
        ("update_servicebus_namespace", {"namespace": "oven-bus"}, "Pass what to change"),
    ],
)
async def test_what_cannot_be_is_refused_in_words(tool: str, arguments: dict[str, Any], words: str) -> None:
    async with asking(FakeAzure()) as caller:
        assert words in await refused(caller, tool, **arguments)


async def test_a_rule_that_changes_nothing_because_another_lets_all_through_says_so() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        await answered(caller, "set_servicebus_rule", **KITCHEN, rule="$Default", sql="1=1")
        told = await answered(caller, "set_servicebus_rule", **KITCHEN, rule="heavy", equals={"subject": "heavy"})
    assert "still matches all messages" in told["beware"]


async def test_deleting_the_last_rule_says_that_nothing_else_gets_through() -> None:
    async with team(FakeAzure(), ASKING) as people:
        words = await refused(people.member("ada"), "delete_servicebus_rule", **KITCHEN, rule="only-rye")
        shown = await people.shown(words)
    assert shown.facts["without other rules"]
    assert ("filter", "flour = 'rye' AND weight > 500", None) in [
        (one.path, one.before, one.after) for one in shown.edits
    ]


async def test_a_namespace_goes_with_all_that_is_in_it() -> None:
    azure = FakeAzure()
    async with team(azure) as people:
        words = await refused(people.member("ada"), "delete_servicebus_namespace", namespace="oven-bus")
        shown = await people.shown(words)
        assert (shown.facts["queues"], shown.facts["topics"]) == (["orders"], ["baked"])
        assert "cannot be restored" in shown.grave
        await people.decides("bea", words)
        await answered(people.member("ada"), "delete_servicebus_namespace", namespace="oven-bus")
    assert not [key for key in azure.estate.resources if key.startswith(BUS.lower())]
