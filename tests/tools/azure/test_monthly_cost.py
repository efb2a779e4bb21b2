"""What a change costs a month is shown by the public list, where that is simple; and nothing fails without it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from changes.preview import Preview
from changes.summary import Summary
from tests.fakes.azure import troubles
from tests.fakes.azure.price_list import FakePriceList
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import SHOP
from tests.tools.azure.inventing import NAME, refused
from tests.tools.azure.resource_changes.planted import _DEPLOYING
from tests.tools.azure.running_changes import PLAN, WEB
from tests.tools.azure.team import ASKING, team
from tools.azure.settings import AzureSettings

MACHINE: Final = f"{SHOP}/providers/Microsoft.Compute/virtualMachines/till"


async def shown(
    tool: str, prices: FakePriceList, azure: FakeAzure | None = None, *, shows: bool = True, **arguments: Any
) -> Preview:
    settings = AzureSettings(subscription=NAME, shows_prices=shows)
    async with team(azure or FakeAzure(), ASKING, settings=settings, fetch_prices=prices.fetch) as them:
        return await them.shown(await refused(them.member("ada"), tool, **arguments))


def planned(*changes: Mapping[str, Any]) -> FakeAzure:
    azure = FakeAzure()
    answer = {"status": "Succeeded", "properties": {"changes": list(changes)}}
    azure.places["/whatIf"] = troubles.answering(200, json.dumps(answer).encode())
    return azure


def plan(size: str, capacity: int = 1, **more: Any) -> dict[str, Any]:
    document = {"id": PLAN, "name": "shop-plan", "type": "Microsoft.Web/serverfarms", "location": "West Europe"}
    return {**document, "sku": {"name": size, "capacity": capacity}, **more}


def machine(size: str = "Standard_D2s_v5", system: str = "Linux", **more: Any) -> dict[str, Any]:
    properties = {"hardwareProfile": {"vmSize": size}, "storageProfile": {"osDisk": {"osType": system}}, **more}
    kind = "Microsoft.Compute/virtualMachines"
    return {"id": MACHINE, "name": "till", "type": kind, "location": "westeurope", "properties": properties}


def created(document: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"resourceId": document["id"], "changeType": "Create", "after": document}


async def test_scaling_a_plan_shows_what_it_costs_instead() -> None:
    preview = await shown("scale_app", FakePriceList(), app=WEB, sku="P2v3", instances=3)
    assert preview.cost == (
        "Costs about 679 USD a month instead of 226 USD for the App Service plan shop-plan"
        " (list price, without discounts)"
    )
    assert f"- {preview.cost}" in Summary(preview).text.splitlines()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([created(machine())], "Costs about 84 USD a month for the virtual machine till"),
        ([created(machine(system="Windows"))], "Costs about 151 USD a month for the virtual machine till"),
        ([created(plan("P1v3", 2, kind="app"))], "Costs about 394 USD a month for the App Service plan shop-plan"),
        ([created(plan("P1v3", kind="linux"))], "Costs about 113 USD a month for the App Service plan shop-plan"),
        (
            [{"resourceId": PLAN, "changeType": "Delete", "before": plan("S1")}],
            "Saves about 73 USD a month for the App Service plan shop-plan",
        ),
        (
            [created(machine()), created(plan("B1"))],
            "Costs about 139 USD more a month for virtual machine till, App Service plan shop-plan",
        ),
        ([created(machine(size="Standard_X9"))], "Price unknown: virtual machine till"),
        ([created({**machine(), "location": "mars' or 1 eq 1"})], "Price unknown: virtual machine till"),
    ],
)
async def test_a_template_shows_what_simple_things_cost(changes: list[Any], words: str) -> None:
    preview = await shown("deploy_template", FakePriceList(), planned(*changes), **_DEPLOYING)
    assert preview.cost.partition(" (")[0] == words


@pytest.mark.parametrize(
    "document",
    [plan("Y1"), plan("EP1"), machine(priority="Spot"), {**plan("B1"), "type": "Microsoft.Web/sites"}],
)
async def test_nothing_is_said_of_what_has_no_simple_price(document: Mapping[str, Any]) -> None:
    prices = FakePriceList()
    preview = await shown("deploy_template", prices, planned(created(document)), **_DEPLOYING)
    assert (preview.cost, prices.asked) == ("", [])


async def test_what_keeps_its_size_costs_the_same() -> None:
    change = {
        "resourceId": PLAN,
        "changeType": "Modify",
        "before": plan("B1"),
        "after": plan("B1"),
        "delta": [{"path": "tags.a", "propertyChangeType": "Create", "after": "b"}],
    }
    prices = FakePriceList()
    assert (await shown("deploy_template", prices, planned(change), **_DEPLOYING)).cost == ""
    assert prices.asked == []


async def test_throughput_shows_what_it_costs_instead() -> None:
    given: dict[str, Any] = {
        "account": "oven-recipes",
        "database": "baking",
        "container": "batches",
        "request_units": 800,
    }
    preview = await shown("set_cosmosdb_throughput", FakePriceList(), **given)
    assert preview.cost.startswith("Costs about 93 USD a month instead of 117 USD for the throughput of ")


async def test_a_list_that_does_not_answer_stops_nothing() -> None:
    preview = await shown("scale_app", FakePriceList(is_down=True), app=WEB, sku="P2v3")
    assert preview.cost == "Price unknown: App Service plan shop-plan"
    assert preview.missing == []


@pytest.mark.parametrize("body", [b"", b"[]", b'{"Items": 1}', b'{"Items": [1, {"retailPrice": "x"}]}', b"\xff{"])
async def test_a_list_that_answers_nonsense_stops_nothing(body: bytes) -> None:
    class Odd(FakePriceList):
        async def fetch(self, address: str) -> bytes:
            return body

    assert (await shown("scale_app", Odd(), app=WEB, sku="P2v3")).cost == "Price unknown: App Service plan shop-plan"


async def test_two_prices_for_the_same_are_no_price() -> None:
    prices = FakePriceList()
    prices.records += [{**one, "retailPrice": 9.0} for one in prices.records]
    assert (await shown("scale_app", prices, app=WEB, sku="P2v3")).cost == "Price unknown: App Service plan shop-plan"


async def test_an_operator_can_have_the_list_left_alone() -> None:
    prices = FakePriceList()
    assert (await shown("scale_app", prices, shows=False, app=WEB, sku="P2v3")).cost == ""
    assert prices.asked == []


async def test_another_price_does_not_make_it_another_change() -> None:
    one, other = FakePriceList(), FakePriceList(is_down=True)
    before = await shown("scale_app", one, app=WEB, sku="P2v3")
    assert before.bound == (await shown("scale_app", other, app=WEB, sku="P2v3")).bound
