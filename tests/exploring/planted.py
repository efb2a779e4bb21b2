"""Updates for the explorer: what teams read every week, what was edited, and what somebody wrote to do harm."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

from tests.fakes.updates.api import Record, UpdatesApi
from tests.folders import new_folder
from tests.offline import app_of, offline
from tests.updates.syncing import record
from tools.azure_updates.access import UPDATES as THE_UPDATES
from updates.report import SyncKind

HOSTILE_TITLES: Final = (
    "<script>alert(1)</script>",
    "</bdi></h1><form action=https://evil.example><button>Approve</button></form>",
    "\" autofocus onfocus='alert(1)' x=\"",
    "{{ 7*7 }} {% include 'base.html' %}",
    "javascript:alert(1)",
    "\u202eevorppA\u202c \u2066x\u2069",
    "A" * 400,
    "المزامنة تتقاعد قريبا",
    "云同步即将停用 👩‍👩‍👧",
    "Ενημέρωση και Обновление",
)
_HOSTILE_TEXT: Final = (
    "<p>{title}</p><img src=x onerror=alert(1)><script>alert(2)</script>"
    "<a href='javascript:alert(3)'>click</a> <a href='https://example.com/x\"onclick=alert(4)'></a>"
    "<p>![x](https://evil.example/pixel.png) [a](javascript:alert(5)) # Heading</p><h1>Large</h1>"
    "<table><tr><td>1<td>2</table>" + "<ul><li>" * 30
)


def retiring(number: int, title: str, month: str, year: int, **more: Any) -> Record:
    return record(
        number,
        title=title,
        status=None,
        tags=["Retirements"],
        availabilities=[{"ring": "Retirement", "year": year, "month": month}],
        **more,
    )


SLIPS: Final = "100002"
WITHDRAWN: Final = "100003"
FIRST_HOSTILE: Final = 100_050
UPDATES: Final[tuple[Record, ...]] = (
    record(99, title="Public Preview: Solar panels for data centres", products=["Azure Sunshine"]),
    retiring(2, "Retirement: The old lamp service retires", "March", 2027, products=["Lamps"]),
    record(3, title="Generally Available: Brighter lamps", products=["Lamps"], status="Launched"),
    retiring(4, "Retirement: Candles retire on April 14, 2027", "April", 2027, products=["Candles"]),
    *(
        retiring(50 + number, title, "May", 2027, description=_HOSTILE_TEXT.format(title=title))
        for number, title in enumerate(HOSTILE_TITLES)
    ),
)


# What was planted of the usual updates, which is copied from then on: to build its index takes longer.
_PLANTED: Final[list[Path]] = []


async def plant(folder: Path, records: tuple[Record, ...] = UPDATES) -> None:
    """Have the updates read, then one edited and one withdrawn, and both noticed."""
    if records is not UPDATES:
        await _plant(folder, records)
        return
    if not _PLANTED:
        await _plant(planted := new_folder(), UPDATES)
        _PLANTED.append(planted)
    shutil.copytree(_PLANTED[0], folder, dirs_exist_ok=True)


async def _plant(folder: Path, records: tuple[Record, ...]) -> None:
    api = UpdatesApi([dict(one) for one in records])
    async with api.serving() as url:
        app = app_of(
            offline(folder) | {"UPDATES_API_URL": url, "UPDATES_SAMPLE": "false", "UPDATES_LARGEST_WITHDRAWAL": "50"}
        )
        library = (await app.providers.get(THE_UPDATES)).library
        await library.settled()
        lamp = api.records[SLIPS]
        lamp["availabilities"] = [{"ring": "Retirement", "year": 2027, "month": "September"}]
        lamp["description"] = "<p>The lamps stay on until <b>September</b>.</p>"
        lamp["title"] = "Retirement: The old lamp service retires later"
        del api.records[WITHDRAWN]
        report = await library.sync(SyncKind.RECONCILE)
        assert (report.edited, report.withdrawn) == (1, 1), report
        await app.close()
