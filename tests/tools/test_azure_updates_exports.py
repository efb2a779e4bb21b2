"""The updates as files that other programs read, as these programs get them."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from mcp_server.http.messages import HttpAnswer
from tests.sweeps import Sweep
from tests.tools.updates_office import RETIREMENT, UPDATES, Office, office
from tests.updates.syncing import record
from updates.showing.exports import FORMS


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Office]:
    async with office(tmp_path, UPDATES) as opened:
        yield opened


def rows(answer: HttpAnswer) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.body.decode("utf-8-sig"))))


def lines(answer: HttpAnswer) -> list[str]:
    """The lines of a calendar, put together again."""
    text = answer.body.decode()
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    return text.replace("\r\n ", "").removesuffix("\r\n").split("\r\n")


def summaries(answer: HttpAnswer) -> list[str]:
    return [line.removeprefix("SUMMARY:") for line in lines(answer) if line.startswith("SUMMARY:")]


def items(answer: HttpAnswer) -> list[ET.Element]:
    return ET.fromstring(answer.body).findall("channel/item")  # noqa: S314 - it is our own


async def test_the_table_holds_every_match(place: Office) -> None:
    answer = await place.export("csv", {"products": "Lamps", "sortBy": "created:asc"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert [row["id"] for row in rows(answer)] == ["100002", "100003"]
    assert rows(answer)[0]["availabilities"] == "Retirement 2027-03"


async def test_a_spreadsheet_knows_that_the_table_is_utf_8(place: Office) -> None:
    assert (await place.export("csv", {})).body.startswith(b"\xef\xbb\xbfid,title,")


@pytest.mark.parametrize(
    ("title", "cell"),
    [
        ('=HYPERLINK("https://evil.example")', '\'=HYPERLINK("https://evil.example")'),
        ("＝1+1", "'＝1+1"),  # noqa: RUF001 - a spreadsheet takes it for the narrow one
        ("－1", "'－1"),  # noqa: RUF001
        ("@SUM(1)", "'@SUM(1)"),
        ("a;=cmd|x", "a;'=cmd|x"),
        ("a; +1", "a;' +1"),
        ("a\n=1", "a\n'=1"),
        ("a = b; c - d", "a = b; c - d"),
    ],
)
async def test_what_a_spreadsheet_would_run_is_text(tmp_path: Path, title: str, cell: str) -> None:
    async with office(tmp_path, [record(1, title=title)]) as opened:
        assert [row["title"] for row in rows(await opened.export("csv", {}))] == [cell]


async def test_the_calendar_has_an_event_for_each_date(place: Office) -> None:
    found = lines(await place.export("ics", {"availabilityRing": "Retirement"}))
    assert found.count("BEGIN:VEVENT") == 1
    assert {"DTSTART;VALUE=DATE:20270301", "DTEND;VALUE=DATE:20270302"} <= set(found)


@pytest.mark.parametrize(
    ("changes", "start", "said"),
    [
        ({"title": "Lamps retire on 31 March 2027"}, "20270331", "Retirement on 2027-03-31: Lamps retire"),
        ({"title": "Lamps retire on March 15th, 2027"}, "20270315", "Retirement on 2027-03-15: "),
        ({"title": "Lamps retire 2027-03-09"}, "20270309", "Retirement on 2027-03-09: "),
        ({"description": "<p>Until <b>Mar 7, 2027</b>. Then not.</p>"}, "20270307", "Retirement on 2027-03-07: "),
        ({}, "20270301", "Retirement in March 2027\\, day not known: "),
        ({"title": "Lamps retire on 31 April 2027"}, "20270301", "Retirement in March 2027\\, day not known: "),
        ({"title": "Between 2027-03-01 and 2027-03-09"}, "20270301", "Retirement in March 2027\\, day not known: "),
        ({"title": "Lamps retire on 31 March 2028"}, "20270301", "Retirement in March 2027\\, day not known: "),
        (
            {"availabilities": [{"ring": "Retirement", "year": 2027, "month": None}]},
            "20270101",
            "Retirement in 2027\\, month not known: ",
        ),
    ],
)
async def test_an_event_stands_on_its_day_or_says_that_only_the_month_is_known(
    tmp_path: Path, changes: dict[str, Any], start: str, said: str
) -> None:
    async with office(tmp_path, [record(1, **{"availabilities": [RETIREMENT], **changes})]) as opened:
        answer = await opened.export("ics", {})
        assert f"DTSTART;VALUE=DATE:{start}" in lines(answer)
        assert summaries(answer)[0].startswith(said)


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r", "\v", "\f", "\x85", "\u2028", "\x1e"])
async def test_no_text_of_the_feed_becomes_a_line_of_the_calendar(tmp_path: Path, end: str) -> None:
    text = f"a{end}BEGIN:VALARM{end}b"
    hostile = record(1, id=text, title=text, description=text, productCategories=[text])
    hostile["availabilities"] = [{"ring": text, "year": 2027, "month": "March"}]
    async with office(tmp_path, [hostile]) as opened:
        answer = await opened.export("ics", {})
        assert not [line for line in answer.body.decode().splitlines() if line.startswith("BEGIN:VALARM")]
        assert "BEGIN:VEVENT" in lines(answer)


async def test_the_feed_is_rss_with_the_newest_first_and_says_what_it_is(place: Office) -> None:
    answer = await place.export("rss", {"limit": "2"})
    assert [item.findtext("guid") for item in items(answer)] == ["100004", "100003"]
    assert "<!-- This is an RSS feed." in answer.body.decode()


async def test_every_title_of_the_sample_says_that_it_is_invented(tmp_path: Path) -> None:
    async with office(tmp_path, (), synced=False, sample=True) as opened:
        table = rows(await opened.export("csv", {}))
        assert table[0]["title"].startswith("INVENTED SAMPLE DATA")
        assert all(row["title"].startswith("[INVENTED] ") for row in table[1:])
        assert all("[INVENTED] " in summary for summary in summaries(await opened.export("ics", {})))
        feed = await opened.export("rss", {})
        assert all((item.findtext("title") or "").startswith("[INVENTED] ") for item in items(feed))
        assert not [row for row in table if "azure.microsoft.com" in row["url"]]


@Sweep(
    ("parameters", "told"),
    [
        ({"product": "Lamps"}, "Unknown parameter 'product'. Valid: query, sortBy, limit, tags,"),
        ({"products": "Lamp shades"}, "Lamps"),
        ({"products": ",".join(f"p{number}" for number in range(51))}, "products has 51 values"),
        ({"query": "x" * 2001}, "The query is 2001 characters long"),
        *(
            ({"limit": limit}, "limit must be a whole number from 1 to 10000.")
            for limit in ("0", "10001", "0000019999999", "9" * 5006, "²", "１", "-1", "")  # noqa: RUF001 - such are meant
        ),
    ],
    every=3,
)
async def test_an_export_that_makes_no_sense_is_a_400(place: Office, parameters: dict[str, str], told: str) -> None:
    answer = await place.export("csv", parameters)
    assert answer.status == 400
    assert told in answer.body.decode()


@pytest.mark.parametrize("form", FORMS)
async def test_who_has_a_file_already_is_not_sent_it_again(place: Office, form: str) -> None:
    first = await place.export(form, {"query": "lamp"})
    for tag in (first.headers["etag"], f"W/{first.headers['etag']}", f'"x", {first.headers["etag"]}', "*"):
        again = await place.export(form, {"query": "lamp"}, **{"if-none-match": tag})
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
    other = await place.export(form, {"query": "solar"}, **{"if-none-match": first.headers["etag"]})
    assert (other.status, other.headers["etag"] != first.headers["etag"]) == (200, True)


async def test_a_file_has_another_tag_once_the_updates_have_changed(place: Office) -> None:
    tag = (await place.export("csv", {})).headers["etag"]
    place.api.records["100003"] |= {"title": "Generally Available: Much brighter lamps"}
    await place.full_sync()
    answer = await place.export("csv", {}, **{"if-none-match": tag})
    assert answer.status == 200
    assert "Much brighter" in answer.body.decode()


async def test_files_are_limited_on_their_own(place: Office) -> None:
    answers = [await place.export("csv", {"limit": "1"}) for _ in range(31)]
    assert [answer.status for answer in answers] == [200] * 30 + [429]
    assert int(answers[-1].headers["retry-after"]) > 0
    assert (await place.search(query="lamp"))["total"] == 2


async def test_a_file_of_many_updates_holds_each_once_in_the_order_that_was_asked_for(tmp_path: Path) -> None:
    async with office(tmp_path, [record(number) for number in range(250)]) as opened:
        answer = await opened.export("csv", {"sortBy": "created:asc", "limit": "230"})
        assert [row["id"] for row in rows(answer)] == [f"{100_000 + number}" for number in range(230)]
