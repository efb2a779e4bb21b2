"""What Resource Graph answers to the queries that engineers write."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.fakes.azure.people import DEVELOPER, NOBODY, READER
from tests.fakes.azure.world import DEVELOPMENT, MILL, PRODUCTION
from tests.fakes_judged.asking import Asking, asking

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ask() -> AsyncIterator[Asking]:
    async with asking() as asked:
        yield asked


DISKS = "resources | where type =~ 'Microsoft.Compute/disks'"
NAMES: list[tuple[str, list[Any]]] = [
    (f"{DISKS} | project name", ["oven-control-disk", "oven-old-disk"]),
    (f"{DISKS} and properties.diskState == 'Unattached' | project name", ["oven-old-disk"]),
    (f"{DISKS} | where isempty(managedBy) | project name", ["oven-old-disk"]),
    (f"{DISKS} | where not(name has 'old') | project name", ["oven-control-disk"]),
    (f"{DISKS} | where name !contains 'OLD' | project name", ["oven-control-disk"]),
    (f"{DISKS} | where toint(properties.diskSizeGB) between (200 .. 600) | project name", ["oven-old-disk"]),
    (f"{DISKS} | where name has_any ('old', 'new') | project name", ["oven-old-disk"]),
    (f"{DISKS} | order by toint(properties.diskSizeGB) desc | take 1 | project name", ["oven-old-disk"]),
    (f"{DISKS} | top 1 by name asc | project name", ["oven-control-disk"]),
    (f"{DISKS} | project name, gb = properties.diskSizeGB | project-away gb", ["oven-control-disk", "oven-old-disk"]),
    ("Resources | where location in~ ('NorthEurope') | distinct location", ["northeurope"]),
    ("resources | where tags['team'] =~ 'OVEN' | summarize count() | project count_", [4]),
    ("resources | where name startswith 'shop-' and name endswith 'cache' | project name", ["shop-cache"]),
    ("resources | where name matches regex '^shop-(front)$' | project name", ["shop-front"]),
    ("resources | where isnotempty(zones) | project tostring(zones[0])", ["1"]),
    ("resources | where type == 'microsoft.keyvault/vaults' | count", [3]),
    (
        "resources | where type =~ 'microsoft.network/networksecuritygroups' | mv-expand rule ="
        " properties.securityRules | where rule.properties.access == 'Allow'"
        " | project port = tostring(rule.properties.destinationPortRange)",
        ["22"],
    ),
    ("resourcecontainers | where type endswith '/subscriptions' | summarize make_set(name)", [["", ""]]),
    (
        "resources | where type =~ 'microsoft.containerservice/managedclusters' | extend v = split(id, '/')[4]"
        " | project strcat(tolower(v), ':', toupper(name))",
        ["oven-prod:OVEN-AKS"],
    ),
    ("let wanted = 'shop-sql'; resources | where name == wanted | project kind", ["v12.0"]),
    (
        "resourcechanges | extend at = todatetime(properties.changeAttributes.timestamp) | where at > ago(1d)"
        " and properties.changeAttributes.changedByType == 'User'"
        " | project tostring(properties.changeAttributes.changedBy)",
        ["ada.byron@example.com"],
    ),
    (
        "advisorresources | extend x = properties.extendedProperties | where x.recommendationSubCategory =~"
        " 'ServiceUpgradeAndRetirement' | project due = tostring(x.retirementDate) | order by due asc | limit 1",
        ["2025-09-30"],
    ),
    (
        "servicehealthresources | where properties.EventSubType == 'Retirement'"
        " | project due = todatetime(tolong(properties.ImpactMitigationTime)) | where due > now() | count",
        [2],
    ),
    (
        "servicehealthresources | where type endswith '/impactedresources' | extend tracking ="
        " tostring(split(split(id, '/events/')[1], '/')[0]) | join kind=inner (advisorresources | where type =~"
        " 'microsoft.advisor/metadata' | mv-expand tracking ="
        " properties.sourceProperties.serviceRetirement.serviceHealth.trackingIds"
        " | project tracking = tostring(tracking), kind = tostring(properties.supportedResourceType))"
        " on tracking | project kind1",
        ["microsoft.web/sites"],
    ),
    ("healthresources | where properties.availabilityState != 'Available' | project name", ["current"]),
    (
        "authorizationresources | where type =~ 'microsoft.authorization/roleassignments' | extend r ="
        " tolower(tostring(properties.roleDefinitionId)) | join kind=inner (authorizationresources | where type =~"
        " 'microsoft.authorization/roledefinitions' | project r = tolower(id), role = tostring(properties.roleName))"
        " on r | where role == 'Bakery Deployer' | project tostring(properties.principalType)",
        ["ServicePrincipal"],
    ),
    (
        "resources | where type == 'microsoft.web/sites' | summarize n = count(), tls ="
        " countif(properties.siteConfig.minTlsVersion == '1.0') by subscriptionId | join kind=leftouter"
        " (resourcecontainers | project subscriptionId, subscription = name) on subscriptionId | where tls > 0"
        " | project subscription | distinct subscription | where subscription startswith 'Bakery'",
        ["Bakery Production"],
    ),
    ("resources | summarize arg_max(name, id) | project name", ["shop-web/staging"]),
    ("resources | extend s = case(kind has 'linux', 'linux', kind == '', 'none', 'other') | distinct s | count", [3]),
]


@pytest.mark.parametrize(("query", "expected"), NAMES, ids=range(len(NAMES)))
async def test_it_finds(ask: Asking, query: str, expected: list[Any]) -> None:
    rows = await ask.rows(query)
    if expected == [["", ""]]:
        assert sorted(rows[0]["set_name"]) == ["Bakery Development", "Bakery Production", "Bakery Shared"]
    else:
        assert [next(iter(row.values())) for row in rows] == expected


@pytest.mark.parametrize(
    ("query", "code", "said"),
    [
        ("resources | wher name == 'x'", "ParserFailure", "wher"),
        ("resources | where name ==", "ParserFailure", "<EOF>"),
        ("resources |\nwhere name = 'x'", "ParserFailure", "="),
        ("resources | where name == 'x", "ParserFailure", "'"),
        ("nothing | take 1", "DisallowedLogicalTableName", "Table nothing is invalid"),
        ("resources | where colour == 'x'", "Default", "'colour'"),
        ("resources | extend x = unheard(name)", "Default", "'unheard'"),
        ("resources | project name | where id == ''", "Default", "'id'"),
    ],
)
async def test_a_mistake_is_told_with_its_place(ask: Asking, query: str, code: str, said: str) -> None:
    answer = await ask.graph(query)
    assert (answer.status, answer.code) == (400, "BadRequest")
    first, second = answer.document["error"]["details"]
    assert (first["code"], second["code"]) == ("InvalidQuery", code)
    assert said in f"{second['message']} {second.get('token')}"
    if code == "ParserFailure":
        assert second["line"] == query.count("\n") + 1


async def test_a_query_is_confined_to_subscriptions_and_to_what_its_caller_sees(ask: Asking) -> None:
    query = "resources | distinct subscriptionId"
    assert await ask.rows(query, subscriptions=[DEVELOPMENT]) == [{"subscriptionId": DEVELOPMENT}]
    assert len(await ask.rows(query)) == 3
    assert await ask.rows("resources | distinct resourceGroup", READER) == [{"resourceGroup": "shop-prod"}]
    assert len(await ask.rows(query, DEVELOPER)) == 2
    assert await ask.rows(query, NOBODY) == []
    assert (await ask.graph(query, subscriptions=[MILL])).document["error"]["details"][0]["code"] == (
        "NoValidSubscriptionsInQueryRequest"
    )
    assert await ask.rows(query, subscriptions=[PRODUCTION, MILL]) == [{"subscriptionId": PRODUCTION}]


async def test_pages_go_on_by_a_token_where_ids_are_shown_and_are_cut_where_not(ask: Asking) -> None:
    first = (await ask.graph("resources | project id", options={"$top": 30})).document
    assert (first["count"], first["resultTruncated"]) == (30, "false")
    second = (await ask.graph("resources | project id", options={"$skipToken": first["$skipToken"]})).document
    assert first["count"] + second["count"] == first["totalRecords"]
    assert "$skipToken" not in second
    for query in ("resources | project name", "resources | project id | take 35"):
        cut = (await ask.graph(query, options={"$top": 30})).document
        assert (cut["resultTruncated"], "$skipToken" in cut) == ("true", False)


async def test_the_quota_counts_down_and_then_refuses(ask: Asking) -> None:
    ask.azure.graph.quota = 2
    left = [(await ask.graph("resources | count")).headers["x-ms-user-quota-remaining"] for _ in range(2)]
    assert left == ["1", "0"]
    refused = await ask.graph("resources | count")
    assert (refused.status, refused.code, refused.headers["Retry-After"]) == (429, "RateLimiting", "5")


async def test_an_older_version_gives_a_table(ask: Asking) -> None:
    path = "POST /providers/Microsoft.ResourceGraph/resources"
    found = (await ask(path, version="2019-04-01", body={"query": f"{DISKS} | project name"})).document["data"]
    assert found["columns"] == [{"name": "name", "type": "string"}]
    assert found["rows"] == [["oven-control-disk"], ["oven-old-disk"]]
