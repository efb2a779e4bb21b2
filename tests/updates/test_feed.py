from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from refusal import Refusal
from tests.fakes.transport import HastyTransport
from tests.fakes.updates.api import Trouble, UpdatesApi
from tests.updates.syncing import NOON, moment, record, records
from updates.reading.feed import Crawl, Doubt, FeedError, UpdatesFeed
from updates.report import watch_nothing

pytestmark = pytest.mark.anyio


class Reader:
    """Reads the feed once, without waiting between attempts."""

    def __init__(self, api: UpdatesApi, **options: Any) -> None:
        self.api, self.options = api, options
        self.transport = HastyTransport(**options)

    async def read(self, **since: Any) -> Crawl:
        async with self.api.serving() as url:
            return await UpdatesFeed(url, patience=20, transport=lambda: self.transport).read(watch_nothing, **since)


def paged(*rows: Any, page: int = 20) -> UpdatesApi:
    api = UpdatesApi()
    api.records = {str(number): row for number, row in enumerate(rows)}
    api.largest_page = page
    return api


def everything_of(api: UpdatesApi) -> set[str]:
    return {row["id"] for row in api.records.values()}


@pytest.mark.parametrize("url", ["http://example.com/api", "ftp://127.0.0.1/", "not an address"])
def test_a_feed_that_is_not_private_is_refused(url: str) -> None:
    with pytest.raises(Refusal):
        UpdatesFeed(url)


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("how_many", [0, 1, 100, 101, 250])
async def test_every_page_is_read_whether_or_not_the_feed_links_them(how_many: int, *, links: bool) -> None:
    api = UpdatesApi(records(how_many))
    api.links = links
    crawl = await Reader(api).read()
    assert set(crawl.updates) == everything_of(api)
    assert (crawl.received, crawl.malformed, crawl.doubt) == (how_many, (), None)


async def test_pages_are_asked_for_in_order_of_id_by_a_caller_who_says_who_it_is() -> None:
    api = UpdatesApi(records(150))
    await Reader(api).read()
    pages = [request for request in api.requests if request.query["$top"] == "100"]
    assert [request.query.get("$skip") for request in pages] == [None, "100"]
    assert {request.query["$orderby"] for request in pages} == {"id asc"}
    assert {request.query["$count"] for request in api.requests} == {"true"}
    assert {request.headers["User-Agent"] for request in api.requests} == {"azure-team-mcp"}


async def test_only_what_was_modified_since_is_read() -> None:
    old, new = record("old", modified=moment(NOON - timedelta(days=1))), record("new", modified=moment(NOON))
    crawl = await Reader(paged(old, new)).read(since=NOON)
    assert set(crawl.updates) == {"new"}
    assert crawl.doubt is None


async def test_rows_that_the_feed_repeats_count_once() -> None:
    api = paged(*records(50))
    api.repeats_rows = True
    crawl = await Reader(api).read()
    assert set(crawl.updates) == everything_of(api)
    assert crawl.doubt is None


async def test_a_record_published_while_pages_are_read_is_found_by_reading_again() -> None:
    api = paged(*records(50))

    def publish(number: int) -> None:
        if number == 3:
            api.records["first"] = record("0")

    api.before_request = publish
    crawl = await Reader(api).read()
    assert set(crawl.updates) == everything_of(api)
    assert crawl.doubt is None


async def test_a_record_withdrawn_while_pages_are_read_hides_no_other() -> None:
    api = paged(*records(50))

    def withdraw(number: int) -> None:
        if number == 3:
            del api.records["0"]

    api.before_request = withdraw
    crawl = await Reader(api).read()
    assert set(crawl.updates) == everything_of(api)
    assert crawl.doubt is None


async def test_the_feed_is_asked_which_records_it_lacks() -> None:
    odd = ["with 'quotes' and ''more''", "é/?&#", "+ %20"]
    api = UpdatesApi([*records(3), *map(record, odd)])
    async with api.serving() as url:
        assert await UpdatesFeed(url).lacking(["100001", "100007", *odd, "it's gone"]) == ["100007", "it's gone"]


async def test_a_feed_that_keeps_moving_is_doubted() -> None:
    api = paged(*records(50))

    def publish(number: int) -> None:
        api.records[f"new{number}"] = record(f"new{number}")

    api.before_request = publish
    crawl = await Reader(api).read()
    assert crawl.doubt
    assert "counted" in crawl.doubt.reason


async def test_a_feed_that_gives_less_than_it_counts_is_doubted() -> None:
    api = paged(*records(50))
    api.miscounts_by = 3
    crawl = await Reader(api).read()
    assert crawl.doubt == Doubt("incomplete", "the feed returned only 50 of 53 records")


async def test_a_feed_that_always_gives_more_than_it_counts_is_believed() -> None:
    api = paged(*records(50))
    api.miscounts_by = -1
    crawl = await Reader(api).read()
    assert (set(crawl.updates), crawl.doubt) == (everything_of(api), None)


async def test_a_feed_whose_pages_go_round_in_circles_is_given_up() -> None:
    api = paged(*records(50))
    api.circling = True
    with pytest.raises(FeedError, match="loops"):
        await Reader(api).read()


MALFORMED = {
    "no object": "text",
    "no title": record("bad", title=None),
    "tags of numbers": record("bad", tags=[1]),
    "a thirteenth month": record("bad", availabilities=[{"ring": "Preview", "year": 2026, "month": "Smarch"}]),
    "an impossible year": record("bad", availabilities=[{"ring": "Preview", "year": 10**30, "month": "May"}]),
    "an id of half a character": record("b\ud800d", title=None),
    "an endless id": record("b" * 401),
    "an endless text": record("bad", description="x" * 300_000),
    "an endless nest": {"id": "bad", "nest": json.loads("[" * 900 + "]" * 900)},
    "no timestamp": record("bad", modified="yesterday"),
}


@pytest.mark.parametrize("raw", MALFORMED.values(), ids=MALFORMED)
async def test_a_malformed_record_is_kept_aside(raw: Any) -> None:
    crawl = await Reader(paged(*records(30), raw)).read()
    assert len(crawl.updates) == 30
    assert crawl.received == 31
    (malformed,) = crawl.malformed
    assert 0 < len(malformed.reason) <= 200
    assert json.dumps([malformed.id, malformed.reason], ensure_ascii=False).encode()


async def test_a_malformed_record_is_present_though_not_readable() -> None:
    crawl = await Reader(paged(*records(3), record(" bad ", title=None))).read()
    assert crawl.present == {*crawl.updates, "bad"}
    assert crawl.doubt is None


@pytest.mark.parametrize("raw", [None, {}, record("x", id=None), record("x", id=7)])
async def test_a_record_without_a_readable_id_could_be_any_and_casts_doubt(raw: Any) -> None:
    crawl = await Reader(paged(*records(3), raw)).read()
    assert crawl.doubt == Doubt("without-id", "a record has no readable id")


async def test_half_a_character_does_not_make_a_record_unreadable() -> None:
    crawl = await Reader(paged(record("b\ud800d", description="\udfff"))).read()
    assert (set(crawl.updates), crawl.malformed) == ({"b\ufffdd"}, ())


async def test_a_record_over_64_kib_is_read() -> None:
    crawl = await Reader(paged(record("large", description="é" * 40_000))).read()
    assert crawl.updates["large"].update.description == "é" * 40_000


@pytest.mark.parametrize(
    "trouble", [Trouble.UNAVAILABLE, Trouble.THROTTLED, Trouble.CUT_JSON, Trouble.CUT_BODY, Trouble.RESET]
)
@pytest.mark.parametrize("every", [2, 3, 5])
async def test_trouble_with_every_kth_request_changes_nothing(trouble: Trouble, every: int) -> None:
    api = paged(*records(150))
    api.troubles = {trouble: every}
    crawl = await Reader(api).read()
    assert set(crawl.updates) == everything_of(api)
    assert crawl.doubt is None


async def test_a_page_that_never_comes_is_asked_for_again() -> None:
    api = paged(*records(50))
    api.troubles = {Trouble.STALLED: 4}
    crawl = await Reader(api, read_timeout=0.2).read()
    assert set(crawl.updates) == everything_of(api)


async def test_the_feed_says_how_long_to_wait() -> None:
    api = paged(*records(30))
    api.troubles = {Trouble.THROTTLED: 3}
    reader = Reader(api)
    await reader.read()
    assert reader.transport.waits == [7]


@pytest.mark.parametrize(
    "trouble", [Trouble.UNAVAILABLE, Trouble.THROTTLED, Trouble.CUT_JSON, Trouble.CUT_BODY, Trouble.RESET]
)
async def test_trouble_that_does_not_pass_ends_the_reading(trouble: Trouble) -> None:
    api = paged(*records(30))
    api.troubles = {trouble: 1}
    with pytest.raises(FeedError):
        await Reader(api).read()


async def test_a_feed_that_is_away_cannot_be_read() -> None:
    async with UpdatesApi().serving() as url:
        pass
    with pytest.raises(FeedError):
        await UpdatesFeed(url, patience=0).read(watch_nothing)


@pytest.mark.parametrize(
    "answer", [[], {}, {"value": {}}, {"value": [], "@odata.count": "many"}, {"value": None, "@odata.count": 1}, "text"]
)
async def test_something_other_than_a_page_is_not_taken_for_one(answer: Any) -> None:
    class Odd(UpdatesApi):
        def _page(self, query: Any) -> Any:
            return answer

    with pytest.raises(FeedError, match="page of records"):
        await Reader(Odd()).read()


async def test_how_far_the_reading_has_come_is_told() -> None:
    api = UpdatesApi(records(250))
    told: list[tuple[str, int, int | None]] = []
    async with api.serving() as url:
        await UpdatesFeed(url).read(lambda *progress: told.append(progress))
    assert told == [("Reading the feed", done, 250) for done in (100, 200, 250)]


class Luring(UpdatesApi):
    """Links to a page elsewhere, under another question."""

    def _page(self, query: Any) -> Any:
        page = super()._page(query)
        if "@odata.nextLink" in page:
            page["@odata.nextLink"] = "http://127.0.0.1:1/?$skip=100&$filter=nothing&$top=1&$orderby=title"
        return page


async def test_a_link_cannot_lead_to_another_host_nor_change_the_question() -> None:
    api = Luring(records(150))
    crawl = await Reader(api).read()
    assert set(crawl.updates) == everything_of(api)
    (followed,) = (request for request in api.requests if "$skip" in request.query)
    assert dict(followed.query) == {"$skip": "100", "$orderby": "id asc", "$top": "100", "$count": "true"}
