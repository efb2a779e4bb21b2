"""An app that did something is told by its name, where the directory may be read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import pytest

from clients.azure.directory import NOT_READ
from tests.fakes.azure.estate import Change
from tests.fakes.azure.people import PIPELINE, invented_id
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import SHOP
from tests.tools.azure.inventing import NAME, answered, asking
from tests.tools.incidents import world
from tools.azure.settings import AzureSettings

OPEN: Final = AzureSettings(subscription=NAME, reads_directory=True)
SITE: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
GONE: Final = invented_id("principal", "somebody who left")
TOOLS: Final[dict[str, dict[str, Any]]] = {
    "list_activity_log": {"resource": SITE, "since": "2h"},
    "list_resource_changes": {"resource": SITE, "since": "2h"},
}


def happened() -> FakeAzure:
    """Two changes, of an app that is known and of one that is gone, in both sources."""
    azure = FakeAzure()
    azure.estate.changes.clear()
    azure.monitor.activity.events.clear()
    for number, actor in enumerate((PIPELINE.id, GONE)):
        at = azure.monitor.activity.now - timedelta(minutes=10 + 20 * number)
        azure.estate.changes.append(
            Change(SITE, "microsoft.web/sites", "Update", at, actor, {"properties.httpsOnly": (True, False)})
        )
        azure.monitor.activity.add(SITE, "Microsoft.Web/sites/write", at, actor, correlation=f"{actor[:-1]}{number}")
    return azure


@pytest.mark.parametrize("tool", TOOLS)
async def test_an_app_has_its_name_and_one_that_is_gone_is_told_as_gone(tool: str) -> None:
    async with asking(happened(), settings=OPEN) as caller:
        found = await answered(caller, tool, **TOOLS[tool])
    assert [one["by"] for one in found["items"]] == [PIPELINE.title, f"{GONE} (no longer in the directory)"]
    assert "note" not in found


@pytest.mark.parametrize("tool", TOOLS)
async def test_an_app_that_was_not_looked_up_is_not_told_as_gone(tool: str) -> None:
    async with asking(happened()) as caller:
        found = await answered(caller, tool, **TOOLS[tool])
    assert [one["by"] for one in found["items"]] == [PIPELINE.id, GONE]
    assert found["note"] == NOT_READ


@pytest.mark.parametrize("tool", TOOLS)
async def test_where_the_directory_refuses_nobody_is_told_as_gone(tool: str) -> None:
    azure = happened()
    azure.directory.is_permitted = False
    async with asking(azure, settings=OPEN) as caller:
        found = await answered(caller, tool, **TOOLS[tool])
    assert [one["by"] for one in found["items"]] == [PIPELINE.id, GONE]
    assert "could not be identified" in found["note"]


async def test_an_application_id_is_looked_up_too() -> None:
    azure = happened()
    azure.monitor.activity.events[1]["caller"] = PIPELINE.application
    async with asking(azure, settings=OPEN) as caller:
        found = await answered(caller, "list_activity_log", resource=SITE, since="2h")
    assert {one["by"] for one in found["items"]} == {PIPELINE.title}


async def test_what_changed_names_apps() -> None:
    bakery = world.Bakery()
    bakery.change(SITE, 10, by=PIPELINE.id, properties__httpsOnly=(True, False))
    async with world.asking(bakery, reads_directory=True) as caller:
        [item] = (await world.told(caller, SITE))["items"]
    assert item["by"] == PIPELINE.title
