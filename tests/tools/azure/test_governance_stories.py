"""What Advisor says, what still fits, and what breaks a policy at the invented bakery."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.rules import HTTPS_ONLY
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN, PRODUCTION, SHOP
from tests.mcp_server.caller import Caller
from tests.tools.azure.inventing import NAME, answered, asking, ids, refused
from tools.azure.settings import AzureSettings

ORDERS: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-orders"
LOCK: Final = AzureSettings(allowed_groups=frozenset({f"{PRODUCTION}/shop-prod"}))
WEST: Final = ["West Europe"]


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure()


@pytest.fixture
async def caller(azure: FakeAzure) -> AsyncIterator[Caller]:
    async with asking(azure) as someone:
        yield someone


# Advisor


async def test_what_saves_most_comes_first_with_what_to_do(caller: Caller) -> None:
    found = await answered(caller, "list_advisor_recommendations", impact="high")
    assert found["savings"] == ["3416.40 EUR a year"]
    assert ids(found, "resource")[0] == f"{OVEN}/providers/Microsoft.Compute/disks/oven-old-disk"
    assert {one["impact"] for one in found["items"]} == {"high"}
    only = await answered(caller, "list_advisor_recommendations", category="cost", resource_group="oven-prod")
    assert [one["saves"] for one in only["items"]] == ["3416.40 EUR a year"]


async def test_a_quote_in_the_name_of_a_group_ends_no_filter(azure: FakeAzure, caller: Caller) -> None:
    await caller.call("list_advisor_recommendations", resource_group="x' or Category eq 'Cost")
    asked = next(one for one in azure.asked if "recommendations" in one.path)
    assert asked.query["$filter"] == "ResourceGroup eq 'x'' or Category eq ''Cost'"


async def test_a_retirement_is_told_once_with_its_date_its_tracking_id_and_what_it_touches(caller: Caller) -> None:
    found = await answered(caller, "list_retiring_resources", resource="shop-orders")
    [one] = found["items"]
    assert (one["retires"], one["on"], one["tracking_ids"]) == (
        "Python 3.9 on Azure Functions",
        "2027-03-31",
        ["QNY1-HB8"],
    )
    assert [found["idsBeginWith"] + each for each in one["resources"]] == [ORDERS]
    assert one["says"] == ["Advisor", "Service Health"]


async def test_of_a_retirement_only_what_is_in_the_group_is_told(caller: Caller, azure: FakeAzure) -> None:
    beside = f"/subscriptions/{ORDERS.split('/')[2]}/resourceGroups/oven-prod/providers/Microsoft.Web/sites/oven-jobs"
    rows = azure.estate.rows["servicehealthresources"]
    known = next(one for one in rows if one["properties"].get("targetResourceId", "").lower() == ORDERS.lower())
    other = {**known, "id": f"{known['id']}2", "properties": {**known["properties"], "targetResourceId": beside}}
    rows.append(other)
    found = await answered(caller, "list_retiring_resources", resource_group="shop-prod")
    assert "oven-jobs" not in str(found)
    assert "shop-orders" in str(found)
    rows.remove(other)


async def test_where_nothing_is_known_to_retire_that_is_no_proof(caller: Caller) -> None:
    found = await answered(caller, "list_retiring_resources", resource="shop-sql")
    assert found["items"] == []
    assert "may be incomplete" in found["note"]
    assert "search_azure_updates" in found["note"]


async def test_scores_are_told_by_category(caller: Caller) -> None:
    found = await answered(caller, "show_advisor_score", subscription=NAME)
    assert {one["category"]: one["score"] for one in found["items"]}["Cost"] == 62.0


# Quotas


async def test_a_quota_that_is_nearly_full_comes_before_others_regions_side_by_side(caller: Caller) -> None:
    found = await answered(
        caller, "list_quotas", subscription=NAME, regions=["West Europe", "swedencentral"], providers=["compute"]
    )
    first = found["items"][0]
    assert first["what"] == "Standard DSv5 Family vCPUs"
    assert first["use"] == {"westeurope": "52 of 56 (92.9 %)", "swedencentral": "0 of 200 (0 %)"}
    near = await answered(caller, "list_quotas", subscription=NAME, regions=WEST, near=90)
    assert [one["what"] for one in near["items"]] == ["Storage Accounts", "Standard DSv5 Family vCPUs"]


async def test_use_follows_what_there_is(azure: FakeAzure, caller: Caller) -> None:
    cluster = next(one for one in azure.estate.resources.values() if one.document["name"] == "oven-aks")
    cluster.properties["agentPoolProfiles"][1]["count"] = 0
    found = await answered(caller, "list_quotas", subscription=NAME, regions=WEST, words="dsv5")
    assert found["items"][0]["use"] == {"westeurope": "12 of 56 (21.4 %)"}


async def test_whether_machines_fit_is_answered_in_one_call_for_several_regions(caller: Caller) -> None:
    found = await answered(
        caller, "check_quota", subscription=NAME, regions=["westeurope", "swedencentral"], size="D8s_v5", count=2
    )
    sweden, west = found["items"]
    assert (sweden["region"], sweden["fits"], sweden["cores"]) == ("swedencentral", True, 16)
    assert west["why"] == ["Standard DSv5 Family vCPUs: 16 more needed, 52 of 56 used."]
    assert west["closed_zones"] == ["3"]
    by_family = await answered(caller, "check_quota", subscription=NAME, regions=WEST, family="dsv5", cores=4)
    assert by_family["items"][0]["fits"] is True


async def test_a_size_that_is_not_offered_does_not_fit(caller: Caller) -> None:
    closed = await answered(caller, "check_quota", subscription=NAME, regions=WEST, size="Standard_NC24ads_A100_v4")
    assert closed["items"][0]["why"][0] == "Azure does not offer this size to the subscription in this region."
    none = await answered(caller, "check_quota", subscription=NAME, regions=WEST, size="Standard_Z9000")
    assert none["items"][0]["why"] == ["This region does not offer this size."]
    assert "No family matches 'zz'" in await refused(
        caller, "check_quota", subscription=NAME, regions=WEST, family="zz", cores=4
    )


async def test_a_region_that_fails_is_named(azure: FakeAzure, caller: Caller) -> None:
    found = await answered(caller, "check_quota", subscription=NAME, regions=["westeurope", "atlantis"], size="D8s_v5")
    assert found["read"] == "1 of 2 regions"
    assert found["notRead"][0]["names"] == ["atlantis"]


async def test_other_providers_are_asked_by_way_of_the_quota_service_if_it_is_registered(
    azure: FakeAzure, caller: Caller
) -> None:
    found = await answered(
        caller, "list_quotas", subscription=NAME, regions=WEST, providers=["Microsoft.Batch"], words="dsv5"
    )
    assert found["items"][0]["use"] == {"westeurope": "52 of 56 (92.9 %)"}
    azure.estate.unregistered.add((PRODUCTION, "Microsoft.Quota"))
    told = await refused(caller, "list_quotas", subscription=NAME, regions=WEST, providers=["Microsoft.Batch"])
    assert "az provider register --namespace Microsoft.Quota" in told


# Policies


async def test_a_violation_says_what_was_found_and_what_is_demanded(caller: Caller) -> None:
    found = await answered(caller, "list_policy_violations", resource_id=ORDERS)
    [one] = found["items"]
    assert (one["policy"], one["assignment"]) == (HTTPS_ONLY.title, "Bakery baseline")
    assert one["why"] == ["properties.httpsOnly is false: NotEquals true"]
    assert one["demands"].startswith("Use of HTTPS")


async def test_what_was_mended_is_no_violation(azure: FakeAzure, caller: Caller) -> None:
    before = await answered(caller, "list_policy_violations", policy="https")
    assert before["count"] == 1
    azure.estate.resources[ORDERS.lower()].properties["httpsOnly"] = True
    assert (await answered(caller, "list_policy_violations", policy="https"))["count"] == 0


async def test_violations_are_counted_by_policy_and_by_group(caller: Caller) -> None:
    by_policy = await answered(caller, "list_policy_violations", by="policy")
    assert {one["policy"]: one["violations"] for one in by_policy["items"]}[HTTPS_ONLY.title] == 1
    assert by_policy["noncompliant_resources"] == 2
    by_group = await answered(caller, "list_policy_violations", by="group")
    assert {one["group"] for one in by_group["items"]} == {"shop-prod", "oven-prod"}


async def test_policies_of_a_group_are_told_with_their_effects_and_where_they_come_from(caller: Caller) -> None:
    found = await answered(caller, "list_policy_assignments", resource_group="oven-prod")
    told = {one["name"]: one for one in found["items"]}
    assert told["Bakery baseline"]["policies"] == 2
    assert told["Machines name their cost center"]["effect"] == "Deny"
    assert told["Machines name their cost center"]["from"] == "group oven-prod"


async def test_exemptions_say_until_when_and_which_are_over(azure: FakeAzure, caller: Caller) -> None:
    found = await answered(caller, "list_policy_exemptions")
    assert [(one["name"], one.get("expired")) for one in found["items"]] == [("moving", True), ("old-tills", None)]
    azure.compliance.rules.exemptions.clear()
    assert (await answered(caller, "list_policy_violations", policy="TLS"))["count"] == 1


async def test_names_that_may_not_be_read_are_those_of_the_ids(azure: FakeAzure, caller: Caller) -> None:
    azure.places["policydefinitions"] = troubles.failing(404, "PolicyDefinitionNotFound", "It is not there.")
    found = await answered(caller, "list_policy_violations", resource_id=ORDERS)
    assert found["items"][0]["policy"] == HTTPS_ONLY.name


async def test_under_a_lock_on_a_group_only_it_is_told(azure: FakeAzure) -> None:
    async with asking(azure, settings=LOCK) as someone:
        advice = await answered(someone, "list_advisor_recommendations")
        assert all(one.startswith(SHOP) for one in ids(advice, "resource"))
        retired = await answered(someone, "list_retiring_resources")
        assert [one["retires"] for one in retired["items"]] == ["Python 3.9 on Azure Functions"]
        broken = await answered(someone, "list_policy_violations")
        assert [one.lower() for one in ids(broken, "resource")] == [ORDERS.lower()]
        assert (await answered(someone, "list_policy_assignments"))["count"] == 0
        for tool, arguments in (
            ("list_quotas", {"regions": WEST}),
            ("check_quota", {"regions": WEST, "size": "D8s_v5"}),
        ):
            assert "only some resource groups of this subscription" in await refused(someone, tool, **arguments)
        assert "only some resource groups" in await refused(someone, "show_advisor_score")
        assert "outside the allowed scope" in await refused(
            someone, "list_policy_violations", resource_group="oven-prod"
        )
    posts = [
        one.path.lower() for one in azure.asked if one.method == "POST" and "resourcegraph" not in one.path.lower()
    ]
    assert all(one.startswith(SHOP.lower()) for one in posts)
