"""Ids of Azure: what is one, what it names, and that nothing else can be made of it on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure.ids import ResourceId
from refusal import Refusal

SUBSCRIPTION = "11111111-1111-1111-1111-111111111111"
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop"

NAMES = st.text("abcXYZ019-_.() äß", min_size=1).filter(lambda name: name.strip() not in {"", ".", ".."})
WORDS = st.sampled_from(["providers", "resourceGroups", "subscriptions", "Providers"])


@pytest.mark.parametrize(
    ("text", "subscription", "group", "type_", "name"),
    [
        (GROUP, SUBSCRIPTION, "shop", "Microsoft.Resources/subscriptions/resourceGroups", "shop"),
        (f"/subscriptions/{SUBSCRIPTION}", SUBSCRIPTION, "", "Microsoft.Resources/subscriptions", SUBSCRIPTION),
        (f"{GROUP}/providers/Microsoft.Web/sites/till", SUBSCRIPTION, "shop", "Microsoft.Web/sites", "till"),
        (f"{GROUP}/providers/Microsoft.Web/sites/a/slots/b", SUBSCRIPTION, "shop", "Microsoft.Web/sites/slots", "b"),
        (
            f"{GROUP}/providers/Microsoft.Web/sites/a/providers/Microsoft.Authorization/locks/keep",
            SUBSCRIPTION,
            "shop",
            "Microsoft.Authorization/locks",
            "keep",
        ),
        ("/providers/Microsoft.Cdn/profiles/all", "", "", "Microsoft.Cdn/profiles", "all"),
    ],
)
def test_an_id_says_what_it_names(text: str, subscription: str, group: str, type_: str, name: str) -> None:
    found = ResourceId.of(text)
    assert (found.subscription, found.group, found.type, found.name) == (subscription, group, type_, name)
    assert found.text == text


@given(st.one_of(NAMES, WORDS), st.one_of(NAMES, WORDS))
def test_a_name_may_be_any_word_of_a_path(group: str, name: str) -> None:
    found = ResourceId.of(f"/subscriptions/{SUBSCRIPTION}/RESOURCEGROUPS/{group}/providers/Microsoft.Web/sites/{name}/")
    assert (found.group, found.type, found.name.strip()) == (group, "Microsoft.Web/sites", name.strip())
    assert not found.is_list


@pytest.mark.parametrize(
    ("text", "names", "namespace", "is_list"),
    [
        (GROUP, [], "", False),
        (f"/subscriptions/{SUBSCRIPTION}", [], "", False),
        (f"{GROUP}/providers/Microsoft.Web/sites/a/slots/b", ["a", "b"], "Microsoft.Web", False),
        (f"{GROUP}/providers/Microsoft.Web/sites", [], "Microsoft.Web", True),
        (f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Web/sites/a", ["a"], "Microsoft.Web", False),
        (f"/subscriptions/{SUBSCRIPTION}/providers/A.B/c/d/providers/E.F/g/h", ["d", "h"], "E.F", False),
    ],
)
def test_an_id_names_its_resource_and_its_parents(text: str, names: list[str], namespace: str, is_list: bool) -> None:
    found = ResourceId.of(text)
    assert ([one for one in found.names if "." not in one], found.namespace, found.is_list) == (
        names,
        namespace,
        is_list,
    )
    assert found.key == text.lower()


def test_an_id_has_up_to_2048_characters() -> None:
    start = f"{GROUP}/providers/Microsoft.Web/sites/"
    assert ResourceId.of(start.ljust(2048, "a")).name.startswith("a")
    with pytest.raises(Refusal):
        ResourceId.of(start.ljust(2049, "a"))


def test_the_place_of_all_of_a_type_is_a_list() -> None:
    assert ResourceId.of(f"{GROUP}/providers/Microsoft.Web/sites").is_list


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shop",
        "subscriptions/x",
        "/subscriptions/shop",
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups/../x",
        f"{GROUP}//providers/Microsoft.Web/sites/a",
        f"{GROUP}/providers/Microsoft.Web/sites/a%2Fb",
        f"{GROUP}/providers/Microsoft.Web/sites/a?b=c",
        f"{GROUP}/providers/Microsoft.Web/sites/a#b",
        f"{GROUP}/providers/Microsoft.Web/sites/a\\b",
        f"{GROUP}/providers/Microsoft.Web/sites/a\nb",
        f"{GROUP}/providers/Web/sites/a",
        f"{GROUP}/providers/Microsoft.Web/sites/{'a' * 2048}",
        "https://management.azure.com/subscriptions",
        "/tenants",
    ],
)
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="An id looks like"):
        ResourceId.of(text)


def test_ids_compare_without_their_case() -> None:
    assert ResourceId.of(GROUP).key == ResourceId.of(GROUP.upper().replace("/SUBSCRIPTIONS", "/Subscriptions")).key
