"""The subscriptions and groups that the settings allow."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from clients.azure.ids import ResourceId
from clients.azure.reach import AzureReach, group_entries, subscription_entries
from tests.clients.azure.estate import LAB, MILL, NAMES, SHOP, reach


@pytest.mark.parametrize("name", [SHOP, "Shop", "The Mill", "a", "a" * 64])
def test_a_subscription_is_an_id_or_a_name(name: str) -> None:
    assert subscription_entries([f" {name} "]) == {name}


@pytest.mark.parametrize("name", ["", " ", "a" * 65, "a/b", "a\nb", "a\x00"])
def test_another_text_is_no_subscription(name: str) -> None:
    with pytest.raises(ValueError, match="up to 64 characters"):
        subscription_entries(["Shop", name])


@pytest.mark.parametrize("name", ["web", f"{SHOP}/web", "The Mill/web", " Shop /web", "a" * 90, "a.b-(c)_", "ä"])
def test_a_group_may_name_its_subscription(name: str) -> None:
    assert group_entries([name]) == {name.strip()}


@pytest.mark.parametrize("name", ["", "/", "/web", "Shop/", "a/b/web", "a" * 91, "web.", "a b", f"{'a' * 65}/web"])
def test_another_text_is_no_group(name: str) -> None:
    with pytest.raises(ValueError, match="a resource group must be"):
        group_entries(["web", name])


@pytest.mark.parametrize(
    ("made", "is_everything", "named", "is_by_ids", "contradiction"),
    [
        (reach(), True, set(), False, ""),
        (reach(SHOP), False, {SHOP}, True, ""),
        (reach("Shop"), False, {"shop"}, False, ""),
        (reach(f"{SHOP},Lab"), False, {SHOP, "lab"}, False, ""),
        (reach("", "web"), False, set(), False, ""),
        (reach(SHOP, "web"), False, {SHOP}, True, ""),
        (reach("", f"{SHOP}/web"), False, {SHOP}, True, ""),
        (reach("", f"{SHOP}/web,vault"), False, set(), False, ""),
        (reach("", "Lab/web"), False, {"lab"}, False, ""),
        (reach(SHOP, f"{SHOP}/web"), False, {SHOP}, True, ""),
        (reach(SHOP, f"{SHOP}/web,Lab/web"), False, {SHOP}, False, "lab"),
        (reach(SHOP, f"{MILL}/web,{LAB}/web"), False, {SHOP}, True, LAB),
    ],
)
def test_what_the_settings_say(
    made: AzureReach, is_everything: bool, named: set[str], is_by_ids: bool, contradiction: str
) -> None:
    assert (made.is_everything, {*made.named}) == (is_everything, named)
    assert (made.is_by_ids, made.contradiction) == (is_by_ids, contradiction)


TWICE: Mapping[str, str] = {**NAMES, MILL: "Shop"}


@pytest.mark.parametrize(
    ("made", "names", "groups"),
    [
        (reach(SHOP), {}, {SHOP: None}),
        (reach("SHOP"), NAMES, {SHOP: None}),
        (reach("Shop"), TWICE, {}),
        (reach("Nobody"), NAMES, {}),
        (reach("", "web"), NAMES, {one: {"web"} for one in NAMES}),
        (reach("Shop,Lab", "web,Lab/vault"), NAMES, {SHOP: {"web"}, LAB: {"web", "vault"}}),
        (reach("", "Lab/WEB"), NAMES, {LAB: {"web"}}),
        (reach("Shop,Lab", "Lab/web"), NAMES, {SHOP: set(), LAB: {"web"}}),
    ],
)
def test_names_are_resolved_to_ids(made: AzureReach, names: Mapping[str, str], groups: Mapping[str, object]) -> None:
    bounds = made.bounds(names)
    assert dict(bounds.groups) == groups
    assert bounds.subscriptions == sorted(one for one, named in groups.items() if named != set())
    assert bounds.knows_groups == any(named is not None for named in groups.values())
    for one in NAMES:
        assert bounds.opens(one.upper()) == (groups.get(one, set()) != set())
        assert bounds.opens_all_of(one.upper()) == (groups.get(one, set()) is None)
        for group in ("web", "vault"):
            named = groups.get(one, set())
            resource = ResourceId.of(f"/subscriptions/{one.upper()}/resourceGroups/{group.upper()}")
            assert bounds.admits(resource) == (named is None or (isinstance(named, set) and group in named))
