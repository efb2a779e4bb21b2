"""Settings of an app and the changes to them, which keep the names as they are written."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from clients.azure.apps.settings import Current
from refusal import Refusal

NOW = Current({"ENDPOINT": "a", "Size": "1"}, "etag-1")


@pytest.mark.parametrize(
    ("values", "removed", "after"),
    [
        ({}, [], {"ENDPOINT": "a", "Size": "1"}),
        ({"Size": "2"}, [], {"ENDPOINT": "a", "Size": "2"}),
        ({"New": "x"}, ["Size"], {"ENDPOINT": "a", "New": "x"}),
        ({"Size": "2"}, ["Size"], {"ENDPOINT": "a", "Size": "2"}),
        ({}, ["Size", "ENDPOINT"], {}),
    ],
)
def test_a_change_keeps_all_other_settings(
    values: Mapping[str, str], removed: list[str], after: dict[str, str]
) -> None:
    changed = NOW.with_changes(values, removed)
    assert (changed.values, changed.etag) == (after, "etag-1")


@pytest.mark.parametrize(
    ("values", "removed", "said"),
    [
        ({"endpoint": "b"}, [], "has this setting as ENDPOINT"),
        ({}, ["SIZE"], "has this setting as Size"),
        ({}, ["Other", "Absent", "Size"], "Settings not found: Absent, Other"),
    ],
)
def test_a_change_names_settings_as_they_are(values: Mapping[str, str], removed: list[str], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        NOW.with_changes(values, removed)


def test_equal_settings_have_the_same_mark_in_any_order() -> None:
    assert NOW.mark == Current({"Size": "1", "ENDPOINT": "a"}, "etag-2").mark
    assert NOW.mark != Current({"Size": "2", "ENDPOINT": "a"}, "etag-1").mark
    assert Current({"A": "\ud800"}).mark != Current({"A": ""}).mark
