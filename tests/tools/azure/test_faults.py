"""Whatever goes wrong between Azure and a tool is told in words, within bounds, and no change is made twice."""

from __future__ import annotations

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.people import NOBODY, READER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Trouble
from tests.fakes.azure.world import OVEN, SHOP
from tests.tools.azure.inventing import asking, refused

GROUP = SHOP.rpartition("/")[2]


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (troubles.throttled_for_reads, "is throttling requests (429 SubscriptionRequestsThrottled)."),
        (troubles.throttled_for_reads, "Try again in 17 seconds."),
        (troubles.throttled_for_cost, "Try again in 11 seconds."),
        (troubles.throttled_without_saying, "Try again in a few minutes."),
        (troubles.busy, "is busy with another operation (429 RetryableErrorDueToAnotherOperation)."),
        (troubles.broken, "is not available (500 InternalServerError)."),
        (troubles.unavailable, "Try again in 3 seconds."),
        (troubles.bad_gateway, "is not available (502). Try again"),
        (troubles.gateway_timeout, "is not available (504 GatewayTimeout)."),
        (troubles.unauthorized, "does not accept the sign-in (401 InvalidAuthenticationToken)."),
        (troubles.expired, "does not accept the sign-in (401 ExpiredAuthenticationToken)."),
        (troubles.garbled, "could not be reached"),
        (troubles.no_json, "could not be reached"),
        (troubles.cut_connection, "could not be reached"),
        (troubles.cut_body, "could not be reached"),
        (troubles.endless_body, "is too large"),
        (troubles.looping, "keeps returning the same page of this list"),
        (troubles.paging_to("https://elsewhere.example/x"), "links to another host. Such links are not followed"),
        (
            troubles.failing(409, "ScopeLocked", f"scope(s) are locked: '{SHOP}'."),
            f"A lock on {SHOP} prevents this request",
        ),
    ],
)
async def test_a_trouble_is_told_in_words(trouble: Trouble, words: str) -> None:
    azure = FakeAzure()
    azure.places[SHOP] = trouble
    async with asking(azure) as caller:
        told = await refused(caller, "read_azure", path=f"{SHOP}/resources")
    assert words in told
    assert "incident" not in told.lower()


@pytest.mark.parametrize(
    ("tool", "arguments", "place"),
    [
        ("list_apps", {}, "/providers/Microsoft.Web/sites"),
        ("show_app", {"app": f"{SHOP}/providers/Microsoft.Web/sites/shop-web"}, "/sites/shop-web"),
        ("list_app_deployments", {"app": f"{SHOP}/providers/Microsoft.Web/sites/shop-web"}, "/deployments"),
        ("list_cosmosdb_accounts", {}, "/databaseAccounts"),
        ("list_cosmosdb_databases", {"account": "oven-recipes"}, "/sqlDatabases"),
        ("list_cosmosdb_containers", {"account": "oven-recipes"}, "/sqlDatabases"),
        ("show_servicebus_namespace", {"namespace": "oven-bus"}, "/queues"),
        ("show_servicebus_entity", {"namespace": "oven-bus", "entity": "orders"}, "/queues"),
        ("find_dead_letters", {}, "/queues"),
        ("peek_servicebus_messages", {"namespace": "oven-bus", "entity": "orders"}, "/queues"),
    ],
)
async def test_what_runs_is_told_to_be_throttled(tool: str, arguments: dict[str, str], place: str) -> None:
    azure = FakeAzure()
    azure.places[place] = troubles.throttled_for_reads
    if tool == "list_apps":
        azure.places |= dict.fromkeys(("/containerApps", "/managedClusters"), troubles.throttled_for_reads)
    async with asking(azure) as caller:
        assert "is throttling requests (429" in await refused(caller, tool, **arguments)


async def test_a_trouble_that_passes_is_not_told() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        for trouble in (troubles.broken, troubles.cut_body, troubles.throttled(Retry_After="1"), troubles.bad_gateway):
            azure.troubles.append(trouble)
            assert not (await caller.call("show_resource_group", resource_group=GROUP))["isError"]


async def test_what_is_not_permitted_says_which_role_would_do_and_not_who_asked() -> None:
    async with asking(FakeAzure(), who=READER) as caller:
        told = await refused(caller, "read_azure", path=OVEN)
    assert f"The request requires the role 'Reader' on {OVEN}" in told
    assert "Privileged Identity Management" in told
    assert READER.id not in told
    assert READER.name not in told


async def test_whoever_may_see_nothing_is_told_so() -> None:
    async with asking(FakeAzure(), who=NOBODY) as caller:
        assert "You cannot see any subscription" in await refused(caller, "list_resource_groups")


async def test_an_operation_that_never_ends_is_left() -> None:
    azure = FakeAzure()
    azure.work.never_ends = True
    async with asking(azure) as caller:
        told = await refused(caller, "export_resource_group_template", resource_group=GROUP)
    assert "is still working on the operation. Check again in a minute." in told
    assert len([one for one in azure.asked if one.method == "POST" and "exporttemplate" in one.path.lower()]) == 1
    assert len(azure.asked) < 80
