"""The likeliest cause comes first, with who, when, from what to what, how sure, and why."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.azure.access import BLOB_CONTRIBUTOR
from tests.fakes.azure.deployments import deployment
from tests.fakes.azure.people import PIPELINE
from tests.fakes.azure.world import OVEN, PRODUCTION, SHOP
from tests.sweeps import Sweep
from tests.tools.incidents.world import (
    BROKE,
    NOW,
    PLAN,
    SITE,
    SQL,
    VAULT,
    Bakery,
    answered,
    asking,
    before,
    iso,
    told,
    whats,
)
from tests.updates.syncing import moment, record

RULES = f"{OVEN}/providers/Microsoft.Network/networkSecurityGroups/oven-control-rules"
OWN_IDENTITY = "8b1f1c1e-0000-4000-8000-000000000001"


async def test_a_setting_is_told_with_who_when_and_from_what_to_what() -> None:
    bakery = Bakery()
    bakery.change(
        SITE, 10, by="grace@example.com", properties__siteConfig__linuxFxVersion=("PYTHON|3.12", "PYTHON|3.13")
    )
    bakery.change(PLAN, 5, tags__team=("shop", "Shop"))
    answer = await answered(bakery)
    assert answer["items"] == [
        {
            "when": iso(before(10)),
            "what": "changed",
            "kind": "version or TLS",
            "on": "microsoft.web/sites/shop-web",
            "by": "grace@example.com",
            "settings": ["siteConfig.linuxFxVersion: PYTHON|3.12 → PYTHON|3.13"],
            "relation": "itself",
            "why": "10 min before it broke; the subject itself",
            "from": ["resource_changes"],
        }
    ]
    assert answer["more"] == "Not listed: 1 tags. Raise max_results to see more."
    assert answer["brokeAt"] == iso(BROKE)
    about = {"id": SITE, "type": "Microsoft.Web/sites", "foundBy": "its name", "groups": ["network-prod"]}
    assert answer["about"] == about


async def test_what_several_sources_tell_of_the_same_is_one_entry_that_names_them() -> None:
    bakery = Bakery()
    bakery.change(SITE, 20, by="ada@example.com", properties__httpsOnly=(True, False))
    bakery.act(SITE, "Microsoft.Web/sites/write", 20.5)
    [item] = (await answered(bakery))["items"]
    assert item["from"] == ["resource_changes", "activity_log"]
    assert item["alsoTold"] == ["Microsoft.Web/sites/write"]


@Sweep(
    ("operation", "target", "kind"),
    [
        (
            "Microsoft.Storage/storageAccounts/regenerateKey/action",
            "Microsoft.Storage/storageAccounts/bakeryshop",
            "key changed",
        ),
        (
            "Microsoft.Sql/servers/firewallRules/delete",
            "Microsoft.Sql/servers/shop-sql/firewallRules/app",
            "network rule",
        ),
        ("Microsoft.Web/sites/stop/action", "Microsoft.Web/sites/shop-web", "stopped or disabled"),
        ("Microsoft.Web/sites/slots/slotsswap/action", "Microsoft.Web/sites/shop-web/slots/staging", "code deployed"),
        ("Microsoft.Sql/servers/failoverGroups/failover/action", "Microsoft.Sql/servers/shop-sql", "failover"),
        ("Microsoft.Cache/redis/delete", "Microsoft.Cache/redis/shop-cache", "deleted"),
        (
            "Microsoft.Authorization/locks/write",
            "Microsoft.Storage/storageAccounts/bakeryshop/providers/Microsoft.Authorization/locks/frozen",
            "lock",
        ),
    ],
    every=2,
)
async def test_what_breaks_applications_stands_before_what_does_not(operation: str, target: str, kind: str) -> None:
    bakery = Bakery()
    bakery.act(f"{SHOP}/providers/{target}", operation, 60)
    bakery.act(SITE, "Microsoft.Web/sites/config/list/action", 2)
    bakery.act(f"{PLAN}", "Microsoft.Insights/AutoscaleSettings/Scaleup/Action", 3, category="Autoscale")
    bakery.act(SITE, "Microsoft.Authorization/policies/audit/action", 4, category="Policy")
    bakery.change(SITE, 1, tags__owner=(None, "shop"))
    bakery.act(SITE, "Microsoft.Web/sites/restart/action", 5, by="linus@example.com")
    answer = await answered(bakery)
    assert answer["items"][0]["kind"] == kind
    assert target.lower() in (answer["idsBeginWith"] + answer["items"][0]["on"]).lower()


async def test_a_role_that_its_identity_lost_is_certainly_about_it() -> None:
    bakery = Bakery()
    role = f"{VAULT}/providers/Microsoft.Authorization/roleAssignments/5a0c2f4e-0000-4000-8000-0000000000a1"
    of_another = role.replace("0a1", "0a2")
    own, others = (f'{{"properties":{{"principalId":"{one}"}}}}' for one in (OWN_IDENTITY, OWN_IDENTITY[:-1] + "9"))
    bakery.act(role, "Microsoft.Authorization/roleAssignments/delete", 300, responseBody=own)
    bakery.act(
        of_another, "Microsoft.Authorization/roleAssignments/delete", 30, responseBody=others, by="linus@example.com"
    )
    answer = await answered(bakery)
    first, second = answer["items"]
    assert (first["relation"], first["why"]) == ("itself", "5 h before it broke; its own identity")
    assert second["relation"] == "its group"


async def test_a_secret_that_ran_out_and_one_that_was_renewed_are_told_without_their_values() -> None:
    bakery = Bakery()
    vault = bakery.azure.vaults.vaults["shop-secrets"]
    vault.put("secrets", "orders-key", NOW - timedelta(days=90), value="hush", expires=before(5))
    vault.put("secrets", "mail-key", before(60), value="hush")
    answer = await answered(bakery)
    assert whats(answer) == ["secret orders-key expired", "secret mail-key has a new version"]
    assert answer["idsBeginWith"] + answer["items"][0]["on"] == VAULT
    assert "hush" not in str(answer)


async def test_a_certificate_and_a_retirement_count_on_the_day_that_resources_tell() -> None:
    bakery = Bakery()
    site = bakery.azure.estate.resources[SITE.lower()]
    site.properties["certificate"] = {"expirationDate": iso(before(3))}
    bakery.azure.estate.rows["advisorresources"] = [
        {
            "id": f"{SQL}/providers/Microsoft.Advisor/recommendations/one",
            "type": "microsoft.advisor/recommendations",
            "subscriptionId": PRODUCTION,
            "properties": {
                "resourceMetadata": {"resourceId": SQL},
                "extendedProperties": {"retirementFeatureName": "TLS 1.0 and 1.1", "retirementDate": iso(before(30))},
            },
        }
    ]
    answer = await answered(bakery)
    assert whats(answer) == ["shop-web expired (certificate.expirationDate)", "retired: TLS 1.0 and 1.1"]


async def test_trouble_of_azure_itself_counts_where_it_is_its_service_and_its_region() -> None:
    bakery = Bakery()
    add = bakery.azure.monitor.health.add_event
    add(PRODUCTION, "NEAR-1", "ServiceIssue", "App Service is slow", before(10), services=["App Service"])
    add(
        PRODUCTION,
        "FAR-1",
        "ServiceIssue",
        "App Service",
        before(9),
        services=["App Service"],
        regions=["Brazil South"],
    )
    add(PRODUCTION, "TODO-1", "PlannedMaintenance", "Of SQL", NOW + timedelta(days=3), services=["SQL Database"])
    answer = await answered(bakery)
    [item] = answer["items"]
    assert (item["kind"], item["relation"], item["see"]) == (
        "incident in Azure itself",
        "its service",
        "tracking id NEAR-1",
    )


async def test_what_came_after_it_broke_comes_last_and_says_so() -> None:
    bakery = Bakery()
    bakery.change(SITE, -30, properties__siteConfig__alwaysOn=(False, True))
    bakery.change(SQL, 600, properties__minimalTlsVersion=("1.0", "1.2"))
    first, second = (await answered(bakery))["items"]
    assert first["settings"] == ["minimalTlsVersion: 1.0 → 1.2"]
    assert second["why"].startswith("30 min after it broke")


async def test_a_sign_that_names_what_was_changed_makes_it_likelier() -> None:
    bakery = Bakery()
    bakery.change(SQL, 200, properties__publicNetworkAccess=("Enabled", "Disabled"))
    bakery.change(
        f"{SHOP}/providers/Microsoft.Cache/redis/shop-cache",
        100,
        properties__publicNetworkAccess=("Enabled", "Disabled"),
    )
    fire = bakery.azure.monitor.alerts.fire
    fire(SITE, "shop-slow", before(-3), description="shop-sql.database.windows.net cannot be reached")
    answer = await answered(bakery)
    assert answer["items"][0]["why"].endswith("an alert or symptom names this change")
    assert answer["items"][0]["relation"] == "its group"
    assert answer["signs"][0]["what"].startswith("alert shop-slow (Sev2) shop-sql")


async def test_when_it_broke_is_inferred_from_the_worst_alert_that_is_not_over() -> None:
    bakery = Bakery()
    fire = bakery.azure.monitor.alerts.fire
    fire(SITE, "disk-half-full", before(600), severity="Sev4")
    fire(SITE, "shop-down", before(-4), severity="Sev1")
    fire(SITE, "shop-slow", before(900), resolved=before(800), severity="Sev0")
    bakery.change(SITE, 10, properties__siteConfig__appCommandLine=("run", "walk"))
    answer = await answered(bakery, knows=False)
    assert answer["brokeAt"] == iso(before(-4))
    assert answer["brokeAtFrom"] == "inferred from alerts: alert shop-down (Sev1) on shop-web"
    assert answer["items"][0]["why"].startswith("14 min before it broke")


async def test_without_any_sign_the_newest_comes_first_and_the_caller_is_asked_for_the_time() -> None:
    bakery = Bakery()
    for minutes, version in ((300, "3.11"), (30, "3.12")):
        bakery.change(SITE, minutes, properties__siteConfig__pythonVersion=("3.1", version))
    answer = await answered(bakery, knows=False)
    assert "brokeAt" not in answer
    assert answer["brokeAtFrom"].endswith("Pass broke_at if you know the time.")
    assert [item["when"] for item in answer["items"]] == [iso(before(30)), iso(before(300))]


async def test_announcements_of_the_services_involved_are_told_and_those_of_others_are_not(tmp_path: Path) -> None:
    bakery = Bakery()
    lately: Any = {"created": moment(before(60)), "modified": moment(before(60))}
    month = {"ring": "Retirement", "year": NOW.year, "month": f"{NOW:%B}"}
    bakery.updates = [
        record(1, title="In preview: faster starts", products=["App Service"], **lately),
        record(2, title="In preview: greener farms", products=["Azure FarmBeats"], **lately),
        record(
            3,
            title="Retirement: Redis 4",
            products=["Azure Cache for Redis"],
            tags=["Retirements"],
            availabilities=[month],
        ),
    ]
    async with asking(bakery, tmp_path) as caller:
        answer = await told(caller)
    assert sorted(whats(answer)) == [
        "retires in " + f"{NOW:%Y-%m}: Retirement: Redis 4",
        "update announced: In preview: faster starts",
    ]


async def test_an_answer_with_much_in_it_stays_short() -> None:
    bakery = Bakery()
    for number in range(200):
        how = {"status": "Failed", "statusMessage": '{"error":{"code":"Conflict","message":"' + "words " * 200 + '"}}'}
        operation = "Microsoft.Web/sites/config/write"
        bakery.act(SITE, operation, 10 + number * 6, correlation=f"0000000a-0000-4000-8000-{number:012}", **how)
    async with asking(bakery) as caller:
        result = await caller.call("what_changed", resource="shop-web", broke_at=iso(BROKE))
    # A token has about four characters.
    assert len(result["content"][0]["text"]) < 2_500 * 4
    assert result["structuredContent"]["count"] == 12
    assert "188 settings" in result["structuredContent"]["more"]


async def test_a_record_of_a_zone_is_about_what_has_its_name() -> None:
    bakery = Bakery()
    zone = f"/subscriptions/{PRODUCTION}/resourceGroups/network-prod/providers/Microsoft.Network"
    bakery.act(f"{zone}/dnsZones/bakery.example.com/CNAME/shop", "Microsoft.Network/dnsZones/CNAME/delete", 30)
    bakery.act(f"{zone}/dnsZones/bakery.example.com/CNAME/blog", "Microsoft.Network/dnsZones/CNAME/delete", 20)
    private = f"{zone}/privateDnsZones/privatelink.vaultcore.azure.net/A/shop-secrets"
    bakery.act(private, "Microsoft.Network/privateDnsZones/A/write", 10, by="linus@example.com")
    answer = await answered(bakery)
    assert [(item["kind"], item["on"].rpartition("/")[2]) for item in answer["items"]] == [
        ("DNS", "shop"),
        ("DNS", "shop-secrets"),
        ("DNS", "blog"),
    ]


async def test_what_an_application_uses_in_another_subscription_is_looked_at_too() -> None:
    bakery = Bakery()
    registry = next(key for key in bakery.azure.estate.resources if key.endswith("/registries/bakeryimages"))
    place = bakery.azure.estate.resources[registry].id
    bakery.act(place, "Microsoft.ContainerRegistry/registries/delete", 10)
    bakery.change(place, 20, by="linus@example.com", properties__adminUserEnabled=(True, False))
    answer = await answered(bakery, "oven-api")
    assert {item["kind"] for item in answer["items"]} == {"deleted", "access or identity"}
    assert all(item["why"].endswith("used in its settings") for item in answer["items"])


async def test_what_happens_again_and_again_does_not_crowd_out_the_rest() -> None:
    bakery = Bakery()
    for number in range(6):
        more = {"correlation": f"0000000b-0000-4000-8000-{number:012}", "by": f"person{number}@example.com"}
        bakery.act(SITE, "Microsoft.Web/sites/config/write", 10 + number, **more)
    bakery.change(SQL, 90, properties__publicNetworkAccess=("Enabled", "Disabled"), by="grace@example.com")
    answer = await answered(bakery)
    assert "grace@example.com" in [item["by"] for item in answer["items"][:4]]


async def test_what_came_after_an_alert_that_only_warns_is_not_ruled_out() -> None:
    bakery = Bakery()
    bakery.azure.monitor.alerts.fire(SITE, "memory-above-70", before(1200), severity="Sev3")
    bakery.change(SITE, 1210, properties__siteConfig__httpLoggingEnabled=("no", "yes"))
    bakery.change(PLAN, 30, by="grace@example.com", sku__capacity=("3", "1"))
    answer = await answered(bakery, knows=False)
    assert answer["items"][0]["by"] == "grace@example.com"


async def test_what_happened_to_the_resource_with_the_symptom_comes_before_its_neighbours() -> None:
    bakery = Bakery()
    bakery.change(SITE, 40, properties__clientCertEnabled=("false", "true"))
    bakery.change(SQL, 5, properties__publicNetworkAccess=("Disabled", "Enabled"), by="grace@example.com")
    first, second = (await answered(bakery))["items"]
    assert (first["relation"], second["relation"]) == ("itself", "its group")


async def test_in_a_group_the_member_that_an_alert_is_about_comes_first() -> None:
    bakery = Bakery()
    bakery.azure.monitor.alerts.fire(SITE, "slow", before(-3), description="HTTP 403 above 90 %")
    bakery.change(SITE, 40, properties__clientCertEnabled=("false", "true"))
    bakery.change(SQL, 5, properties__publicNetworkAccess=("Disabled", "Enabled"), by="grace@example.com")
    items = (await answered(bakery, "shop-prod"))["items"]
    assert items[0]["relation"] == "itself"
    assert {item["relation"] for item in items[1:]} == {"its group"}, items


async def test_of_a_group_what_its_members_use_elsewhere_is_looked_at() -> None:
    bakery = Bakery()
    registry = next(one.id for key, one in bakery.azure.estate.resources.items() if key.endswith("/bakeryimages"))
    bakery.change(registry, 20, properties__publicNetworkAccess=("Enabled", "Disabled"))
    [item] = (await answered(bakery, "oven-prod"))["items"]
    assert (item["on"].rpartition("/")[2], item["relation"]) == ("bakeryimages", "what it uses")


async def test_operations_that_change_nothing_are_counted_and_not_told() -> None:
    bakery = Bakery()
    for number, operation in enumerate(
        [
            "Microsoft.Authorization/checkAccess/action",
            "Microsoft.Resources/subscriptions/providers/read",
            "Microsoft.Authorization/policies/evaluate/action",
            "Microsoft.Storage/storageAccounts/listKeys/action",
        ]
    ):
        bakery.act(SITE, operation, 5, by=f"person{number}@example.com")
    answer = await answered(bakery)
    assert answer["items"] == []
    assert "4 reads, scans and state updates" in answer["more"]


async def test_a_role_is_told_with_its_name_and_whose_it_was() -> None:
    bakery = Bakery()
    assignment = f"{VAULT}/providers/Microsoft.Authorization/roleAssignments/5a0c2f4e-0000-4000-8000-0000000000a1"
    role = f"/providers/Microsoft.Authorization/roleDefinitions/{BLOB_CONTRIBUTOR.id}"
    body = json.dumps({"Properties": {"PrincipalId": PIPELINE.id, "RoleDefinitionId": role}})
    bakery.act(assignment, "Microsoft.Authorization/roleAssignments/write", 30, requestbody=body)
    async with asking(bakery, reads_directory=True) as caller:
        [item] = (await told(caller))["items"]
    assert item["settings"] == [f"role set to {BLOB_CONTRIBUTOR.name}", f"principal set to {PIPELINE.title}"]


async def test_throughput_is_told_from_how_much_to_how_much() -> None:
    bakery = Bakery()
    account = f"{OVEN}/providers/Microsoft.DocumentDB/databaseAccounts/oven-recipes"
    for minutes, number in ((300, 4000), (30, 400)):
        body = json.dumps({"properties": {"resource": {"throughput": number}}})
        operation = "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/throughputSettings/write"
        target = f"{account}/sqlDatabases/recipes/throughputSettings/default"
        bakery.act(target, operation, minutes, requestbody=body, correlation=f"0000000a-0000-4000-8000-{number:012}")
    items = (await answered(bakery, "oven-recipes"))["items"]
    assert "throughput: 4000 → 400" in items[0]["settings"]


@pytest.mark.parametrize("scope", [SHOP, f"/subscriptions/{PRODUCTION}"], ids=["of a group", "of a subscription"])
async def test_the_call_that_shows_a_deployment_shows_it(scope: str) -> None:
    bakery = Bakery()
    made = deployment(scope, "november", "Succeeded", before(10), outputResources=[{"id": SITE}])
    bakery.azure.estate.deployments[made["id"].lower()] = made
    bakery.azure.estate.operations[made["id"].lower()] = []
    async with asking(bakery) as caller:
        [item] = (await told(caller))["items"]
        tool, *words = item["see"].split()
        shown = await caller.call(tool, **dict(word.split("=") for word in words))
    assert shown["structuredContent"]["id"] == made["id"]
