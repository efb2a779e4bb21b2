"""The invented Azure, taken for the real one by `az`: where `AZURE_CLI` names one of the version that is known."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.fakes.azure.monitor.bakery import WEB
from tests.fakes.azure.people import DEVELOPER, NOBODY, OPERATORS, OWNER
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION
from tests.fakes.serving import serving_locally
from tests.fakes_judged.judged import NAMES, Judged
from tests.tools.azure.deploying.templates import SHOP
from tools.azure.azd.az_commands import AZ_COMMANDS

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif("AZURE_CLI" not in os.environ, reason="AZURE_CLI names no az (azure-cli 2.91.0 from PyPI)"),
]


@dataclass
class CommandLine:
    program: str
    variables: dict[str, str]

    async def __call__(self, command: str) -> Any:
        said = await self.told(command)
        return json.loads(said) if said.strip() else None

    async def told(self, command: str) -> str:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            self.program, *command.split(" "), env=self.variables, stdout=pipe, stderr=pipe
        )
        said, failed = await process.communicate()
        assert process.returncode == 0, failed.decode()[-4000:]
        return said.decode()


async def _token(request: web.Request) -> web.Response:
    token = {"access_token": OWNER.token_for(request.query["resource"]), "token_type": "Bearer"}
    return web.json_response(token | {"expires_on": "4102444800", "resource": request.query["resource"]})


@pytest.fixture
async def az(judged: Judged, tmp_path: Path) -> AsyncIterator[CommandLine]:
    """Signed in as an app on App Service is, since that takes no browser."""
    identity = web.Application()
    identity.router.add_get("/msi/token", _token)
    async with serving_locally(identity) as url:
        variables = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(NAMES),
            "AZURE_CONFIG_DIR": str(tmp_path / "az"),
            "REQUESTS_CA_BUNDLE": str(judged.certified.file),
            "AZURE_CORE_COLLECT_TELEMETRY": "no",
            "AZURE_CORE_INSTANCE_DISCOVERY": "false",
            "IDENTITY_ENDPOINT": f"{url}/msi/token",
            "IDENTITY_HEADER": "x",
        }
        az = CommandLine(os.environ["AZURE_CLI"], variables)
        await az(f"cloud register -n Invented --endpoint-resource-manager {judged.url}")
        await az("cloud set -n Invented")
        await az("login --identity")
        yield az


def names(found: list[dict[str, Any]]) -> list[str]:
    return [one["name"] for one in found]


async def test_it_finds_its_way_through_what_there_is(az: CommandLine) -> None:
    assert names(await az("account list")) == ["Bakery Production", "Bakery Development", "Bakery Shared"]
    assert "westeurope" in names(await az("account list-locations"))
    assert names(await az("group list")) == ["shop-prod", "oven-prod", "network-prod"]
    assert await az("group exists -n none") is False
    assert len(await az("resource list -g shop-prod")) == 12
    assert names(await az("resource list --resource-type Microsoft.Compute/disks"))[1] == "oven-old-disk"
    shown = await az("resource show -g shop-prod -n shop-web --resource-type Microsoft.Web/sites")
    assert shown["properties"]["state"] == "Running"
    assert (await az("provider show -n Microsoft.Web"))["registrationState"] == "Registered"


async def test_it_lists_by_service(az: CommandLine) -> None:
    assert names(await az("storage account list")) == ["bakeryshop", "bakeryreceipts"]
    assert names(await az("keyvault list")) == ["shop-secrets", "oven-secrets"]
    assert names(await az("webapp list -g shop-prod"))[0] == "shop-web"
    assert names(await az("aks list")) == ["oven-aks"]
    assert names(await az("servicebus namespace list")) == ["oven-bus"]
    assert names(await az("cosmosdb list")) == ["oven-recipes"]


async def test_it_reads_what_runs(az: CommandLine) -> None:
    settings = await az("webapp config appsettings list -g shop-prod -n shop-orders")
    assert "PAYMENT_KEY" in names(settings)
    assert (await az("webapp list-instances -g shop-prod -n shop-web"))[0]["state"] == "READY"
    assert (await az("aks nodepool list -g oven-prod --cluster-name oven-aks"))[1]["orchestratorVersion"] == "1.30.11"
    upgrades = await az("aks get-upgrades -g oven-prod -n oven-aks")
    assert upgrades["controlPlaneProfile"]["upgrades"][0]["kubernetesVersion"] == "1.32.9"


async def test_it_reads_recipes_and_queues(az: CommandLine) -> None:
    account = "-g oven-prod -a oven-recipes"
    assert names(await az(f"cosmosdb sql database list {account}")) == ["recipes", "baking"]
    found = await az(f"cosmosdb sql container throughput show {account} -d baking -n batches")
    assert found["resource"]["throughput"] == 1000
    bus = "-g oven-prod --namespace-name oven-bus"
    queue = await az(f"servicebus queue show {bus} -n orders")
    assert queue["countDetails"]["deadLetterMessageCount"] == 122
    rules = await az(f"servicebus topic subscription rule list {bus} --topic-name baked --subscription-name kitchen")
    assert rules[0]["sqlFilter"]["sqlExpression"].startswith("flour")


async def test_it_reads_locks_roles_and_deployments(az: CommandLine) -> None:
    assert names(await az("lock list")) == ["keep-orders", "frozen-network"]
    assert (await az("role definition list --name Reader"))[0]["roleName"] == "Reader"
    listed = await az("deployment group list -g shop-prod")
    assert "shop-with-archive" in names(listed)
    steps = await az("deployment operation group list -g shop-prod -n database")
    assert steps[0]["properties"]["provisioningState"] == "Failed"
    exported = await az("group export -n shop-prod")
    assert len(exported["resources"]) == 12


async def test_it_reads_what_is_monitored(az: CommandLine) -> None:
    done = await az("monitor activity-log list -g shop-prod --offset 6h")
    assert done[0]["operationName"]["value"] == "Microsoft.Web/sites/restart/action"
    known = await az(f"monitor metrics list-definitions --resource {WEB}")
    assert [one["name"]["value"] for one in known] == ["Requests", "Http5xx", "HttpResponseTime"]
    found = await az(f"monitor metrics list --resource {WEB} --metrics Http5xx --aggregation Total --interval PT1H")
    assert found["value"][0]["timeseries"][0]["data"][-1]["total"] > 0
    assert (await az("monitor log-analytics workspace list -g network-prod"))[0]["name"] == "bakery-logs"


async def test_it_finds_people_and_groups_and_who_has_access(az: CommandLine) -> None:
    shown = await az(f"ad user show --id {DEVELOPER.name}")
    assert (shown["id"], shown["displayName"]) == (DEVELOPER.id, "Ada Byron")
    assert (await az(f"ad group show --group {OPERATORS.id}"))["displayName"] == "Bakery Operators"
    members = await az(f"ad group member list --group {OPERATORS.id}")
    assert [one["userPrincipalName"] for one in members] == [DEVELOPER.name]
    assigned = await az("role assignment list -g shop-prod --include-inherited")
    assert {(one["principalName"], one["roleDefinitionName"]) for one in assigned} >= {
        ("Bakery Operators", "Website Contributor"),
        ("linus.baker@example.com", "Reader"),
    }


async def test_it_gives_and_takes_roles(az: CommandLine) -> None:
    scope = f"/subscriptions/{PRODUCTION}/resourceGroups/shop-prod"
    meant = f"--assignee-object-id {NOBODY.id} --role Reader --scope {scope}"
    made = await az(f"role assignment create {meant} --assignee-principal-type User")
    again = await az(f"role assignment create {meant} --assignee-principal-type User")
    assert made["principalId"] == NOBODY.id
    assert again["name"] == made["name"]
    await az(f"role assignment delete --assignee {NOBODY.id} --role Reader --scope {scope}")
    left = await az(f"role assignment list --scope {scope}")
    assert NOBODY.id not in [one["principalId"] for one in left]


async def test_it_makes_and_deletes_roles(az: CommandLine, tmp_path: Path) -> None:
    scope = f"/subscriptions/{PRODUCTION}"
    role = {"Name": "Restarter", "Actions": ["Microsoft.Web/sites/restart/action"], "AssignableScopes": [scope]}
    file = tmp_path / "role.json"
    file.write_text(json.dumps({**role, "Description": "Restarts."}), encoding="utf-8")
    assert (await az(f"role definition create --role-definition @{file}"))["roleName"] == "Restarter"
    file.write_text(json.dumps({**role, "Description": "Restarts apps."}), encoding="utf-8")
    assert (await az(f"role definition update --role-definition @{file}"))["description"] == "Restarts apps."
    await az("role definition delete --name Restarter")
    assert await az("role definition list --name Restarter") == []


async def test_it_does_what_is_written_for_it(az: CommandLine) -> None:
    line = AZ_COMMANDS["set-default-subscription"].line({"subscriptionId": str(DEVELOPMENT)})
    await az(" ".join(line).removeprefix("az "))
    assert (await az("account show"))["name"] == "Bakery Development"


@pytest.mark.parametrize("words", sorted({known.words.removeprefix("az ") for known in AZ_COMMANDS.values()}))
async def test_it_has_the_options_that_are_written(words: str, tmp_path: Path) -> None:
    variables = {"PATH": os.environ["PATH"], "AZURE_CONFIG_DIR": str(tmp_path), "AZURE_CORE_COLLECT_TELEMETRY": "no"}
    said = await CommandLine(os.environ["AZURE_CLI"], variables).told(f"{words} --help")
    known = next(one for one in AZ_COMMANDS.values() if one.words == f"az {words}")
    flags = {option.flag for option in known.options.values()} | {one for one in known.always if one.startswith("--")}
    assert [flag for flag in flags if not re.search(rf"{flag}\b", said)] == []


async def test_it_reads_a_vault(az: CommandLine) -> None:
    found = await az("keyvault secret list --vault-name shop-secrets")
    assert "payment-api-key" in names(found)
    shown = await az("keyvault secret show --vault-name shop-secrets -n payment-api-key")
    assert shown["value"] == "invented-payment-2"
    assert (await az("keyvault certificate list --vault-name shop-secrets"))[0]["attributes"]["expires"]


async def test_it_makes_deletes_and_recovers_a_vault(az: CommandLine) -> None:
    made = await az("keyvault create -n bakery-trial -g shop-prod -l westeurope --enable-purge-protection true")
    assert made["properties"]["vaultUri"]
    await az("keyvault secret set --vault-name bakery-trial -n word --value invented")
    await az("keyvault secret set-attributes --vault-name bakery-trial -n word --enabled false")
    await az("keyvault delete -n bakery-trial -g shop-prod")
    assert names(await az("keyvault list-deleted --resource-type vault")) == ["bakery-trial"]
    await az("keyvault recover -n bakery-trial -g shop-prod -l westeurope")
    assert names(await az("keyvault secret list --vault-name bakery-trial")) == ["word"]


async def test_it_changes_things_and_waits(az: CommandLine) -> None:
    await az("group create -n trial -l westeurope")
    await az(
        "tag update --resource-id /subscriptions/{}/resourceGroups/trial --operation merge --tags a=b".format(
            (await az("account show"))["id"]
        )
    )
    assert (await az("group show -n trial"))["tags"] == {"a": "b"}
    await az("group delete -n trial --yes")
    assert await az("group exists -n trial") is False


async def test_it_moves_resources_and_is_kept_from_it_by_locks(az: CommandLine) -> None:
    group = f"/subscriptions/{(await az('account show'))['id']}/resourceGroups"
    site = f"{group}/shop-prod/providers/Microsoft.Web/sites/shop-orders"
    await az("group create -n trial -l westeurope")
    await az("lock create --name still --lock-type ReadOnly -g trial")
    with pytest.raises(AssertionError, match="ScopeLocked"):
        await az(f"resource move --destination-group trial --ids {site}")
    await az("lock delete --name still -g trial")
    await az(f"resource move --destination-group trial --ids {site}")
    assert names(await az("resource list -g trial")) == ["shop-orders"]
    await az(f"resource delete --ids {site.replace('shop-prod', 'trial')}")
    assert await az("resource list -g trial") == []


async def test_it_asks_resource_graph(az: CommandLine, tmp_path: Path) -> None:
    body = tmp_path / "query.json"
    body.write_text(json.dumps({"query": "resources | summarize count() by type | count"}), encoding="utf-8")
    url = "/providers/Microsoft.ResourceGraph/resources?api-version=2024-04-01"
    assert (await az(f"rest --method post --url {url} --body @{body}"))["data"][0]["Count"] > 20


async def test_it_reads_budgets_advice_limits_and_policies(az: CommandLine) -> None:
    assert names(await az("consumption budget list")) == ["bakery-production"]
    advice = await az("advisor recommendation list --category Cost")
    assert [one["shortDescription"]["problem"] for one in advice] == ["Delete disks that nothing uses."]
    usage = {one["name"]["value"]: one for one in await az("vm list-usage -l westeurope")}
    assert (usage["standardDSv5Family"]["currentValue"], usage["standardDSv5Family"]["limit"]) in {
        (52, 56),
        ("52", "56"),
    }
    assert len(await az("network list-usages -l westeurope")) == 2
    states = await az("policy state list -g shop-prod")
    assert "NonCompliant" in {one["complianceState"] for one in states}
    assert names(await az("policy assignment list")) == ["baseline"]
    assert names(await az("policy exemption list -g oven-prod")) == ["moving"]


async def test_it_changes_queues_and_rules(az: CommandLine) -> None:
    bus = "-g oven-prod --namespace-name oven-bus"
    made = await az(f"servicebus queue create {bus} -n flour --max-delivery-count 5")
    assert made["maxDeliveryCount"] == 5
    changed = await az(f"servicebus queue update {bus} -n flour --lock-duration PT30S")
    assert (changed["maxDeliveryCount"], changed["lockDuration"]) == (5, "PT30S")
    await az(f"servicebus queue delete {bus} -n flour")
    assert names(await az(f"servicebus queue list {bus}")) == ["orders"]
    rule = f"{bus} --topic-name baked --subscription-name kitchen -n heavy"
    await az(f"servicebus topic subscription rule create {rule} --filter-sql-expression weight>900")
    await az(f"servicebus topic subscription rule delete {rule}")


async def test_it_plans_and_deploys_templates(az: CommandLine, judged: Judged, tmp_path: Path) -> None:
    file = tmp_path / "shop.json"
    file.write_text(json.dumps(SHOP), encoding="utf-8")
    given = f"-g shop-prod -n bread --template-file {file} --parameters title=Bread"
    planned = await az(f"deployment group what-if {given} --no-pretty-print")
    kinds = {one["resourceId"].rpartition("/")[2]: one["changeType"] for one in planned["changes"]}
    assert (kinds["shop-web"], kinds["bread-secrets"]) == ("Modify", "Create")
    assert (await az(f"deployment group validate {given}"))["properties"]["provisioningState"] == "Succeeded"
    made = await az(f"deployment group create {given}")
    assert made["properties"]["outputs"]["title"]["value"] == "Bread"
    with pytest.raises(AssertionError, match=r"DeploymentCannotBeCancelled|cannot be cancelled"):
        await az("deployment group cancel -g shop-prod -n bread")
    assert (await az("deployment group export -g shop-prod -n bread"))["resources"] == SHOP["resources"]


async def test_it_sets_apps_and_runs_them_again(az: CommandLine) -> None:
    app = "-g shop-prod -n shop-orders"
    await az(f"webapp config appsettings set {app} --settings COLOUR=rye")
    settings = {one["name"]: one["value"] for one in await az(f"webapp config appsettings list {app}")}
    assert settings["COLOUR"] == "rye"
    assert "PAYMENT_KEY" in settings
    await az(f"webapp config appsettings delete {app} --setting-names COLOUR")
    assert "COLOUR" not in names(await az(f"webapp config appsettings list {app}"))
    await az(f"webapp stop {app}")
    assert (await az(f"webapp show {app}"))["state"] == "Stopped"
    await az(f"webapp start {app}")
    await az(f"webapp restart {app}")
    assert (await az(f"webapp show {app}"))["state"] == "Running"


async def test_it_changes_databases_and_what_they_may_take(az: CommandLine) -> None:
    account = "-g oven-prod -a oven-recipes"
    await az(f"cosmosdb sql database create {account} -n trial")
    container = f"{account} -d trial -n doughs"
    made = await az(f"cosmosdb sql container create {container} --partition-key-path /flour --throughput 600")
    assert made["resource"]["partitionKey"]["paths"] == ["/flour"]
    changed = await az(f"cosmosdb sql container throughput update {container} --throughput 800")
    assert changed["resource"]["throughput"] == 800
    moved = await az(f"cosmosdb sql container throughput migrate {container} -t autoscale")
    assert moved["resource"]["autoscaleSettings"]["maxThroughput"] == 4000
    raised = await az(f"cosmosdb sql container throughput update {container} --max-throughput 6000")
    assert raised["resource"]["autoscaleSettings"]["maxThroughput"] == 6000
    await az(f"cosmosdb sql container delete {container} --yes")
    await az(f"cosmosdb sql database delete {account} -n trial --yes")
    assert names(await az(f"cosmosdb sql database list {account}")) == ["recipes", "baking"]
