"""Of an Azure that is locked to some subscriptions or groups, no tool asks for anything else, nor tells it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, OVEN, PRODUCTION, SHARED, SHOP
from tests.sweeps import examples
from tests.tools.azure.inventing import answered, asking, ids, refused
from tools.azure.settings import AzureSettings

NAMES: Final = {PRODUCTION: "Bakery Production", DEVELOPMENT: "Bakery Development", SHARED: "Bakery Shared"}
GRAPH: Final = "microsoft.resourcegraph"
SQL: Final = f"{SHOP}/providers/Microsoft.Sql/servers/shop-sql"
_SCOPE: Final = re.compile(r"/subscriptions/([0-9a-f-]{36})(?:/resourcegroups/([^/]+))?", re.IGNORECASE)


def locked(subscriptions: frozenset[str] = frozenset(), groups: frozenset[str] = frozenset()) -> AzureSettings:
    return AzureSettings(allowed_subscriptions=subscriptions, allowed_groups=groups)


async def test_under_a_lock_on_a_group_ready_questions_are_answered_and_others_are_not() -> None:
    azure = FakeAzure()
    lock = locked(groups=frozenset({f"{PRODUCTION}/shop-prod"}))
    async with asking(azure, settings=lock) as caller:
        everything = await answered(caller, "list_resources")
        assert SQL in ids(everything)
        assert all(one.startswith(SHOP) for one in ids(everything))
        groups = await answered(caller, "list_resource_groups")
        assert [one["name"] for one in groups["items"]] == ["shop-prod"]
        assert "cannot be limited" in await refused(caller, "query_resource_graph", query="resources")
        assert "outside the allowed scope" in await refused(caller, "show_resource_group", resource_group="oven-prod")
        assert "outside the allowed scope" in await refused(caller, "read_azure", path=OVEN)
        assert "Bakery Production" in json.dumps(await answered(caller, "list_azure_subscriptions"))


async def test_under_a_lock_on_a_subscription_a_query_is_asked_of_that_alone() -> None:
    azure = FakeAzure()
    async with asking(azure, settings=locked(frozenset({"Bakery Development"}))) as caller:
        found = await answered(caller, "query_resource_graph", query="resources | project id, name | take 50")
        assert {_SCOPE.findall(one)[0][0] for one in ids(found)} == {DEVELOPMENT}
        query = "resources | where name == workspace ('x')"
        assert "must not use workspace()" in await refused(caller, "query_resource_graph", query=query)


PLACES: Final = st.sampled_from(
    [
        *(f"/subscriptions/{one}" for one in NAMES),
        *(SHOP, OVEN, SQL, SHOP.upper(), f"{SHOP}/../oven-prod", f"{SHOP}/%2e%2e/oven-prod", f"/{OVEN}", f"{SHOP}//"),
        *(f"{SHOP}/providers/Microsoft.Resources/deployments", f"/subscriptions/{PRODUCTION}/resources"),
        *(f"/subscriptions/{PRODUCTION}/resourceGroups", f"/subscriptions/{PRODUCTION}/providers/Microsoft.Web/sites"),
        *("/subscriptions", "/providers/Microsoft.Management/managementGroups", "/providers/Microsoft.Web"),
        *(
            f"{SQL}/providers/Microsoft.Authorization/locks",
            f"{SHOP}/providers/Microsoft.Authorization/roleAssignments",
        ),
    ]
)
SUBSCRIPTIONS: Final = st.sampled_from([None, *NAMES, *NAMES.values()])
GROUPS: Final = st.sampled_from(["shop-prod", "oven-prod", "SHOP-PROD", "Oven-Dev", "..", "shop-prod/../oven-prod"])
CALLS: Final = st.one_of(
    st.tuples(st.just("read_azure"), st.fixed_dictionaries({"path": PLACES})),
    st.tuples(st.just("show_resource"), st.fixed_dictionaries({"resource_id": PLACES})),
    st.tuples(
        st.sampled_from(["list_resources", "list_resource_changes", "list_azure_deployments", "list_resource_locks"]),
        st.fixed_dictionaries({"subscription": SUBSCRIPTIONS}, optional={"resource_group": GROUPS}),
    ),
    st.tuples(
        st.sampled_from(["show_resource_group", "exists_resource_group", "export_resource_group_template"]),
        st.fixed_dictionaries({"subscription": SUBSCRIPTIONS, "resource_group": GROUPS}),
    ),
    st.tuples(
        st.sampled_from(["list_resource_groups", "list_azure_tags", "list_storage_accounts"]),
        st.fixed_dictionaries({"subscription": SUBSCRIPTIONS}),
    ),
    st.tuples(st.just("survey_resources"), st.fixed_dictionaries({"about": st.sampled_from(["failed", "untagged"])})),
    st.tuples(st.just("query_resource_graph"), st.fixed_dictionaries({"query": st.just("resources | project id")})),
)


@settings(max_examples=examples(20), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    subscriptions=st.frozensets(st.sampled_from([*NAMES, *NAMES.values()]), max_size=2),
    groups=st.frozensets(
        st.sampled_from(["shop-prod", "OVEN-prod", f"{PRODUCTION}/shop-prod", "Bakery Development/Oven-Dev"]),
        max_size=2,
    ),
    calls=st.lists(CALLS, min_size=1, max_size=5),
)
async def test_no_tool_leaves_a_lock(
    subscriptions: frozenset[str], groups: frozenset[str], calls: list[tuple[str, dict[str, Any]]]
) -> None:
    if not subscriptions | groups:
        return
    azure = FakeAzure()
    async with asking(azure, settings=locked(subscriptions, groups)) as caller:
        for tool, arguments in calls:
            given_ = {name: value for name, value in arguments.items() if value is not None}
            result = await caller.call(tool, **given_)
            told = list(_own_ids(result.get("structuredContent")))
            assert [one for one in told if not _is_within(one, subscriptions, groups)] == [], (tool, arguments)
    for asked in azure.asked:
        wanted = asked.body["subscriptions"] if GRAPH in asked.path.lower() else []
        scopes = [asked.path, *(f"/subscriptions/{one}" for one in wanted)]
        assert [one for one in scopes if not _is_within(one, subscriptions, groups)] == [], (asked.method, asked.path)


def _own_ids(told: Any) -> Iterator[str]:
    """The ids that entries of an answer have of themselves."""
    beginning = told.get("idsBeginWith", "") if isinstance(told, Mapping) else ""
    for entry in (told or {}).get("items", []):
        if isinstance(entry, Mapping) and isinstance(entry.get("id"), str) and "/" in beginning + entry["id"]:
            yield beginning + entry["id"]


def _is_within(place: str, subscriptions: frozenset[str], groups: frozenset[str]) -> bool:
    found = _SCOPE.search(place)
    if found is None:
        return True
    subscription, group = found[1].lower(), (found[2] or "").lower()
    called = {subscription, NAMES.get(subscription, "").lower()}
    if subscriptions and called.isdisjoint(one.lower() for one in subscriptions):
        return False
    named = {group, *(f"{one}/{group}" for one in called)}
    return not groups or not group or not named.isdisjoint(one.lower() for one in groups)


async def test_a_name_leads_to_no_resource_out_of_reach() -> None:
    lock = locked(groups=frozenset({f"{PRODUCTION}/shop-prod"}))
    async with asking(FakeAzure(), settings=lock) as caller:
        assert (await answered(caller, "show_resource", resource_id="shop-sql"))["id"] == SQL
        assert "named 'oven-aks' found" in await refused(caller, "show_resource", resource_id="oven-aks")
