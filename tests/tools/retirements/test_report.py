"""The report of retirements with what a team really runs and plans, as the tool that knows it tells."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest

from identity.access import Access
from identity.caller import ANONYMOUS
from identity.grants import Grants
from tasks.task import owner_of
from tests.exploring.planted import HOSTILE_TITLES
from tests.fakes.azure.estate import Resource
from tests.fakes.azure_devops.troubles import failing
from tests.mcp_server.caller import Caller
from tests.tools.azure.inventing import answered
from tests.tools.everything import EVERYTHING
from tests.tools.retirements.world import CACHE, World, add_marked_item, caller_of, opened, plan
from tools.azure_updates.access import UPDATES
from updates.keeping.kept_reports import KeptReports

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not shutil.which("pdftotext"), reason="There is no pdftotext (poppler)."),
]
READS: Final = [(name, Access.READ) for name in ("azure-updates", "retirements", "resource")]


@dataclass(frozen=True)
class Desk:
    """Somebody who asks for reports and reads them."""

    caller: Caller
    reports: KeptReports

    async def report(self, **arguments: Any) -> tuple[Mapping[str, Any], bytes]:
        answer = await answered(self.caller, "retirement_report", months=36, **arguments)
        [name] = parse_qs(urlsplit(answer["pdf"]).query)["report"]
        pdf = await self.reports.read(owner_of(ANONYMOUS), name)
        assert pdf
        return answer, pdf


@asynccontextmanager
async def desk(world: World, grants: Grants = EVERYTHING) -> AsyncIterator[Desk]:
    async with opened(world) as there:
        yield Desk(caller_of(there, grants), there[UPDATES].reports)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def text_in(pdf: bytes) -> str:
    read = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True)
    assert read.stderr == b"", read.stderr
    return " ".join(read.stdout.decode().split())


async def test_it_says_what_retires_what_that_affects_and_what_is_done(world: World) -> None:
    async with desk(world) as asked:
        await plan(asked.caller)
        [redis] = [number for number, one in world.items.items() if "499577" in one["System.Description"]]
        world.devops.work_items.latest(redis)["fields"]["System.State"] = "Closed"
        answer, pdf = await asked.report()
    told = text_in(pdf)
    affected = {one["retires"]: one for one in answer["affected"]}
    assert affected["Azure Cache for Redis is retiring on September 30, 2028"]["workItems"] == {str(redis): "Closed"}
    assert all(one["workItems"] for one in affected.values())
    parts = [told.index(heading) for heading in ("Affected resources", "Planned work", "What changed in the last 30")]
    assert parts == sorted(parts)
    for words in ("shop-cache in shop-prod", "Owner: shop", f"Work item #{redis} Closed", "11 New, 1 Closed"):
        assert words in told
    assert "have no work item" not in told
    assert links_in(pdf) >= {f"https://dev.azure.com/acme/_workitems/edit/{number}" for number in world.items}


async def test_what_nobody_plans_is_counted(world: World) -> None:
    async with desk(world) as asked:
        add_marked_item(world, "Ours")
        told = text_in((await asked.report())[1])
    assert "Work items: 1 New." in told
    assert "11 of 12 retirements that affect you have no work item." in told


async def test_resources_and_work_items_that_are_not_listed_are_counted(world: World) -> None:
    known = world.azure.estate.resources[CACHE.lower()]
    for number in range(30):
        document = deepcopy(known.document) | {"id": f"{CACHE}-{number}", "name": f"shop-cache-{number}"}
        world.azure.estate.add(Resource(document, known.created, known.changed))
    for number in range(13):
        add_marked_item(world, f"{number}")
    async with desk(world) as asked:
        answer, pdf = await asked.report()
    [redis] = [one for one in answer["affected"] if "Redis" in one["retires"]]
    assert redis["resources"] == 31
    assert all(words in text_in(pdf) for words in ("and 23 more", "and 3 more work items"))


async def test_what_a_role_closes_is_named_and_nothing_is_asked_of_it(world: World) -> None:
    async with desk(world) as asked:
        await plan(asked.caller)
    world.devops.asked.clear()
    async with desk(world, Grants.of(READS)) as asked:
        answer, pdf = await asked.report()
    told = text_in(pdf)
    assert answer["notRead"] == [
        f"{one}: your roles do not allow this source." for one in ("Advisor", "Service Health", "Work items")
    ]
    assert ("Not read: Work items: your roles do not allow this source." in told, "have no work item" in told) == (
        True,
        False,
    )
    assert world.devops.asked == []


async def test_a_source_that_fails_is_named_in_the_report(world: World) -> None:
    world.azure.graph.quota = 0
    world.devops.places["/wiql"] = failing(403, "AccessDenied", "TF400813: not for you")
    async with desk(world) as asked:
        answer, pdf = await asked.report()
    assert any(one.startswith("Resource Graph: ") for one in answer["notRead"])
    assert "Not read: Resource Graph" in text_in(pdf)


async def test_nothing_of_hostile_work_items_gets_into_the_report(world: World) -> None:
    for title in HOSTILE_TITLES:
        number = add_marked_item(world, title)
        world.devops.work_items.latest(number)["fields"]["System.State"] = title
    async with desk(world) as asked:
        answer, pdf = await asked.report()
    [redis] = [one for one in answer["affected"] if "workItems" in one]
    assert len(redis["workItems"]) == len(HOSTILE_TITLES)
    assert all(
        re.fullmatch(r"https://(dev\.azure\.com|azure\.microsoft\.com)/[\w/?=.-]+", one) for one in links_in(pdf)
    )
    assert "What changed in the last 30 days" in text_in(pdf)


def links_in(pdf: bytes) -> set[str]:
    """The addresses behind the links of a PDF."""
    return {one.decode() for one in re.findall(rb"/URI \((.*?)\)", pdf)}
