"""Questions of engineers are answered in few calls and few tokens, to a model that has only the default surface."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import pytest

from clients.azure.cloud import cloud_named
from mcp_server.catalog.catalog import Catalog
from scripts.benchmarks.model import Model
from tests.fakes.azure.estate import Change
from tests.fakes.azure.people import OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import SHOP
from tests.fakes.transport import HastyTransport
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import calling
from tools import SURFACE, TOOLSETS
from tools.azure.settings import AzureSettings
from tools.vocabulary import VOCABULARY

WHOLE: Final = Catalog(TOOLSETS, SURFACE, vocabulary=VOCABULARY)
PLAN: Final = f"{SHOP}/providers/Microsoft.Web/serverFarms/shop-plan"
LEARN: Final = 1050

Told = Callable[[Model], Awaitable[Any]]


@pytest.fixture
async def model() -> AsyncIterator[Model]:
    azure = FakeAzure()
    plan = Change(
        PLAN,
        "microsoft.web/serverfarms",
        "Update",
        azure.estate.changes[0].at,
        OWNER.name,
        {"sku.name": ("B1", "P1v3")},
    )
    azure.estate.changes.append(plan)
    settings = AzureSettings(subscription="Bakery Production")
    async with (
        azure.serving() as url,
        calling(HastyTransport(), settings, cloud=cloud_named(url), who=OWNER.token, catalog=WHOLE) as caller,
    ):
        someone = Model(Caller(caller.endpoint))
        await someone.look_around()
        yield someone


async def what_runs(model: Model) -> Any:
    await model.want("what do we run in the resource group shop-prod?")
    found = await model.do("list_resources", resource_group="shop-prod")
    return [one["id"] for one in found["items"]]


async def why_failed(model: Model) -> Any:
    await model.want("why did yesterday's deployment of our Bicep fail?")
    return (await model.do("show_azure_deployment"))["why"][0]["says"]


async def who_changed(model: Model) -> Any:
    await model.want("who changed the app service plan?")
    [change] = (await model.do("list_resource_changes", resource="serverfarms"))["items"]
    return change["by"], change["settings"]


async def without_owner(model: Model) -> Any:
    await model.want("which resources have no owner tag?")
    return (await model.do("survey_resources", about="untagged", tag="owner"))["count"]


async def old_tls(model: Model) -> Any:
    await model.want("run a Resource Graph query over all web apps for an old TLS version")
    old = "properties.siteConfig.minTlsVersion < '1.2'"
    query = f"resources | where type =~ 'microsoft.web/sites' and {old} | project name"
    return (await model.do("query_resource_graph", query=query))["items"]


async def why_not_deleted(model: Model) -> Any:
    await model.want("why can't I delete the resource group shop-prod, is there a lock?")
    return (await model.do("list_resource_locks", resource_group="shop-prod"))["items"][0]["name"]


@pytest.mark.parametrize(
    ("question", "answer", "calls", "tokens"),
    [
        (what_runs, lambda told: "Microsoft.Web/sites/shop-web" in told, 2, 1000),
        (why_failed, lambda told: told == "The edition 'Basic' does not support 500 GB.", 2, 1000),
        (
            who_changed,
            lambda told: told == (OWNER.name, [{"path": "sku.name", "from": "B1", "to": "P1v3"}]),
            2,
            1000,
        ),
        (without_owner, lambda told: told > 30, 2, 2500),
        (old_tls, lambda told: told == [{"name": "shop-orders"}], 2, 1000),
        (why_not_deleted, lambda told: told == "keep-orders", 2, 1000),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
async def test_a_question_is_answered_within_its_bar(
    question: Told, answer: Callable[[Any], bool], calls: int, tokens: int, model: Model
) -> None:
    assert answer(await question(model))
    assert model.calls <= calls
    assert model.tokens <= tokens, model.tokens


async def test_learning_the_toolset_leaves_room_for_the_work() -> None:
    async with (
        FakeAzure().serving() as url,
        calling(HastyTransport(), AzureSettings(), cloud=cloud_named(url)) as caller,
    ):
        learned = await Caller(caller.endpoint).call("azure", learn=True, tool="resource")
    assert len(learned["content"][0]["text"].encode()) / 4 < LEARN
