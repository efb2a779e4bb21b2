"""What a what-if comes to is the same for the same, whatever order and noise it came with, and differs for all else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping
from copy import deepcopy
from dataclasses import astuple
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients.azure.what_if.outlook import WhatIfOutlook, outlook_of
from clients.azure.what_if.values import (
    A_VALUE,
    ANOTHER_VALUE,
    NOT_KNOWN_YET,
    TOO_DEEP,
    is_expression,
    is_of_the_service,
    label_of,
)
from tests.sweeps import examples
from tests.tools.azure.data import FOLDER, recorded, with_data

Json = dict[str, Any]
SCOPE: Final = "/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/shop-prod"
SITE: Final = f"{SCOPE}/providers/Microsoft.Web/sites/shop"
NETWORK: Final = f"{SCOPE}/providers/Microsoft.Network/virtualNetworks/lan"


def answers() -> dict[str, Json]:
    """What was recorded, and what is like what nobody recorded: lists of named entries, of all kinds of change."""
    found = {"invented": invented()}
    for file in sorted((FOLDER / "fixtures" / "arm-deployments").glob("*what-if*.json")):
        one = recorded(f"arm-deployments/{file.stem}")
        last = (one.get("steps") or [one])[-1]["response"]["body"]
        if last["status"] == "Succeeded":
            found[file.stem] = last
    return found


def invented() -> Json:
    rules = [{"name": name, "properties": {"port": port}} for name, port in (("web", 443), ("ssh", 22), ("db", 5432))]
    subnet = f"{NETWORK}/subnets/front"
    moved = [
        {"path": "0", "propertyChangeType": "Delete", "before": {"name": "old", "properties": {"port": 80}}},
        {"path": "1", "propertyChangeType": "Create", "after": {"name": "new", "properties": {"port": 81}}},
        {"path": "2", "propertyChangeType": "Modify", "children": [change("properties.port", 22, 23)]},
    ]
    after = {"properties": {"rules": [{"name": "web"}, {"name": "new"}, {"name": "ssh"}]}}
    delta = [
        {"path": "properties.rules", "propertyChangeType": "Array", "children": moved},
        change("properties.subnet.id", subnet, f"{NETWORK}/subnets/back"),
        change("properties.depth", None, {"a": [1, 2], "b": {"c": True}}, "Create"),
    ]
    return told(
        {"resourceId": NETWORK, "changeType": "Modify", "before": {}, "after": after, "delta": delta},
        {"resourceId": SITE, "changeType": "Create", "after": {"location": "West Europe", "properties": {"r": rules}}},
        {"resourceId": f"{SITE}/slots/green", "changeType": "Delete", "before": {"properties": {"x": [1, 2]}}},
        {"resourceId": f"{SITE}/slots/red", "changeType": "Unsupported", "unsupportedReason": "Who knows."},
    )


def told(*changes: Json, **more: Any) -> Json:
    return {"status": "Succeeded", "properties": {"changes": list(changes), **more}}


def change(path: str, before: Any, after: Any, kind: str = "Modify") -> Json:
    return {"path": path, "propertyChangeType": kind, "before": before, "after": after}


def modified(*delta: Json, **states: Any) -> Json:
    return told({"resourceId": SITE, "changeType": "Modify", "delta": list(delta), **states})


def digest(document: Json, scope: str = SCOPE) -> str:
    found = outlook_of(document, scope)
    return json.dumps([[astuple(one) for one in found.differences], found.counts, found.missing])


def lines(document: Json) -> list[tuple[Any, ...]]:
    return [astuple(one) for one in outlook_of(document, SCOPE).differences]


def shuffled(value: Any, random: Random) -> Any:
    """The same in another order, where the order says nothing."""
    if isinstance(value, dict):
        entries = [(name, shuffled(one, random)) for name, one in value.items()]
        random.shuffle(entries)
        return dict(entries)
    if isinstance(value, list):
        found = [shuffled(one, random) for one in value]
        if found and all(map(label_of, found)):
            random.shuffle(found)
        return found
    return value


def respelled(text: str, random: Random) -> str:
    return random.choice([text, text.lower(), text.upper().replace("/SUBSCRIPTIONS/", "/subscriptions/")])


def with_noise(document: Json, random: Random) -> Json:
    found: Json = deepcopy(document)
    properties = found["properties"]
    properties["correlationId"] = str(random.random())
    for entry in properties["changes"]:
        entry["resourceId"] = respelled(entry["resourceId"], random)
        for name in {"before", "after"} & entry.keys():
            # Of what is changed only the delta is looked at, whose places are those of the lists as they were told.
            if entry["changeType"] in {"Create", "Delete"}:
                entry[name] = shuffled(entry[name], random)
            entry[name] |= {"etag": str(random.random()), "tags2": {}, "systemData": {"at": random.random()}}
        if entry.get("delta"):
            entry["delta"] += [
                {"path": "properties.x", "propertyChangeType": "NoEffect", "before": 1, "after": random.random()},
                change("properties.provisioningState", "Succeeded", str(random.random())),
                change("properties.nothing", None, [], "Create"),
                change("properties.none", {"inner": None}, None, "Delete"),
            ]
            random.shuffle(entry["delta"])
    ignored = [{"resourceId": f"{SCOPE}/providers/A.B/c/{n}", "changeType": "Ignore", "before": {}} for n in range(2)]
    properties["changes"] += [*ignored, {"resourceId": f"{SCOPE}/providers/A.B/c/9", "changeType": "NoChange"}]
    random.shuffle(properties["changes"])
    return found


class Spot:
    """A value that says something, and where it is."""

    def __init__(self, holder: MutableMapping[str, Any] | list[Any], key: Any) -> None:
        self.holder, self.key = holder, key

    def change(self) -> None:
        value = self.holder[self.key]
        self.holder[self.key] = not value if isinstance(value, bool) else [value, "another"]


def spots(document: Json) -> Iterator[Spot]:
    for entry in document["properties"]["changes"]:
        if entry["changeType"] in {"Create", "Delete"}:
            for name in {"before", "after"} & entry.keys():
                if (name == "before") != (entry["changeType"] == "Create"):
                    yield from _leaves(entry, name)
        elif entry["changeType"] == "Modify":
            yield from _of_delta(entry.get("delta") or [])


def _of_delta(delta: list[Json]) -> Iterator[Spot]:
    for one in delta:
        if one["propertyChangeType"] == "NoEffect":
            continue
        if one.get("children"):
            yield from _of_delta(one["children"])
        else:
            for name in {"before", "after"} & one.keys():
                yield from _leaves(one, name)


def _leaves(holder: Any, key: Any) -> Iterator[Spot]:
    value = holder[key]
    if isinstance(value, Mapping | list):
        names = list(value) if isinstance(value, Mapping) else range(len(value))
        for name in names:
            if not is_of_the_service(str(name)):
                yield from _leaves(value, name)
    elif value not in (None, "") and not is_expression(value):
        yield Spot(holder, key)


@with_data
@settings(max_examples=examples(60), deadline=None)
@given(name=st.sampled_from(sorted(answers()) if FOLDER.exists() else ["invented"]), random=st.randoms())
def test_order_spelling_and_noise_make_no_difference(name: str, random: Random) -> None:
    document = answers()[name]
    assert digest(with_noise(document, random)) == digest(document)


@with_data
@pytest.mark.parametrize("name", answers() if FOLDER.exists() else [])
def test_every_value_that_differs_makes_one(name: str) -> None:
    document = answers()[name]
    was, count = digest(document), len(list(spots(document)))
    for number in range(count):
        other = deepcopy(document)
        list(spots(other))[number].change()
        assert digest(other) != was, number


@with_data
@pytest.mark.parametrize("name", answers() if FOLDER.exists() else [])
def test_every_resource_and_what_becomes_of_it_makes_a_difference(name: str) -> None:
    document = answers()[name]
    was = digest(document)
    for number, entry in enumerate(document["properties"]["changes"]):
        if entry["changeType"] in {"Ignore", "NoChange"}:
            continue
        gone, other = deepcopy(document), deepcopy(document)
        del gone["properties"]["changes"][number]
        other["properties"]["changes"][number]["resourceId"] += "x"
        assert len({was, digest(gone), digest(other)}) == 3


def test_properties_are_told_by_their_paths_in_the_resource() -> None:
    assert lines(invented()) == [
        ("microsoft.network/virtualnetworks/lan: properties.depth", None, '{"a": [1, 2], "b": {"c": true}}'),
        (
            "microsoft.network/virtualnetworks/lan: properties.rules[new]",
            None,
            '{"name": "new", "properties": {"port": 81}}',
        ),
        (
            "microsoft.network/virtualnetworks/lan: properties.rules[old]",
            '{"name": "old", "properties": {"port": 80}}',
            None,
        ),
        ("microsoft.network/virtualnetworks/lan: properties.rules[ssh].properties.port", 22, 23),
        (
            "microsoft.network/virtualnetworks/lan: properties.subnet.id",
            f"{NETWORK}/subnets/front".lower(),
            f"{NETWORK}/subnets/back".lower(),
        ),
        (
            "microsoft.web/sites/shop",
            None,
            '{"location": "westeurope", "properties": {"r": [{"name": "db", "properties": {"port": 5432}}, {"name":'
            ' "ssh", "properties": {"port": 22}}, {"name": "web", "properties": {"port": 443}}]}}',
        ),
        ("microsoft.web/sites/shop/slots/green", '{"properties": {"x": [1, 2]}}', None),
        ("microsoft.web/sites/shop/slots/red", None, "there"),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("West Europe", "westeurope"),
        (None, []),
        ({"inner": {}}, None),
        (SITE, SITE.upper().replace("/SUBSCRIPTIONS", "/subscriptions")),
        ([{"id": "a", "x": 1}, {"id": "b"}], [{"id": "b"}, {"x": 1, "id": "a"}]),
    ],
)
def test_what_means_the_same_is_no_difference(before: Any, after: Any) -> None:
    assert lines(modified(change("properties.location", before, after))) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (1, "1"),
        (1, True),
        (0, False),
        (False, None),
        ("a", "A"),
        ([1, 2], [2, 1]),
        (["a", "b"], ["b", "a"]),
        ([{"id": "a"}], [{"id": "a"}, {"id": "a"}]),
        ("", "x"),
    ],
)
def test_what_is_not_the_same_is_one(before: Any, after: Any) -> None:
    assert len(lines(modified(change("properties.plan", before, after)))) == 1


def test_what_is_known_only_later_is_said_to_be_so() -> None:
    one = modified(change("tags.until", "noon", "[dateTimeAdd(utcNow('o'), 'PT1H')]"))
    other = modified(change("tags.until", "noon", "[reference(resourceId('x/y', 'z')).until]"))
    assert lines(one) == [("microsoft.web/sites/shop: tags.until", "noon", NOT_KNOWN_YET)]
    assert digest(one) == digest(other)
    assert digest(modified(change("tags.until", "noon", "[[not one]"))) != digest(one)


def test_an_entry_that_only_moved_in_its_list_makes_no_difference() -> None:
    entry = {"id": f"{SITE}/a", "weight": 1}
    gone = {"path": "0", "propertyChangeType": "Delete", "before": entry}
    made = {"path": "3", "propertyChangeType": "Create", "after": entry}
    array = {"path": "properties.list", "propertyChangeType": "Array", "children": [gone, made]}
    assert lines(modified(array)) == []
    array["children"] = [gone, {**made, "after": {**entry, "weight": 2}}]
    assert len(lines(modified(array))) == 2
    array["children"] = [gone, gone, made]
    assert len(lines(modified(array))) == 1


def test_without_a_delta_the_states_are_compared() -> None:
    states = {"before": {"sku": {"name": "S1"}, "etag": "1"}, "after": {"sku": {"name": "S2"}, "etag": "2"}}
    one = told({"resourceId": SITE, "changeType": "Modify", "delta": None, **states})
    assert lines(one) == [("microsoft.web/sites/shop: sku.name", "S1", "S2")]


@pytest.mark.parametrize(
    ("entry", "missing"),
    [
        ({"resourceId": SITE, "changeType": "Unsupported"}, "what happens to microsoft.web/sites/shop"),
        ({"resourceId": SITE, "changeType": "Deploy"}, "what happens to microsoft.web/sites/shop"),
        ({"resourceId": SITE, "changeType": "Explode"}, "what happens to microsoft.web/sites/shop"),
        ({"resourceId": f"{SITE}[0]", "changeType": "Create"}, "which resource microsoft.web/sites/shop[0] is"),
        (
            {"resourceId": f"{SCOPE}/providers/Microsoft.Resources/deploymentScripts/run", "changeType": "Create"},
            "what the script microsoft.resources/deploymentscripts/run does",
        ),
        (
            {"extension": {"name": "Graph"}, "identifiers": {"name": "app"}, "changeType": "Create"},
            """which resource {'name': 'Graph'} {"name": "app"} is""",
        ),
    ],
)
def test_what_nobody_can_tell_is_missing(entry: Json, missing: str) -> None:
    assert outlook_of(told(entry), SCOPE).missing == [missing]


def test_what_would_perhaps_change_and_what_was_skipped_is_missing() -> None:
    possible = [{"resourceId": SITE, "changeType": "Create", "after": {}}]
    skipped = [{"level": "Warning", "code": "NestedDeploymentShortCircuited", "target": "nested", "message": "Cut."}]
    found = outlook_of(told(potentialChanges=possible, diagnostics=skipped), SCOPE)
    assert found.missing == [
        "all of nested (NestedDeploymentShortCircuited)",
        "whether microsoft.web/sites/shop would change",
    ]
    assert (found.notes, found.touched) == (["Cut."], [SITE])


@pytest.mark.parametrize(
    "odd", [{}, {"properties": None}, {"properties": {"changes": "x"}}, told({}), told({"delta": 1})]
)
def test_whatever_comes_is_read(odd: Json) -> None:
    assert isinstance(outlook_of(odd, SCOPE), WhatIfOutlook)


@pytest.mark.parametrize("kind", ["appsettings", "ConnectionStrings"])
def test_of_settings_it_is_told_which_change_and_no_value(kind: str) -> None:
    delta = [change("properties.A", "1", "2"), change("properties.B", None, "2"), change("properties.C", "1", None)]
    resource = f"{SITE}/config/{kind}"
    outlook = outlook_of(told({"resourceId": resource, "changeType": "Modify", "delta": delta}), SCOPE)
    assert [(one.path.rpartition(".")[2], one.before, one.after) for one in outlook.differences] == [
        ("A", A_VALUE, ANOTHER_VALUE),
        ("B", None, A_VALUE),
        ("C", A_VALUE, None),
    ]


@pytest.mark.parametrize("kind", ["Modify", "Array", "Modify in an array"])
@pytest.mark.parametrize(("levels", "is_read"), [(60, True), (61, False)])
def test_changes_are_read_so_many_levels_deep(kind: str, levels: int, *, is_read: bool) -> None:
    delta: Json = change("a", 1, 2)
    for level in range(levels - 1):
        is_array = kind == "Array" or (kind == "Modify in an array" and level % 2)
        delta = {"path": "0" if is_array else "a", "propertyChangeType": kind.partition(" ")[0], "children": [delta]}
    (line,) = lines(modified(delta))
    assert (line[2] != TOO_DEEP) is is_read


def test_what_is_nested_without_end_is_read_all_the_same() -> None:
    deep: Any = "x"
    for _ in range(500):
        deep = {"a": deep}
    delta: Json = change("a", 1, 2)
    for _ in range(500):
        delta = {"path": "a", "propertyChangeType": "Modify", "children": [delta]}
    assert lines(told({"resourceId": SITE, "changeType": "Create", "after": deep}))
    (line,) = lines(modified(delta))
    assert line[2] == TOO_DEEP
    assert outlook_of(modified(delta), SCOPE).missing == [
        "content of microsoft.web/sites/shop that is nested too deeply"
    ]
