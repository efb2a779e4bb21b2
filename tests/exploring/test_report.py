"""The report of retirements: what it says, in which scripts, whose it is, and what others wrote in it."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.folder_storage import FolderStorage
from tests.changes.bench import HOST, Browser, Office, at_the_laptop
from tests.exploring.bench import explored
from tests.exploring.planted import HOSTILE_TITLES
from tests.sweeps import Sweep
from tests.updates.indexing import index_of, update
from tools.azure_updates.access import UPDATES
from tools.azure_updates.reporting import affected_in
from updates.keeping.kept_reports import MOST_KEPT, KeptReports
from updates.searching.search import UpdateSearch
from updates.showing.report.contents import report_of
from updates.showing.report.font import BOLD, REGULAR, font
from updates.showing.report.retirement_report import pdf_of
from updates.showing.report.sheets import Sheets

pytestmark = pytest.mark.anyio

TODAY: Final = date(2027, 1, 15)
OTHER: Final = "0b1ec7ed-0000-4000-8000-0000000000ff"
needs_reader: Final = pytest.mark.skipif(not shutil.which("pdftotext"), reason="There is no pdftotext (poppler).")


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with explored(tmp_path) as house:
        yield house


def text_in(pdf: bytes) -> str:
    """What a reader of PDFs finds in it, in one line."""
    read = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True)
    assert read.stderr == b"", read.stderr
    return " ".join(read.stdout.decode().split())


def retiring(*titles: str, reaches: str = "2027-03", **more: Any) -> bytes:
    updates = (
        update(str(number), title, reaches={"Retirement": reaches}, **more) for number, title in enumerate(titles)
    )
    return pdf_of(report_of(index_of(*updates), UpdateSearch(), TODAY))


async def report(office: Office, **arguments: Any) -> Any:
    result = await office.client(roles=["Reader"]).call("retirement_report", **arguments)
    assert not result["isError"], result
    return result["structuredContent"]


@needs_reader
def test_latin_greek_and_cyrillic_are_written_as_they_are() -> None:
    titles = ("Žluťoučký kůň Ærøskøbing", "Ενημέρωση για τη βάση", "Обновление для всех")  # noqa: RUF001 - as meant
    told = text_in(retiring(*titles))
    assert [title for title in titles if title not in told] == []


@needs_reader
@Sweep("title", [*HOSTILE_TITLES, "", " ", "\\", "()<>", "\x00\x07", "\U0001f600", "%PDF endstream endobj"], every=3)
def test_no_title_breaks_the_report(title: str) -> None:
    told = text_in(retiring(f"Before {title} after"))
    assert ("Before" in told, "March 2027: 1" in told) == (True, True)


@given(st.text(), st.sampled_from([REGULAR, BOLD]))
def test_every_text_is_shown_in_letters_that_the_font_has(text: str, name: str) -> None:
    used = font(name)
    assert len(used.encoded(used.shown(text))) % 4 == 0
    assert used.width(used.shown(text), 10) >= 0


@given(st.text(max_size=400))
def test_no_line_is_wider_than_the_page(text: str) -> None:
    sheets = Sheets("x", "x")
    sheets.paragraph(text)
    sheets.paragraph("W" * 300 + text)
    # Places and sizes of all lines that were written.
    content = sheets.content
    streams = re.findall(rb"stream\n(.*?)\nendstream", content, re.DOTALL)
    pages = [zlib.decompress(one) for one in streams if b" Tf " in _inflated(one)]
    for size, x, glyphs in re.findall(rb"/R ([\d.]+) Tf ([\d.]+) [\d.]+ Td <([0-9a-f]*)>", b"".join(pages)):
        widths = font(REGULAR).widths
        width = sum(widths[int(glyphs[at : at + 4], 16)] for at in range(0, len(glyphs), 4)) * float(size) / 1000
        assert float(x) + width <= 595 - 56 + 0.5


def _inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


@needs_reader
def test_dates_that_moved_and_announcements_that_are_gone_are_told() -> None:
    told = text_in(retiring("Lamps", reaches="2027-03"))
    assert "No date moved, and no announcement was withdrawn." in told


@needs_reader
async def test_the_tool_gives_figures_and_the_address_of_a_pdf(office: Office) -> None:
    answer = await report(office, months=36)
    months = answer["perMonth"]
    assert (months["2027-04"], months["2027-05"], answer["retiring"]) == (
        1,
        len(HOSTILE_TITLES),
        2 + len(HOSTILE_TITLES),
    )
    assert answer["changedLately"][0]["what"] == "Retirement 2027-03 became Retirement 2027-09."
    address = urlsplit(answer["pdf"])
    assert f"{address.scheme}://{address.netloc}" == f"http://{HOST}" or address.netloc == HOST
    read = await Browser(office).get(f"{address.path}?{address.query}")
    assert (read.status, read.headers["content-type"]) == (200, "application/pdf")
    told = text_in(read.body)
    for words in (
        "Candles retire on April 14, 2027",
        "Retirement 2027-03 became Retirement 2027-09.",
        "Affected resources",
    ):
        assert words in told


async def test_without_azure_the_report_says_why_nobody_knows_what_is_affected(office: Office) -> None:
    answer = await report(office)
    assert answer["affectedUnknown"]
    assert "affected" not in answer


async def test_a_report_is_for_the_one_who_asked(office: Office) -> None:
    mine = urlsplit((await report(office))["pdf"])
    others = (await office.client(roles=["Reader"], oid=OTHER).call("get_azure_updates_feeds"))["structuredContent"]
    token = urlsplit(others["table"]).query
    name = mine.query.partition("&")[0]
    assert (await Browser(office).get(f"/updates.pdf?{name}&{token}")).status == 404
    assert (await Browser(office).get(f"/updates.pdf?{name}")).status == 401


@needs_reader
async def test_the_plain_address_reports_what_is_announced(tmp_path: Path) -> None:
    async with explored(tmp_path, **at_the_laptop) as office:
        browser = Browser(office, host="localhost:7071")
        told = text_in((await browser.get("/updates.pdf")).body)
        assert "Ask your agent for retirement_report" in told
        narrowed = text_in((await browser.get("/updates.pdf?products=Candles")).body)
        assert ("Candles" in narrowed, "Обновление" in narrowed) == (True, False)
        assert (await browser.get("/updates.pdf?colour=red")).status == 400


@pytest.mark.parametrize("name", ["", "x", "../../secret", "9" * 11 + "." + "a" * 32 + "." + "b" * 22, "%00"])
async def test_a_report_of_no_such_name_is_not_there(tmp_path: Path, name: str) -> None:
    storage = FolderStorage(tmp_path)
    assert await KeptReports(storage).read("me", name) is None
    await storage.close()


async def test_a_report_ends_after_a_week_and_is_then_deleted(tmp_path: Path) -> None:
    now = datetime(2027, 1, 1, tzinfo=UTC).timestamp()
    storage = FolderStorage(tmp_path)
    await storage.prepare()
    name = await KeptReports(storage, lambda: now).keep("me", b"%PDF")
    assert await KeptReports(storage, lambda: now).read("me", name) == b"%PDF"
    later = KeptReports(storage, lambda: now + 8 * 24 * 3600)
    assert await later.read("me", name) is None
    kept = await later.keep("me", b"%PDF")
    await storage.create_file("reports/readme", b"")
    await later.forget_expired()
    assert {file.name for file in await storage.list_files("reports/")} == {f"reports/{kept}", "reports/readme"}
    await storage.close()


async def test_every_night_the_server_deletes_expired_reports(tmp_path: Path) -> None:
    async with explored(tmp_path) as office:
        reports = (await office.app.providers.get(UPDATES)).reports
        kept, expired = await reports.keep("me", b"%PDF"), await replace(reports, clock=lambda: 0.0).keep("me", b"%PDF")
        await office.app.jobs.keep_house(datetime(2027, 1, 1, 3, tzinfo=UTC))
        assert {file.name for file in await reports.storage.list_files("reports/")} == {f"reports/{kept}"}
        assert expired != kept


async def test_of_each_owner_the_newest_reports_are_kept(tmp_path: Path) -> None:
    now = count(1_800_000_000)
    reports = KeptReports(FolderStorage(tmp_path), lambda: float(next(now)))
    others = await reports.keep("you", b"%PDF")
    mine = [await reports.keep("me", b"%PDF") for _ in range(MOST_KEPT + 3)]
    assert [name for name in mine if await reports.read("me", name)] == mine[-MOST_KEPT:]
    assert await reports.read("you", others)


def test_what_is_affected_is_told_by_names_and_owners() -> None:
    answer = {
        "idsBeginWith": "/subscriptions/s/resourceGroups/rg-pay/providers/",
        "items": [
            {
                "retires": "TLS 1.0",
                "on": "2027-02-01",
                "do": "Set 1.2.",
                "affects": [
                    {"owner": "payments", "resources": ["Microsoft.Storage/storageAccounts/stpay"]},
                    {"owner": "no owner tag", "resources": ["Microsoft.Web/sites/shop"]},
                ],
            }
        ],
    }
    (one,) = affected_in(answer)
    assert one.resources == ["stpay in rg-pay", "shop in rg-pay"]
    assert one.owners == ["no owner tag", "payments"]
    assert one.work_items == []
