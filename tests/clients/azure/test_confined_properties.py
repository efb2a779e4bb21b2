"""Whatever path is asked for under whatever lock, nothing outside of it is asked for or told."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from clients.azure.client import Azure
from clients.azure.messages import AzureRequest
from refusal import Refusal
from tests.clients.azure.attacks import VAULT, WEB
from tests.clients.azure.estate import (
    GROUPS,
    LAB,
    MANAGER,
    MILL,
    NAMES,
    SHOP,
    Estate,
    locked,
    secret,
    written,
)

PIECES: Final = st.sampled_from(
    [
        *(
            "subscriptions",
            "Subscriptions",
            "resourceGroups",
            "RESOURCEGROUPS",
            "providers",
            "resources",
            "..",
            ".",
            "",
        ),
        *("%2e%2e", "%2F", "a%2fb", "Microsoft.Web", "sites", "s", "Microsoft.Management", "managementGroups", "query"),
        *("microsoft.resourcegraph", "operationresults", "web", "WEB", "vault", "web.", *GROUPS),
        *(SHOP, SHOP.upper(), LAB, MILL, f"{SHOP}/../{LAB}", "\\", "tenants", "locations", "Microsoft.Authorization"),
    ]
)
BEGINNINGS: Final = st.sampled_from(
    [
        "",
        "/subscriptions",
        *(f"/subscriptions/{one}" for one in NAMES),
        WEB,
        VAULT,
        f"/subscriptions/{LAB}/resourceGroups",
    ]
)
PATHS: Final = st.builds(lambda before, rest: "/".join([before, *rest]), BEGINNINGS, st.lists(PIECES, max_size=6))
SUBSCRIPTIONS: Final = st.sets(st.sampled_from([SHOP, SHOP.upper(), "lab", "The Mill", "Nowhere"]))
LOCKED_GROUPS: Final = st.sets(st.sampled_from(["web", "VAULT", "providers", f"{SHOP}/vault", "Lab/web", "nothing"]))


@given(
    subscriptions=SUBSCRIPTIONS,
    groups=LOCKED_GROUPS,
    method=st.sampled_from(["GET", "GET", "POST", "HEAD", "PUT", "DELETE"]),
    path=PATHS,
    link=st.one_of(st.just(""), PATHS),
    place=st.one_of(st.just(""), PATHS),
    query=st.dictionaries(st.sampled_from(["$filter", "query", "scope"]), PATHS, max_size=1),
    body=st.one_of(
        st.none(),
        st.dictionaries(
            st.sampled_from(["query", "subscriptions", "Subscriptions", "managementGroups", "scope"]),
            st.one_of(
                st.just("resources | where id has 'x'"), st.lists(st.sampled_from([*NAMES, *GROUPS]), max_size=3)
            ),
        ),
    ),
    is_ours=st.booleans(),
)
async def test_nothing_outside_of_a_lock_is_asked_for_or_told(
    subscriptions: set[str],
    groups: set[str],
    method: str,
    path: str,
    link: str,
    place: str,
    query: dict[str, str],
    body: Any,
    is_ours: bool,
) -> None:
    if not subscriptions | groups:
        return
    entries = {entry.lower() for entry in subscriptions}, {entry.lower() for entry in groups}
    within = {
        f"{one}/{group}".lower() for one in NAMES for group in (*GROUPS, "nothing") if _is_within(one, group, *entries)
    }
    open_subscriptions = {scope.partition("/")[0] for scope in within}
    estate = Estate(next_link=f"{MANAGER.base_url}{link}" if link else "")
    if place:
        estate.status, estate.headers = 202, {"Location": f"{MANAGER.base_url}{place}"}
    azure = locked(estate, ",".join(sorted(subscriptions)), ",".join(sorted(groups)))
    told = await _told(azure, written(f"{method} {path}", body=body, is_ready_made=is_ours), query, bool(place))
    for asked, at, scope in estate.sent:
        subscription, _, group = scope.partition("/")
        assert not scope or (
            _is_within(subscription, group, *entries) if group else subscription in open_subscriptions
        ), (asked, at)
    far = [secret(one, group) for one in NAMES for group in GROUPS if f"{one}/{group}".lower() not in within]
    assert [one for one in far if one in told] == []


async def _told(azure: Azure, request: AzureRequest, query: dict[str, str], waits: bool) -> str:
    asked = request.asking("query", **query)
    try:
        if waits:
            return (await azure.outcome(asked)).text
        return json.dumps((await azure.page(asked, 50)).items)
    except Refusal as refusal:
        return str(refusal)


def _is_within(subscription: str, group: str, subscriptions: set[str], groups: set[str]) -> bool:
    names = {subscription.lower(), NAMES[subscription].lower()}
    if subscriptions and not names & subscriptions:
        return False
    named = {group.lower(), *(f"{name}/{group}".lower() for name in names)}
    return not groups or bool(named & groups)
