"""Answers to queries of logs are read as far as they came, row by row, and without secrets."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure.log_rows import LogRows, found_in
from clients.azure.messages import AzureAnswer
from refusal import Refusal

COLUMNS: Final = [{"name": "at", "type": "datetime"}, {"name": "n", "type": "long"}, {"name": "bag", "type": "dynamic"}]
CELLS: Final = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.just('{"a": [1, "x,]}"]}')
)
ROWS: Final = st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=20)


def answer(document: Any, cut_at: int | None = None) -> AzureAnswer:
    content = (document if isinstance(document, str) else json.dumps(document)).encode()
    return AzureAnswer(200, {}, content[:cut_at], cut_at is not None)


def table(rows: list[list[Any]], **more: Any) -> dict[str, Any]:
    return {"tables": [{"name": "PrimaryResult", "columns": COLUMNS, "rows": rows}], **more}


def values(found: LogRows) -> list[list[Any]]:
    return [list(row.values()) for row in found.rows]


@given(rows=ROWS, share=st.floats(0, 1), indent=st.sampled_from([None, 2]))
def test_of_an_answer_that_ends_anywhere_the_rows_that_came_whole_are_there(
    rows: list[list[Any]], share: float, indent: int | None
) -> None:
    text = json.dumps(table(rows), indent=indent)
    whole = values(found_in(answer(text), 1000))
    found = found_in(answer(text, int(len(text) * share)), 1000)
    assert found.is_cut
    assert values(found) == whole[: len(found.rows)]
    if int(len(text) * share) == len(text):
        assert len(found.rows) == len(rows)


@given(limit=st.integers(1, 30), rows=ROWS)
def test_no_more_rows_are_read_than_are_wanted_and_what_is_left_is_told(limit: int, rows: list[list[Any]]) -> None:
    found = found_in(answer(table(rows)), limit)
    assert (len(found.rows), found.is_cut) == (min(limit, len(rows)), len(rows) > limit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        '{"tables": [{"columns": ' + "[" * 100_000,
        '{"tables": [{"columns": [{"name": "a", "type": "long"}], "rows": [' + "[" * 100_000,
        '{"tables": [{"columns": [{"name": "a", "type": "long"}], "rows": ' + '["x", ' * 50_000,
        '{"tables": [{"columns": 7, "rows": {"a": 1}',
        '{"tables": [{"rows": [[1]]}',
        '{"tables": [{"columns": [{"name": "a", "type": "long"}], "rows": [[1] [2]',
    ],
)
def test_what_is_no_answer_and_was_cut_gives_no_row_that_is_none(text: str) -> None:
    found = found_in(answer(text, len(text)), 10)
    assert all(len(row) <= 1 for row in found.rows)


@pytest.mark.parametrize("document", [{}, [], {"tables": {}}, {"value": []}])
def test_what_is_no_answer_to_a_query_is_refused(document: Any) -> None:
    with pytest.raises(Refusal, match="contains no tables"):
        found_in(answer(document), 10)


@pytest.mark.parametrize(
    "document", [{"tables": []}, {"tables": [None]}, {"tables": [{"columns": None, "rows": None}]}]
)
def test_an_answer_without_a_table_has_no_rows(document: Any) -> None:
    assert found_in(answer(document), 10) == LogRows([], [])


@pytest.mark.parametrize("cut_at", [None, 10_000])
def test_secrets_are_withheld_by_their_columns_and_within_values_of_any_form(cut_at: int | None) -> None:
    columns = [{"name": "password", "type": "string"}, {"name": "bag", "type": "dynamic"}]
    rows = [["hunter2hunter2", '{"AccountKey": "c2VjcmV0c2VjcmV0c2VjcmV0"}']]
    found = found_in(answer({"tables": [{"columns": columns, "rows": rows}]}, cut_at), 10)
    assert found.rows == [{"password": "[withheld]", "bag": {"AccountKey": "[withheld]"}}]


def test_an_error_beside_the_tables_is_told_in_its_innermost_words() -> None:
    inner = {"code": "-2133196797", "message": "The results of this query exceed the set limit of 500000 records."}
    error = {
        "code": "PartialError",
        "message": "Some errors.",
        "details": [{"code": "EngineError", "innererror": inner}],
    }
    found = found_in(answer(table([], error=error)), 10)
    assert found.partial == inner["message"]


def test_half_a_character_is_told_as_what_cannot_be_read() -> None:
    text = '{"tables": [{"columns": [{"name": "a", "type": "string"}], "rows": [["x\\ud83d"], ["y"]]'
    assert found_in(answer(text, len(text)), 10).rows == [{"a": "x\ufffd"}, {"a": "y"}]


@pytest.mark.parametrize("cut", [False, True])
def test_the_work_grows_with_the_rows_and_no_faster(cut: bool) -> None:
    few, many = (_calls(rows, cut=cut) for rows in (200, 2000))
    assert many < 11 * few


def _calls(rows: int, *, cut: bool) -> int:
    """How many functions are called to read so many rows."""
    text = json.dumps(table([["2026-11-20T08:00:00Z", number, '{"a": [1, "x"]}'] for number in range(rows)]))
    came, calls = answer(text, len(text) if cut else None), 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        found = found_in(came, rows)
    finally:
        sys.setprofile(None)
    assert len(found.rows) == rows
    return calls


def test_up_to_ten_thousand_rows_and_a_thousand_columns_are_read() -> None:
    def answer_of(rows: int, columns: int) -> AzureAnswer:
        table = {"columns": [{"name": f"c{number}", "type": "int"} for number in range(columns)], "rows": [[1]] * rows}
        return AzureAnswer(200, {}, json.dumps({"tables": [table]}).encode())

    for rows, is_cut in ((10_000, False), (10_001, True)):
        found = found_in(answer_of(rows, 1), 20_000)
        assert (len(found.rows), found.is_cut) == (10_000, is_cut)
    assert len(found_in(answer_of(1, 1001), 5).columns) == 1000
