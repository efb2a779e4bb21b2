from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refusal import Refusal
from tests.sweeps import examples
from tests.updates.indexing import UNHURRIED, dice, every, index_of, search, update
from updates.record import Update
from updates.searching.index import UpdatesIndex

Corpus = tuple[list[Update], UpdatesIndex]
MONTHS = ("2025-12", "2026-01", "2026-02", None)
WORDS = "alpha bravo delta kilo tango zulu".split()
ORDERS = st.sampled_from(
    [f"{by}:{way}" for by in ("relevance", "modified", "created", "availability", "title") for way in ("asc", "desc")]
)
RINGS = st.sampled_from([None, "Preview", "Retirement"])
QUERIES = st.sampled_from(
    ["", "alpha", "alpha bravo", "kilo tango -zulu", '"delta kilo"', "alpha bravo delta kilo tango"]
)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Updates of which any order finds many equal."""
    random = dice(3)
    updates = [
        update(
            f"{number:03}",
            random.choice(("éclair", "Eclair", "Zebra crossing", "apple", "Apple pie")),
            description=f"<p>{' '.join(random.choices(WORDS, k=3))}</p>",
            created=f"2026-0{random.randrange(1, 4)}-01T00:00:00.0000000Z",
            modified=f"2026-0{random.randrange(4, 6)}-01T00:00:00.000000{random.randrange(2)}Z",
            reaches={
                ring: random.choice(MONTHS) for ring in random.sample(("Preview", "Retirement"), random.randrange(3))
            },
        )
        for number in range(120)
    ]
    return updates, index_of(*reversed(updates))


def in_order(updates: list[Update], by: str, ring: str | None, *, descending: bool) -> list[str]:
    """Sort as one would by hand: equal ones stay newest first, then by id."""
    standing = sorted(sorted(updates, key=lambda one: one.id), key=lambda one: one.modified, reverse=True)
    if by in {"modified", "created"}:
        return [one.id for one in sorted(standing, key=lambda one: str(getattr(one, by)), reverse=descending)]
    if by == "title":
        folded = {one.id: one.title.replace("é", "e").casefold() for one in standing}
        return [one.id for one in sorted(standing, key=lambda one: folded[one.id], reverse=descending)]
    dates = {
        one.id: sorted(a.date for a in one.availabilities if a.date and ring in {None, a.ring}) for one in standing
    }
    dated = [one.id for one in standing if dates[one.id]]
    undated = [one.id for one in standing if not dates[one.id]]
    return sorted(dated, key=lambda key: dates[key][-1 if descending else 0], reverse=descending) + undated


@given(st.sampled_from(["modified", "created", "availability", "title"]), RINGS, st.booleans())
@UNHURRIED
def test_orders_are_those_one_would_sort_by_hand(corpus: Corpus, by: str, ring: str | None, descending: bool) -> None:
    updates, index = corpus
    has_ring = [one for one in updates if ring is None or ring in {a.ring for a in one.availabilities}]
    found = every(index, sort_by=f"{by}:{'desc' if descending else 'asc'}", availability_ring=ring)
    assert [one.id for one in found] == in_order(has_ring, by, ring, descending=descending)


@given(QUERIES, ORDERS, RINGS, st.integers(1, 100))
@settings(UNHURRIED, max_examples=examples(200))
def test_pages_neither_repeat_nor_skip(corpus: Corpus, query: str, order: str, ring: str | None, size: int) -> None:
    index = corpus[1]
    whole = every(index, query, sort_by=order, availability_ring=ring)
    assert len({one.id for one in whole}) == len(whole)
    assert every(index, query, page=size, sort_by=order, availability_ring=ring) == whole


@given(QUERIES.filter(bool), RINGS)
@UNHURRIED
def test_the_most_relevant_come_first_or_last(corpus: Corpus, query: str, ring: str | None) -> None:
    index = corpus[1]
    best_first = every(index, query, availability_ring=ring)
    scores = [found.relevance or 0 for found in best_first]
    assert scores == sorted(scores, reverse=True)
    assert every(index, query, sort_by="relevance:asc", availability_ring=ring) == best_first[::-1]


@given(QUERIES.filter(bool), ORDERS)
@UNHURRIED
def test_an_order_changes_nothing_but_the_order(corpus: Corpus, query: str, order: str) -> None:
    index = corpus[1]
    assert set(every(index, query, sort_by=order)) == set(every(index, query))


def test_equally_relevant_updates_come_newest_first() -> None:
    old, new = (
        update("a", "Same", modified="2026-01-01T00:00:00Z"),
        update("b", "Same", modified="2026-02-01T00:00:00Z"),
    )
    assert [found.id for found in search(index_of(old, new), "same").results] == ["b", "a"]


def test_without_a_query_the_newest_come_first(corpus: Corpus) -> None:
    updates, index = corpus
    newest_first = in_order(updates, "modified", None, descending=True)
    for order in (None, "relevance:desc", "relevance:asc", " Modified:DESC "):
        assert [one.id for one in every(index, sort_by=order)] == newest_first


def test_a_year_is_ordered_by_its_ends() -> None:
    index = index_of(update("year", reaches={"Preview": "2026"}), update("june", reaches={"Preview": "2026-06"}))
    for way in ("asc", "desc"):
        assert [one.id for one in every(index, sort_by=f"availability:{way}")] == ["year", "june"]


@pytest.mark.parametrize(
    ("order", "usual"),
    [("relevance", "relevance:desc"), ("modified", "modified:desc"), ("availability", "availability:asc")],
)
def test_an_order_without_a_direction_has_its_usual_one(corpus: Corpus, order: str, usual: str) -> None:
    assert every(corpus[1], "alpha", sort_by=order) == every(corpus[1], "alpha", sort_by=usual)


@pytest.mark.parametrize("order", ["", "newest", "modified:down", "modified:desc:asc", ":asc", "id:asc"])
def test_an_unknown_order_is_refused_with_those_there_are(corpus: Corpus, order: str) -> None:
    with pytest.raises(
        Refusal, match=r"is invalid. Valid: relevance, modified, created, availability, title, optionally"
    ):
        search(corpus[1], sort_by=order)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"limit": 0}, "limit must be from 1 to 100; it is 0"),
        ({"limit": 101}, "from 1 to 100"),
        ({"offset": -1}, "offset must be 0 or more; it is -1"),
        ({"detail": "long"}, "summary or full"),
    ],
)
def test_a_page_that_cannot_be_is_refused(corpus: Corpus, asked: dict[str, int], says: str) -> None:
    with pytest.raises(Refusal, match=says):
        search(corpus[1], **asked)


@pytest.mark.parametrize("offset", [119, 120, 121, 10**15])
@pytest.mark.parametrize("order", [None, "relevance:asc", "title:asc"])
def test_behind_the_last_there_is_nothing(corpus: Corpus, offset: int, order: str | None) -> None:
    index = corpus[1]
    for query in ("", "alpha"):
        total = search(index, query).total
        page = search(index, query, offset=offset, sort_by=order)
        assert (page.total, len(page.results), page.has_more) == (total, max(0, total - offset), False)


def test_a_page_tells_whether_there_is_more(corpus: Corpus) -> None:
    index = corpus[1]
    assert search(index, limit=100).has_more
    assert not search(index, limit=20, offset=100).has_more
