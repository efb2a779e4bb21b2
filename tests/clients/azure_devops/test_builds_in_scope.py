"""Within a scope, what belongs to a build or refers to one is shown if that build is."""

from __future__ import annotations

from typing import Any

import pytest

from clients.azure_devops.confinement.builds import build_of, builds_in, go_by_builds, other_build_of, requests_for


@pytest.mark.parametrize(
    ("resource", "if_all_are_open", "if_some_are"),
    [
        ("wit/workitems/*", True, True),
        ("pipelines/approvals", True, True),
        ("pipelines/approvals/*", True, True),
        ("test/runs", False, True),
        ("test/runs/*", False, True),
        ("test/runs/*/results", False, True),
        ("build/builds/*", False, True),
        ("build/definitions/*", False, True),
        ("build/builds", False, False),
        ("wit/workitemsbatch", False, False),
    ],
)
def test_builds_decide_on_work_items_and_approvals_and_on_more_if_only_some_repositories_are_in_scope(
    resource: str, *, if_all_are_open: bool, if_some_are: bool
) -> None:
    assert go_by_builds(resource, opens_repositories=True) is if_all_are_open
    assert go_by_builds(resource, opens_repositories=False) is if_some_are


@pytest.mark.parametrize(
    ("record", "name", "number"),
    [
        ({"id": 7}, "latestBuild", 7),
        ({"id": "7", "build": {"id": 8}}, "triggeredByBuild", 7),
        ({"id": "x"}, "latestCompletedBuild", None),
        ({"build": {"id": 8}}, "latestBuild", None),
        ({"id": 7, "build": {"id": "8"}}, "failingSince", 8),
        ({"id": 7, "build": "8"}, "failingSince", None),
        ({"id": 7}, "failingSince", None),
    ],
)
def test_another_build_is_named_by_its_number(record: dict[str, Any], name: str, number: int | None) -> None:
    assert other_build_of(record, name) == number
    assert builds_in({"id": 1, name: record}) == {number} - {None}


def test_builds_are_found_in_a_record_and_in_each_entry_of_a_list() -> None:
    entry = {"latestBuild": {"id": 4}, "triggeredByBuild": "5", "relations": [{"url": None}, {}]}
    assert builds_in({"value": [entry, {"build": {"id": 6}}], "build": {"id": 7}}) == {4, 6}
    assert builds_in({"value": entry, "build": {"id": 7}}) == {7}
    assert builds_in({"value": []}) == set()


@pytest.mark.parametrize(
    ("record", "number"),
    [
        ({"pipeline": {"owner": {"id": 7}}, "build": {"id": 8}}, 7),
        ({"pipeline": {}, "build": {"id": "8"}}, 8),
        ({"pipeline": None, "build": {"id": "x"}}, None),
        ({}, None),
    ],
)
def test_the_build_of_an_approval_or_a_test_run(record: dict[str, Any], number: int | None) -> None:
    assert build_of(record) == number
    assert builds_in({"value": [record, {"relations": [{"url": "vstfs:///Build/Build/9"}]}]}) == {number, 9} - {None}
    assert builds_in(record) == {number} - {None}


def test_builds_are_asked_for_a_hundred_at_once() -> None:
    asked = [*requests_for("p", range(201, 0, -1))]
    assert [len(request.query["buildIds"].split(",")) for request in asked] == [100, 100, 1]
    assert asked[0].query["buildIds"].startswith("1,2,3,")
    assert asked[2].query["buildIds"] == "201"
