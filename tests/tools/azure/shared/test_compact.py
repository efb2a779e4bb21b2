"""Answers in fewer tokens say the same: whoever puts the parts together has the rows as Azure gave them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from clients.azure.log_rows import Column, LogRows
from tests.tools.azure.golden import SUBSCRIPTION
from tools.azure.monitor.rows import table_answer
from tools.azure.shared.compact import compact

GROUP: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop"
SITE: Final = f"{GROUP}/providers/Microsoft.Web/sites/till"
IDS: Final = st.sampled_from([SITE, SITE.upper(), GROUP, f"{GROUP}/providers/Microsoft.Sql/servers/s"])
VALUES: Final[st.SearchStrategy[Any]] = st.one_of(
    st.sampled_from([1, 1.0, True, False, 0, "", None, "x" * 60, "2026-11-20T10:00:00Z", [], {}, {"a": 1}]), IDS
)
ROWS: Final = st.integers(1, 4).flatmap(
    lambda number: st.lists(
        st.fixed_dictionaries(dict(zip("abcd"[:number], [VALUES, IDS, VALUES, IDS], strict=False))), max_size=40
    )
)


def exact(value: Any) -> str:
    return json.dumps(value)


def is_of_ids(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return all(str(row[name]).lower().startswith("/subscriptions/") for row in rows if row[name])


@given(ROWS)
def test_rows_are_the_same_after_they_were_compacted(rows: list[dict[str, Any]]) -> None:
    told = compact(rows)
    beginning, same = told.get("idsBeginWith", ""), told.get("sameInAll", {})
    assert len(told["items"]) == len(rows)
    for row, item in zip(rows, told["items"], strict=True):
        whole = {**same, **item}
        assert whole.keys() == row.keys()
        for name, value in row.items():
            is_cut = beginning and value and is_of_ids(rows, name)
            read = f"{beginning}{whole[name]}" if is_cut else whole[name]
            assert exact(read).lower() == exact(value).lower()


@given(ROWS)
def test_a_table_is_the_same_after_it_was_compacted(rows: list[Mapping[str, Any]]) -> None:
    names = list(rows[0]) if rows else ["a"]
    told = table_answer(LogRows([Column(name, "dynamic") for name in names], rows), 50)
    beginning, same = told.get("idsBeginWith", ""), told.get("sameInAll", {})
    assert told["count"] == len(rows)
    for row, cells in zip(rows, told["rows"], strict=True):
        whole = {**same, **dict(zip(told["columns"], cells, strict=True))}
        for name, value in row.items():
            is_cut = beginning and value and is_of_ids(rows, name)
            # A column without any value is left out.
            read = f"{beginning}{whole[name]}" if is_cut else whole.get(name, value)
            assert exact(read).lower() == exact(value).lower()


def test_sixty_rows_of_a_log_state_what_they_share_once() -> None:
    names = ["TimeGenerated", "AppRoleName", "Message", "SeverityLevel", "OperationName", "_ResourceId"]
    rows: list[Mapping[str, Any]] = [
        {
            "TimeGenerated": f"2026-11-20T10:00:{number:02}.1234567Z",
            "AppRoleName": "shop-web",
            "Message": f"Order {number} is baked",
            "SeverityLevel": 1,
            "OperationName": "POST Orders/Place",
            "_ResourceId": SITE,
        }
        for number in range(60)
    ]
    told = table_answer(LogRows([Column(name, "string") for name in names], rows), 60)
    assert told["columns"] == ["TimeGenerated", "Message"]
    assert told["rows"][1] == ["2026-11-20T10:00:01Z", "Order 1 is baked"]
    assert told["sameInAll"]["AppRoleName"] == "shop-web"
    assert told["sameInAll"]["SeverityLevel"] == 1
    assert told["idsBeginWith"] + told["sameInAll"]["_ResourceId"] == SITE
    assert len(json.dumps(told)) < len(json.dumps(rows)) / 4


def test_a_row_alone_is_as_it_was() -> None:
    told = table_answer(LogRows([Column("a", "int"), Column("b", "string")], [{"a": 1, "b": "x"}]), 10)
    assert (told["columns"], told["rows"]) == (["a", "b"], [[1, "x"]])
