"""Several list pages, combined into one."""

from __future__ import annotations

import pytest

from clients.messages import ListPage, combined


def test_combined_pages_keep_the_order_of_their_entries_and_the_counts_of_missing_ones() -> None:
    pages = (page for page in [ListPage([3, 1], left_out=2), ListPage([], unreadable=4), ListPage([2], left_out=1)])
    assert combined(pages) == ListPage([3, 1, 2], has_more=False, left_out=3, unreadable=4)


@pytest.mark.parametrize("longer", [0, 1])
def test_combined_pages_have_more_entries_if_any_of_them_has(longer: int) -> None:
    assert combined(ListPage([number], has_more=number == longer) for number in range(2)).has_more


def test_no_pages_combine_into_an_empty_page() -> None:
    assert combined([]) == ListPage([])
