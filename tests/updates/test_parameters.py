"""Searches as the parameters of URLs: what a link says is what the page behind it searches for."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from updates.searching.parameters import NAMES, parameters_for, request_of
from updates.searching.search import SearchFilters, UpdateSearch

WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20)
LISTS = st.lists(WORDS, unique=True, max_size=4).map(tuple)
MAYBE = st.none() | WORDS
FILTERS = st.builds(SearchFilters, LISTS, LISTS, LISTS, MAYBE, MAYBE, MAYBE, MAYBE, MAYBE, MAYBE)
SEARCHES = st.builds(UpdateSearch, query=WORDS | st.just(""), filters=FILTERS, sort_by=MAYBE)


@given(SEARCHES)
def test_a_search_survives_its_way_through_a_url(search: UpdateSearch) -> None:
    written = parameters_for(search)
    assert {*written} <= {*NAMES}
    assert all(written.values())
    assert request_of(written) == replace(search, limit=request_of({}).limit)


def test_a_search_for_everything_needs_no_parameters() -> None:
    assert parameters_for(UpdateSearch()) == {}
