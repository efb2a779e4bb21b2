"""What the invented Azure answers, held against the official description of these operations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from aiohttp import ClientSession
from jsonschema import Draft4Validator

from tests.fakes.azure.people import OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION
from tests.tools.azure.data import SPECIFICATION, with_data

pytestmark = [pytest.mark.anyio, with_data]

VALUES = {
    "subscriptionId": PRODUCTION,
    "resourceGroupName": "shop-prod",
    "resourceProviderNamespace": "Microsoft.Web",
    "resourceType": "sites",
    "resourceName": "shop-web",
    "accountName": "bakeryshop",
    "vaultName": "shop-secrets",
    "deploymentName": "shop-with-archive",
    "budgetName": "shop",
    "location": "westeurope",
    "policyStatesResource": "latest",
    "policyStatesSummaryResource": "latest",
    "roleDefinitionId": "acdd72a7-3385-48ef-bd42-f606fba81ae7",
    "secret-name": "payment-api-key",
    "key-name": "orders-signing",
    "certificate-name": "shop-site",
}
ANY = "/subscriptions/{subscriptionId}"
GROUP = f"{ANY}/resourceGroups/{{resourceGroupName}}"
RESOURCE = f"{GROUP}/providers/{{resourceProviderNamespace}}/{{resourceType}}/{{resourceName}}"
VAULT = "/vault/shop-secrets"
STATES = "/providers/Microsoft.PolicyInsights/policyStates"
TODAY = datetime.now(UTC).date()
ASKED: Mapping[str, Any] = {
    "type": "ActualCost",
    "timeframe": "Custom",
    "timePeriod": {"from": f"{TODAY}T00:00:00Z", "to": f"{TODAY + timedelta(days=9)}T00:00:00Z"},
    "dataset": {"granularity": "Daily", "aggregation": {"totalCost": {"name": "Cost", "function": "Sum"}}},
}
# With the version that each service takes.
PATHS = {
    "2022-12-01": ["/subscriptions", ANY, f"{ANY}/locations", "/tenants"],
    "2024-11-01": [
        "/providers",
        f"{ANY}/providers",
        f"{ANY}/providers/{{resourceProviderNamespace}}",
        f"{ANY}/resources",
        f"{ANY}/tagNames",
        f"{ANY}/resourceGroups",
        GROUP,
        f"{GROUP}/resources",
        f"{GROUP}/providers/Microsoft.Resources/tags/default",
        f"{GROUP}/providers/Microsoft.Resources/deployments",
        f"{GROUP}/providers/Microsoft.Resources/deployments/{{deploymentName}}",
        f"{GROUP}/deployments/{{deploymentName}}/operations",
        RESOURCE,
    ],
    "2020-05-01": [
        f"{ANY}/providers/Microsoft.Authorization/locks",
        f"{RESOURCE}/providers/Microsoft.Authorization/locks",
    ],
    "2022-04-01": [
        "/providers/Microsoft.Authorization/providerOperations",
        f"{ANY}/providers/Microsoft.Authorization/roleAssignments",
        f"{ANY}/providers/Microsoft.Authorization/roleDefinitions",
        f"{ANY}/providers/Microsoft.Authorization/roleDefinitions/{{roleDefinitionId}}",
        f"{GROUP}/providers/Microsoft.Authorization/permissions",
    ],
    "2023-05-01": [
        f"{ANY}/providers/Microsoft.Storage/storageAccounts",
        f"{GROUP}/providers/Microsoft.Storage/storageAccounts/{{accountName}}",
    ],
    "2023-07-01": [
        f"{ANY}/providers/Microsoft.KeyVault/vaults",
        f"{GROUP}/providers/Microsoft.KeyVault/vaults/{{vaultName}}",
    ],
    "2023-01-01": [
        f"{ANY}/providers/Microsoft.Advisor/recommendations",
        f"{ANY}/providers/Microsoft.Advisor/advisorScore",
    ],
    "2023-11-01": [
        f"{ANY}/providers/Microsoft.Consumption/budgets",
        f"{GROUP}/providers/Microsoft.Consumption/budgets/{{budgetName}}",
    ],
    "2024-07-01": [f"{ANY}/providers/Microsoft.Compute/locations/{{location}}/usages"],
    "2024-01-01": [f"{ANY}/providers/Microsoft.Network/locations/{{location}}/usages"],
    "2021-07-01": [f"{ANY}/providers/Microsoft.Compute/skus"],
}
OVEN = f"{ANY}/resourceGroups/{{ovenGroup}}/providers"
SITE = f"{GROUP}/providers/Microsoft.Web/sites/{{name}}"
# The path as it is described, and with what is there.
RUNNING = {
    "2023-12-01": [
        f"{SITE}/deployments",
        f"{SITE}/instances",
        f"{SITE}/functions",
        f"{SITE}/slots",
        f"{SITE}/config/web",
        f"{SITE}/config/logs",
    ],
    "2025-01-01": [
        f"{OVEN}/Microsoft.App/containerApps/{{containerAppName}}/revisions",
        f"{OVEN}/Microsoft.App/containerApps/{{containerAppName}}/revisions/{{revisionName}}/replicas",
        f"{OVEN}/Microsoft.App/managedEnvironments/{{environmentName}}",
    ],
    "2025-08-01": [
        f"{OVEN}/Microsoft.ContainerService/managedClusters/{{resourceName}}/agentPools",
        f"{OVEN}/Microsoft.ContainerService/managedClusters/{{resourceName}}/upgradeProfiles/default",
    ],
    "2024-11-15": [
        f"{OVEN}/Microsoft.DocumentDB/databaseAccounts/{{accountName}}/sqlDatabases",
        f"{OVEN}/Microsoft.DocumentDB/databaseAccounts/{{accountName}}/sqlDatabases/{{databaseName}}/containers",
    ],
    "2024-01-01": [
        f"{OVEN}/Microsoft.ServiceBus/namespaces/{{namespaceName}}/queues",
        f"{OVEN}/Microsoft.ServiceBus/namespaces/{{namespaceName}}/topics/{{topicName}}/subscriptions",
    ],
}
AT_THE_OVEN = {
    "ovenGroup": "oven-prod",
    "name": "shop-orders",
    "containerAppName": "oven-worker",
    "revisionName": "oven-worker--p0d3b1a",
    "environmentName": "oven-apps",
    "resourceName": "oven-aks",
    "accountName": "oven-recipes",
    "databaseName": "recipes",
    "namespaceName": "oven-bus",
    "topicName": "baked",
}
# What the real service leaves out, whatever its description demands.
_UNLIKE_RECORDINGS = "$: 'nextLink' is a required property"
CONTENTS = [
    "/secrets",
    "/secrets/{secret-name}/versions",
    "/deletedsecrets",
    "/keys",
    "/keys/{key-name}/versions",
    "/certificates",
    "/certificates/{certificate-name}/versions",
]


@cache
def described() -> Mapping[str, Any]:
    found: Mapping[str, Any] = _with_nulls(json.loads(SPECIFICATION.read_text(encoding="utf-8")))
    return found


def _with_nulls(node: Any) -> Any:
    """As JSON schema says that something may be null."""
    if isinstance(node, list):
        return [_with_nulls(one) for one in node]
    if not isinstance(node, dict):
        return node
    made = {name: _with_nulls(one) for name, one in node.items()}
    if made.pop("nullable", False) is True and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
        made |= {"enum": [*made["enum"], None]} if "enum" in made else {}
    return made


def mistakes(path: str, answer: Any, method: str = "get") -> list[str]:
    answered = described()["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"]
    checked = Draft4Validator({**answered, "components": described()["components"]})
    found = [f"{error.json_path}: {error.message[:200]}" for error in checked.iter_errors(answer)]
    return [one for one in found if one != _UNLIKE_RECORDINGS]


async def read(path: str, version: str, above: str = "", more: Mapping[str, str] | None = None) -> Any:
    azure = FakeAzure()
    async with azure.serving() as url, ClientSession(headers={"Authorization": f"Bearer {OWNER.token}"}) as session:
        address = f"{url}{above}{path.format(**VALUES | dict(more or {}))}?api-version={version}"
        async with session.get(address) as answer:
            document = await answer.json()
            assert answer.status == 200, document
            return document


@pytest.mark.parametrize(("version", "path"), [(version, path) for version, paths in PATHS.items() for path in paths])
async def test_management_answers_as_it_is_described(version: str, path: str) -> None:
    assert mistakes(path, await read(path, version)) == []


@pytest.mark.parametrize(("version", "path"), [(version, path) for version, paths in RUNNING.items() for path in paths])
async def test_what_runs_answers_as_it_is_described(version: str, path: str) -> None:
    known = path.replace("{ovenGroup}", "{resourceGroupName}")
    assert mistakes(known, await read(path, version, more=AT_THE_OVEN)) == []


@pytest.mark.parametrize("path", CONTENTS)
async def test_vaults_answer_as_they_are_described(path: str) -> None:
    assert mistakes(path, await read(path, "7.4", VAULT)) == []


@pytest.mark.parametrize(
    ("path", "version", "body"),
    [
        ("/providers/Microsoft.CostManagement/query", "2023-11-01", ASKED),
        ("/providers/Microsoft.CostManagement/forecast", "2023-11-01", ASKED),
        (f"{STATES}/{{policyStatesResource}}/queryResults", "2019-10-01", {}),
        (f"{STATES}/{{policyStatesSummaryResource}}/summarize", "2019-10-01", {}),
    ],
)
async def test_what_is_asked_by_post_is_answered_as_it_is_described(
    path: str, version: str, body: Mapping[str, Any]
) -> None:
    azure = FakeAzure()
    headers = {"Authorization": f"Bearer {OWNER.token}"}
    async with azure.serving() as url, ClientSession(url, headers=headers) as session:
        address = f"{ANY}{path}".format(**VALUES)
        async with session.post(f"{address}?api-version={version}", json=body) as answer:
            assert mistakes(f"{ANY}{path}", await answer.json(), "post") == []


async def test_resource_graph_answers_as_it_is_described() -> None:
    path, azure = "/providers/Microsoft.ResourceGraph/resources", FakeAzure()
    headers = {"Authorization": f"Bearer {OWNER.token}"}
    async with azure.serving() as url, ClientSession(url, headers=headers) as session:
        query = {"query": "resources | project id, name, tags"}
        async with session.post(f"{path}?api-version=2024-04-01", json=query) as answer:
            assert mistakes(path, await answer.json(), "post") == []
