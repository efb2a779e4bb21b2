"""What always holds for how resources are shown, whatever Azure answers."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure.resource_scopes import quoted, type_and_name
from clients.azure.times import moment
from refusal import Refusal
from tools.azure.resource.reasons import reasons_in
from tools.azure.resource.tags_and_locks import tag_filter
from tools.azure.resource.trimming import trimmed
from tools.azure.shared.compact import shortened

SEGMENTS = st.sampled_from(["subscriptions", "SUBSCRIPTIONS", "providers", "Providers", "a", "A", "İ", "b c", "x" * 30])
IDS = st.lists(SEGMENTS, min_size=1, max_size=8).map(lambda segments: "/" + "/".join(segments))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=400) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=30)
        | st.dictionaries(
            st.sampled_from(["error", "details", "message", "code", "innererror", "statusMessage", "x", "y"]), inner
        )
    ),
    max_leaves=60,
)
WRAPPERS = ("error", "innererror", "statusMessage", "text", "details", "mixed")


@given(st.lists(IDS, max_size=6))
def test_a_shortened_id_is_whole_again_with_its_beginning(ids: list[str]) -> None:
    found = shortened([{"id": one} for one in ids], "id")
    whole = [found.get("idsBeginWith", "") + one["id"] for one in found["items"]]
    assert [one.lower() for one in whole] == [one.lower() for one in ids]


@given(IDS)
def test_every_id_has_a_type_and_a_name(text: str) -> None:
    assert all(isinstance(part, str) for part in type_and_name(text))


def test_the_type_and_name_of_an_id_are_those_that_azure_says() -> None:
    assert type_and_name("/subscriptions/s/resourceGroups/g/providers/Microsoft.Sql/servers/a/databases/b") == (
        "Microsoft.Sql/servers/databases",
        "a/b",
    )


@given(JSON)
def test_trimming_leaves_little_and_says_whether_there_was_more(document: Any) -> None:
    left, left_out = trimmed(document)
    assert _longest(left) <= 301
    assert trimmed(left)[1] == 0 or left_out
    if document in (None, "", [], {}) or not left_out:
        assert json.dumps(left) is not None


def _longest(value: Any) -> int:
    if isinstance(value, dict):
        return max(map(_longest, value.values()), default=0)
    if isinstance(value, list):
        return max([len(value), *map(_longest, value)], default=0)
    return len(value) if isinstance(value, str) else 0


@given(JSON)
def test_reasons_are_few_and_short_whatever_is_told(document: Any) -> None:
    found = reasons_in(document)
    assert len(found) <= 20
    assert all(len(one.message) <= 1500 for one in found)


@given(st.lists(st.sampled_from(WRAPPERS), max_size=4))
def test_the_innermost_reason_is_found_however_it_is_wrapped(wrappers: list[str]) -> None:
    failure: Any = {"code": "Innermost", "message": "No such size."}
    for wrapper in wrappers:
        failure = _wrapped(failure, wrapper)
    assert [(one.code, one.message) for one in reasons_in(failure)] == [("Innermost", "No such size.")]


def _wrapped(failure: Any, wrapper: str) -> Any:
    outer = {"code": "Outer", "message": "See the details."}
    match wrapper:
        case "text":
            return {**outer, "message": json.dumps(failure)}
        case "mixed":
            return {**outer, "message": f"It failed: {json.dumps(failure)} (end)"}
        case "details":
            return {**outer, "details": [failure]}
    return {**outer, wrapper: failure}


def test_each_of_several_reasons_is_told_once() -> None:
    one, other = {"code": "A", "message": "a"}, {"code": "B", "message": "b"}
    assert [found.code for found in reasons_in({"code": "Outer", "details": [one, other, one]})] == ["A", "B"]


@given(st.text(max_size=50))
def test_a_text_in_a_filter_is_one_text(text: str) -> None:
    inner = quoted(text)[1:-1]
    assert inner.replace("''", "").count("'") == 0
    assert inner.replace("''", "'") == text


def test_a_tag_is_asked_for_by_name_or_with_its_value() -> None:
    assert tag_filter("a") == {"$filter": "tagName eq 'a'"}
    assert tag_filter("a = b=c") == {"$filter": "tagName eq 'a' and tagValue eq 'b=c'"}
    assert tag_filter(None) == {}


@given(st.text(max_size=40))
def test_a_time_is_read_or_refused(text: str) -> None:
    with suppress(Refusal):
        assert moment("since", text).endswith("Z")


@pytest.mark.parametrize(
    ("text", "is_end", "meant"),
    [
        ("2026-01-31", False, "2026-01-31T00:00:00Z"),
        ("2026-01-31", True, "2026-01-31T23:59:59Z"),
        ("2026-01-31T08:00:00+02:00", False, "2026-01-31T06:00:00Z"),
    ],
)
def test_a_day_is_meant_with_all_its_hours(text: str, is_end: bool, meant: str) -> None:
    assert moment("since", text, is_end=is_end) == meant
