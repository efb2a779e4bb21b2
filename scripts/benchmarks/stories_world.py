"""The fake team whose stories are played: its Azure DevOps, Azure updates, and app."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.fakes.azure_devops.git_store import NO_COMMIT, Repository
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.fakes.updates.api import Record, UpdatesApi
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline
from tests.tools.azure_devops.calling import TOKEN
from tests.tools.azure_devops.given import given
from tests.updates.syncing import record
from tools.azure_updates.access import UPDATES

PROJECT: Final = "Web"
WIKI: Final = f"{PROJECT}.wiki"
GRACE: Final = "grace.brewster@example.com"
ADA: Final = "ada.byron@example.com"
LAST_YEAR: Final = datetime.now(UTC).year + 1
# The Azure products that the team uses.
USED: Final = ("Virtual Machines", "Azure Functions", "Azure Cache for Redis")

_LOG_LINES: Final = 3000
_COUNTING: Final = """def total(prices):
    return sum(prices)


def rounded(prices):
    return round(total(prices))
"""
_REFUND: Final = """def refund(order):
    return order.paid


def is_refundable(order):
    return not order.sent
"""
_BAKING: Final = """\"\"\"Heats the oven.\"\"\"


def heat(degrees):
    return max(degrees, 0)


def calibrate_oven(reading, offset):
    return heat(reading - offset)
"""
_PAGE: Final = """# How we release

## Before

Tell everybody.

## Rollback

Restore the backup of last night.

## After

Look at the dashboards.
"""
_TODO: Final = (
    ("User Story", "Bake bread", "Active", ADA),
    ("User Story", "Bake cake", "New", GRACE),
    ("Task", "Knead", "Active", GRACE),
    ("Task", "Heat the oven", "Closed", ADA),
    ("Bug", "Cakes are flat", "New", None),
)
_WAITING: Final = (
    (PROJECT, "shop", "taxes", ADA),
    (PROJECT, "oven", "warmer", ADA),
    ("Shop floor", "tills", "drawer", ADA),
    (PROJECT, "oven", "colder", GRACE),
)
# The Azure products that are retired, with their retirement dates.
_RETIRING: Final = (
    ("Azure Cache for Redis", 1, "March"),
    ("Virtual Machines", 1, "September"),
    ("Azure Functions", 3, "June"),
    ("Azure Maps", 0, "December"),
)


@dataclass(frozen=True)
class World:
    azure_devops: FakeAzureDevOps
    caller: Caller


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    azure_devops, updates = FakeAzureDevOps(), UpdatesApi(_updates())
    fill(azure_devops)
    with TemporaryDirectory() as folder:
        async with azure_devops.serving() as url, updates.serving() as feed:
            settings = {"ADO_ORG_URL": url, "ADO_PAT": TOKEN, "ADO_PROJECT": PROJECT, "UPDATES_API_URL": feed}
            app = app_of(offline(Path(folder)) | settings | {"UPDATES_SAMPLE": "false"})
            await (await app.providers.get(UPDATES)).library.settled()
            await open_pull_requests(Caller(app.endpoint, "devops"))
            yield World(azure_devops, Caller(app.endpoint))
            await app.close()


def fill(azure_devops: FakeAzureDevOps) -> None:
    _fill_builds(azure_devops)
    _fill_sprint(azure_devops)
    _fill_code(azure_devops)
    azure_devops.wikis.add(WIKI, "/Handbook", "# Handbook")
    azure_devops.wikis.add(WIKI, "/Handbook/How we release", _PAGE)


def _fill_builds(azure_devops: FakeAzureDevOps) -> None:
    builds = azure_devops.builds
    pipeline = builds.define(PROJECT, "shop-ci")
    for _ in range(8):
        builds.finish(builds.add(pipeline))
    builds.finish(builds.add(pipeline), "Compile", ((), _log(azure_devops.projects.stamp), ()))
    builds.finish(builds.add(pipeline, "refs/heads/refunds"))


def _log(stamp: str) -> list[str]:
    lines = [f"{stamp} Compiling part {number} of the shop" for number in range(1, _LOG_LINES + 1)]
    lines[_LOG_LINES // 2] = f"{stamp} src/basket.c:42:7: error: 'basket' undeclared (first use in this function)"
    return lines


def _fill_sprint(azure_devops: FakeAzureDevOps) -> None:
    for kind, title, state, who in _TODO:
        more: dict[str, Any] = {"AssignedTo": who} if who else {}
        number = azure_devops.work_items.add(PROJECT, kind, title, IterationPath=f"{PROJECT}\\Sprint 2", **more)
        azure_devops.work_items.latest(number)["fields"]["System.State"] = state
    for title in ("Refunds for customers", "A form to ask for a refund"):
        azure_devops.work_items.add(PROJECT, "User Story", title)


def _fill_code(azure_devops: FakeAzureDevOps) -> None:
    shop = azure_devops.git.add(PROJECT, "shop", {"/readme.md": b"# Shop", "/src/total.py": _COUNTING.encode()})
    tills = azure_devops.git.add("Shop floor", "tills", {"/readme.md": b"# Tills"})
    oven = azure_devops.git.add(PROJECT, "oven", {"/src/baking.py": _BAKING.encode(), "/readme.md": b"# Oven"})
    azure_devops.search.files = {
        "/src/baking.py": _BAKING,
        "/src/night.py": "from baking import calibrate_oven\n\ncalibrate_oven(181, 1)\n",
    }
    _branch(shop, "refunds", {"/src/refund.py": _REFUND.encode()})
    _branch(shop, "taxes", {"/src/total.py": _COUNTING.replace("sum(prices)", "sum(prices) * 1.2").encode()})
    _branch(oven, "warmer", {"/readme.md": b"# A warmer oven"})
    _branch(oven, "colder", {"/readme.md": b"# A colder oven"})
    _branch(tills, "drawer", {"/readme.md": b"# Tills with drawers"})


def _branch(repository: Repository, name: str, files: dict[str, bytes]) -> None:
    main = repository.refs["refs/heads/main"]
    made = repository.commit({**repository.tree(main), **files}, [main], f"Begin {name}", "Grace Brewster")
    repository.move(f"refs/heads/{name}", NO_COMMIT, made, "Grace Brewster")


async def open_pull_requests(caller: Caller) -> None:
    """Create four pull requests in two projects. Three pull requests wait for a review by the caller, and one waits for
    a review by another user.
    """
    for project, repository, branch, reviewer in _WAITING:
        named = {"project": project, "repository": repository, "title": f"Add {branch}"}
        await given(
            caller, "create_pull_request", **named, sourceBranch=branch, targetBranch="main", reviewers=[reviewer]
        )


def _updates() -> list[Record]:
    others = [record(number) for number in range(60)]
    return others + [_retirement(100 + at, *retirement) for at, retirement in enumerate(_RETIRING)]


def _retirement(number: int, product: str, years: int, month: str) -> Record:
    year = LAST_YEAR - 1 + years
    return record(
        number,
        title=f"Retirement: The old tier of {product} retires in {month} {year}",
        description=f"<p>The old tier of {product} ends in {month} {year}. Move to the new tier before.</p>",
        status=None,
        tags=["Retirements"],
        products=[product],
        availabilities=[{"ring": "Retirement", "year": year, "month": month}],
    )
