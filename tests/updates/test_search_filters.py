from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refusal import Refusal
from tests.sweeps import examples
from tests.updates.indexing import UNHURRIED, dice, every, ids, index_of, search, update
from updates.record import Update
from updates.searching.index import UpdatesIndex
from updates.searching.vocabulary import KINDS, values_of

Corpus = tuple[list[Update], UpdatesIndex]
TAGS, CATEGORIES, PRODUCTS = (
    ("Features", "Security", "Retirements"),
    ("Compute", "Storage"),
    ("Key Vault", "Batch", "SDKs"),
)
STATUSES, RINGS = ("Launched", "In preview"), ("General Availability", "Preview", "Retirement")
MONTHS = tuple(f"{year}-{month:02}" for year in (2025, 2026) for month in range(1, 13))
DAYS = tuple(f"{month}-{day:02}" for month in MONTHS for day in (1, 15, 28))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Some hundred updates of which many are alike, with and without everything."""
    random = dice(7)
    updates = [
        update(
            str(number),
            tags=random.sample(TAGS, random.randrange(3)),
            productCategories=random.sample(CATEGORIES, random.randrange(3)),
            products=random.sample(PRODUCTS, random.randrange(3)),
            status=random.choice([*STATUSES, None]),
            created=f"{random.choice(DAYS)}T{random.randrange(24):02}:59:59.9999999Z",
            modified=f"{random.choice(DAYS)}T{random.choice(('00:00:00.0000000', '23:59:59.9999999'))}Z",
            reaches={
                ring: random.choice([*MONTHS, "2026", None]) for ring in random.sample(RINGS, random.randrange(3))
            },
        )
        for number in range(150)
    ]
    return updates, index_of(*updates)


def dates_of(one: Update, field: str, ring: str | None) -> list[str]:
    """As text: dates that begin alike are within each other."""
    if field in {"modified", "created"}:
        return [getattr(one, field)]
    dates = [availability.date for availability in one.availabilities if ring in {None, availability.ring}]
    return [
        month
        for date in dates
        if date
        for month in ([date] if "-" in date else [f"{date}-{m:02}" for m in range(1, 13)])
    ]


def holds(one: Update, asked: dict[str, Any]) -> bool:
    ring = asked.get("availability_ring")
    field = asked.get("date_field") or ("modified" if ring is None else "availability")
    start, end = asked.get("date_from", "0"), asked.get("date_to", "9")
    if field == "availability":
        start, end = start[:7], end[:7]
    return (
        set(asked.get("tags", ())) <= set(one.tags)
        and set(asked.get("product_categories", ())) <= set(one.product_categories)
        and set(asked.get("products", ())) <= set(one.products)
        and asked.get("status", one.status) == one.status
        and (ring is None or ring in {availability.ring for availability in one.availabilities})
        and (
            not asked.keys() & {"date_from", "date_to"}
            or any(start <= date[: len(start)] and date[: len(end)] <= end for date in dates_of(one, field, ring))
        )
    )


def some_of(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


EACH: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "tags": some_of(TAGS),
        "product_categories": some_of(CATEGORIES),
        "products": some_of(PRODUCTS),
        "status": st.sampled_from(STATUSES),
        "availability_ring": st.sampled_from(RINGS),
        "date_from": st.sampled_from(MONTHS + DAYS),
        "date_to": st.sampled_from(MONTHS + DAYS),
        "date_field": st.sampled_from(["modified", "created", "availability"]),
    },
)
ASKED = EACH.filter(lambda asked: asked.get("date_from", "0") <= asked.get("date_to", "9"))


@given(ASKED)
@settings(UNHURRIED, max_examples=examples(300))
def test_exactly_what_satisfies_all_filters_is_found(corpus: Corpus, asked: dict[str, Any]) -> None:
    updates, index = corpus
    assert {found.id for found in every(index, **asked)} == {one.id for one in updates if holds(one, asked)}


@given(ASKED)
@UNHURRIED
def test_facets_count_the_whole_match(corpus: Corpus, asked: dict[str, Any]) -> None:
    updates, index = corpus
    matching = [one for one in updates if holds(one, asked)]
    facets = search(index, limit=1, facets=True, **asked).facets
    assert facets is not None
    for kind in KINDS:
        values = [value for one in matching for value in values_of(one, kind)]
        assert facets[kind] == {value: values.count(value) for value in set(values)}
        assert list(facets[kind].values()) == sorted(facets[kind].values(), reverse=True)


def test_facets_are_counted_only_when_asked_for(corpus: Corpus) -> None:
    assert search(corpus[1]).facets is None


def test_filters_narrow_what_a_query_finds() -> None:
    index = index_of(
        update("1", "Caching", tags=["A"]), update("2", "Caching", tags=["B"]), update("3", "Else", tags=["A"])
    )
    assert ids(index, "caching", tags=("A",)) == ["1"]


def test_filters_take_any_case_and_known_names() -> None:
    one = update("1", tags=["Feature"], products=["Key Vault", "Azure Kubernetes Service (AKS)"])
    other = update("2", tags=["Features"], products=["Key Vault"])
    index = index_of(one, other)
    assert sorted(ids(index, tags=("FEATURES",))) == ["1", "2"]
    assert ids(index, products=("azure key vault", "aks")) == ["1"]


@pytest.mark.parametrize(
    "asked", [{"tags": ("Nonsense",)}, {"products": ("Keyvalut",)}, {"product_categories": ("Computing",)}]
)
def test_an_unknown_value_is_refused_and_never_an_empty_answer(corpus: Corpus, asked: dict[str, Any]) -> None:
    with pytest.raises(Refusal, match="is called"):
        search(corpus[1], **asked)


def test_the_dates_of_a_ring_are_its_own() -> None:
    index = index_of(
        update("both", reaches={"Preview": "2026-02", "Retirement": "2027-05"}),
        update("early", reaches={"Retirement": "2026-03"}),
        update("unknown", reaches={"Retirement": None}),
        update("some time", reaches={"Retirement": "2026"}),
    )
    quarter = {"date_from": "2026-01-15", "date_to": "2026-03-15"}
    assert sorted(ids(index, availability_ring="Retirement", **quarter)) == ["early", "some time"]
    assert sorted(ids(index, date_field="availability", **quarter)) == ["both", "early", "some time"]
    assert ids(index, availability_ring="Retirement", date_field="modified", **quarter) == []
    assert ids(index, availability_ring="Retirement", date_from="2027-05", date_to="2027-05") == ["both"]


def test_both_ends_must_hold_for_the_same_date() -> None:
    twice = [{"ring": "Retirement", "year": year, "month": "June"} for year in (2025, 2027)]
    index = index_of(update("1", availabilities=twice))
    assert ids(index, availability_ring="Retirement", date_from="2026-01", date_to="2026-12") == []


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"date_to": "2026-03-31"}, ["last"]),
        ({"date_to": "2026-03"}, ["last"]),
        ({"date_from": "2026-04-01"}, ["first"]),
        ({"date_from": "2026-04"}, ["first"]),
        ({"date_from": "2026-03-31T23:59:59.9999999Z"}, ["first", "last"]),
        ({"date_from": "2026-03-31T23:59:59.9999999Z", "date_to": "2026-03-31T23:59:59.9999999Z"}, ["last"]),
        ({"date_to": "2026-03-31T23:59:59.9999998Z"}, []),
        ({"date_from": "2026-04-01T01:00:00+01:00"}, ["first"]),
    ],
)
def test_a_date_without_time_includes_all_of_it(asked: dict[str, Any], found: list[str]) -> None:
    last = update("last", modified="2026-03-31T23:59:59.9999999Z")
    first = update("first", modified="2026-04-01T00:00:00.0000000Z")
    assert ids(index_of(last, first), **asked) == found


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"date_from": "2026-02", "date_to": "2026-01"}, "dateTo 2026-01 is before dateFrom 2026-02"),
        ({"date_from": "2026-02-02", "date_to": "2026-02-01", "availability_ring": "Preview"}, "is before"),
        ({"date_from": "soon"}, "dateFrom 'soon' is not a date"),
        ({"date_to": ""}, "dateTo '' is not a date"),
        ({"date_field": "published"}, "Unknown date field 'published'. Valid: modified, created, availability"),
        ({"status": ""}, "No status is called ''"),
    ],
)
def test_what_makes_no_sense_is_refused(corpus: Corpus, asked: dict[str, Any], says: str) -> None:
    with pytest.raises(Refusal, match=says):
        search(corpus[1], **asked)


def test_a_day_that_begins_after_its_own_end_is_no_contradiction(corpus: Corpus) -> None:
    assert search(corpus[1], date_from="2026-01-31", date_to="2026-01").total >= 0
