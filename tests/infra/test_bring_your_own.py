"""What somebody brings is used and not made; what is given on it is given where it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bicep_checker.facts import facts
from bicep_checker.known import Scope, Thing, said
from bicep_checker.reached import Place
from bicep_checker.walking import at
from tests.infra.baseline import TAKING_AWAY
from tests.infra.declared import PARAMETERS
from tests.infra.made import made, placed
from tests.sweeps import examples

HERE: Final = "/subscriptions/5e1f0000-0000-4000-8000-000000000001/resourceGroups"
ELSEWHERE: Final = "/subscriptions/5e1f0000-0000-4000-8000-000000000002/resourceGroups/platform"
WORKSPACE: Final = f"{ELSEWHERE}/providers/Microsoft.OperationalInsights/workspaces/logs"
STORAGE: Final = f"{ELSEWHERE}/providers/Microsoft.Storage/storageAccounts/ourdata"
VAULT: Final = f"{ELSEWHERE}/providers/Microsoft.KeyVault/vaults/our-vault"
NETWORK: Final = f"{ELSEWHERE}/providers/Microsoft.Network/virtualNetworks/spoke"
NETWORKED: Final = {
    "VNET_ENABLED": "true",
    "OWN_APP_SUBNET_ID": f"{NETWORK}/subnets/apps",
    "OWN_ENDPOINT_SUBNET_ID": f"{NETWORK}/subnets/endpoints",
}
ZONES: Final = f"{ELSEWHERE}-dns"
# What is brought by which option, and the kinds of which nothing is made then.
BROUGHT: Final[dict[str, tuple[dict[str, str], set[str]]]] = {
    "a resource group": ({"OWN_RESOURCE_GROUP": "rg-ours"}, {"Microsoft.Resources/resourceGroups"}),
    "a workspace": ({"OWN_WORKSPACE_ID": WORKSPACE}, {"Microsoft.OperationalInsights/workspaces"}),
    "a storage account": (
        {"OWN_STORAGE_ID": STORAGE},
        {
            "Microsoft.Storage/storageAccounts",
            "Microsoft.Storage/storageAccounts/blobServices",
            "Microsoft.Storage/storageAccounts/queueServices",
            "Microsoft.Storage/storageAccounts/tableServices",
        },
    ),
    "a vault": ({"OWN_KEY_VAULT_ID": VAULT}, {"Microsoft.KeyVault/vaults"}),
    "subnets": (NETWORKED, {"Microsoft.Network/virtualNetworks"}),
    "zones": (
        {"VNET_ENABLED": "true", "OWN_DNS_ZONES_GROUP_ID": ZONES},
        {"Microsoft.Network/privateDnsZones", "Microsoft.Network/privateDnsZones/virtualNetworkLinks"},
    ),
    "a registration": (
        {"ENTRA_APP_ENABLED": "true", "OWN_ENTRA_CLIENT_ID": "22222222-2222-2222-2222-222222222222"},
        {
            "Microsoft.Graph/applications",
            "Microsoft.Graph/applications/federatedIdentityCredentials",
            "Microsoft.Graph/servicePrincipals",
        },
    ),
}
ALL: Final = {name: value for options, _ in BROUGHT.values() for name, value in options.items()}
# Options, and the part of each without what is brought.
SWITCHES: Final = {"VNET_ENABLED", "ENTRA_APP_ENABLED"}


@pytest.mark.parametrize(("options", "kinds"), BROUGHT.values(), ids=BROUGHT)
def test_what_is_brought_is_not_made(options: Mapping[str, str], kinds: set[str]) -> None:
    switched_on = {name: value for name, value in options.items() if name in SWITCHES}
    assert kinds <= _kinds(switched_on)
    assert not kinds & _kinds(options)


@settings(max_examples=examples(40), deadline=None)
@given(brought=st.sets(st.sampled_from(sorted(BROUGHT))))
def test_whatever_is_brought_the_app_reaches_what_is_brought_or_made_and_nothing_else(brought: set[str]) -> None:
    options = {name: value for one in brought for name, value in BROUGHT[one][0].items()}
    things, given_to_the_app = made(options), _settings(options)
    account = said(given_to_the_app["AzureWebJobsStorage__accountName"])
    assert ("ourdata" in account) == ("a storage account" in brought)
    (site,) = [thing for thing in things if thing.kind == "Microsoft.Web/sites" and not thing.existing]
    subnet = said(site.body["properties"]["virtualNetworkSubnetId"])
    assert ("spoke/subnets/apps" in subnet) == ("subnets" in brought)
    kinds = {thing.kind for thing in things if not thing.existing}
    assert not kinds & {kind for one in brought for kind in BROUGHT[one][1]}


def test_roles_and_contents_of_an_account_of_another_group_are_made_there() -> None:
    calls = _calls({"OWN_STORAGE_ID": STORAGE, "OWN_KEY_VAULT_ID": VAULT})
    there = Scope("resourceGroup", ("5e1f0000-0000-4000-8000-000000000002", "platform"))
    assert {name for name, scope in calls.items() if scope == there} == {
        *("rolesOnStorage", "rolesOnVault", "storageContents")
    }
    names = {
        said(thing.name)
        for thing in made({"OWN_STORAGE_ID": STORAGE})
        if thing.kind.endswith(("s/tables", "/containers", "/queues"))
    }
    assert names == {
        f"'{name}'"
        for name in (
            *("updates", "operations", "changes", "tasks", "extensions", "library", "addresses", "sessions"),
            *("documents", "git-workspaces", "watches", "retirements"),
            *("app-package", "tasks-poison"),
        )
    }


def test_deployments_in_groups_of_others_are_named_after_this_app() -> None:
    options = {"OWN_STORAGE_ID": STORAGE, "OWN_KEY_VAULT_ID": VAULT, "READER_SCOPES": ELSEWHERE}
    deployments = [called for place in placed(options).places() for _, called in place.modules()]
    abroad = [called for called in deployments if isinstance(called.scope, Scope)]
    assert len(abroad) == 4
    assert all("uniqueString" in said(called.name) for called in abroad)


def test_nothing_of_what_is_brought_is_logged_or_closed_by_us() -> None:
    logged = [thing.scope for thing in made(ALL) if thing.kind == "Microsoft.Insights/diagnosticSettings"]
    assert {scope.kind for scope in logged if isinstance(scope, Thing)} == {"Microsoft.Web/sites"}


def test_all_logs_go_to_the_workspace_that_is_brought() -> None:
    things = made({"OWN_WORKSPACE_ID": WORKSPACE})
    taken = {
        said(found.value)
        for thing in things
        for path in ("properties.workspaceId", "properties.WorkspaceResourceId", "properties.sourceId")
        for found in at(thing, path)
        if found.given
    }
    assert taken == {repr(WORKSPACE)}
    rules = [thing for thing in things if thing.kind == "Microsoft.Insights/scheduledQueryRules"]
    assert {said(found.value) for rule in rules for found in at(rule, "properties.scopes[]")} == {repr(WORKSPACE)}


def test_a_registration_that_is_brought_is_what_people_sign_in_to() -> None:
    client = "22222222-2222-2222-2222-222222222222"
    told = _settings({"ENTRA_APP_ENABLED": "true", "OWN_ENTRA_CLIENT_ID": client})
    assert told["AUTH_AUDIENCE"] == f"{client},api://{client}"
    assert told["AUTH_SCOPE"] == f"api://{client}/access"
    assert told["AUTH_BRIDGE_CLIENT_ID"] == told["UPSTREAM_CLIENT_ID"] == client


def test_endpoints_are_made_for_what_is_made_and_found_in_the_zones_that_are_brought() -> None:
    options = {**NETWORKED, "OWN_DNS_ZONES_GROUP_ID": ZONES, "OWN_KEY_VAULT_ID": VAULT, "APP_PRIVATE_ENDPOINT": "true"}
    things = made(options)
    endpoints = [thing for thing in things if thing.kind == "Microsoft.Network/privateEndpoints"]
    parts = {found.value for one in endpoints for found in at(one, "properties.privateLinkServiceConnections[].name")}
    assert parts == {"blob", "queue", "table", "sites"}
    subnets = {said(found.value) for one in endpoints for found in at(one, "properties.subnet.id")}
    assert subnets == {repr(f"{NETWORK}/subnets/endpoints")}
    kind = "Microsoft.Network/privateEndpoints/privateDnsZoneGroups"
    path = "properties.privateDnsZoneConfigs[].properties.privateDnsZoneId"
    zones = {found.value.place for one in things if one.kind == kind for found in at(one, path)}
    assert zones == {("5e1f0000-0000-4000-8000-000000000002", "platform-dns")}


def test_zones_that_are_made_are_linked_to_the_network_that_is_brought() -> None:
    links = [thing for thing in made(NETWORKED) if thing.kind.endswith("/virtualNetworkLinks")]
    assert {said(found.value) for link in links for found in at(link, "properties.virtualNetwork.id")} == {
        repr(NETWORK)
    }
    assert {said(link.name) for link in links} == {"'spoke'"}


# Names and tags


@pytest.mark.parametrize("option", [value.strip("${}") for value in PARAMETERS["ownNames"]["value"].values()])
def test_a_name_that_somebody_chose_is_that_of_a_resource(option: str) -> None:
    options = {"VNET_ENABLED": "true", "ALERT_EMAIL": "team@example.com", "TRANSLATOR_ENABLED": "true"}
    before, after = (_names({**options, **more}) for more in ({}, {option: "chosen"}))
    assert not [name for name in before if "chosen" in name]
    assert {name.split("-")[0] for name in after - before if "chosen" in name}


def test_tags_that_somebody_chose_are_on_everything_that_has_tags() -> None:
    tagged = [thing for thing in made({"OWN_TAGS": "owner=team, costCenter = 42"}) if thing.body.get("tags")]
    assert len(tagged) > 8
    for thing in tagged:
        tags = thing.body["tags"]
        assert (tags["owner"], tags["costCenter"], tags["azd-env-name"]) == ("team", "42", "team")


# The network


def test_with_an_endpoint_of_its_own_the_app_can_be_closed_to_the_outside() -> None:
    closed = {"VNET_ENABLED": "true", "APP_PRIVATE_ENDPOINT": "true", "APP_PUBLIC_ACCESS": "false"}
    for options, access in (
        ({}, "Enabled"),
        (closed, "Disabled"),
        ({**closed, "APP_PUBLIC_ACCESS": "true"}, "Enabled"),
    ):
        (site,) = [thing for thing in made(options) if thing.kind == "Microsoft.Web/sites" and not thing.existing]
        assert site.body["properties"]["publicNetworkAccess"] == access
    zones = {said(thing.name) for thing in made(closed) if thing.kind == "Microsoft.Network/privateDnsZones"}
    assert "'privatelink.azurewebsites.net'" in zones


def test_a_fixed_address_is_that_of_the_subnet_of_the_app() -> None:
    things = made({"VNET_ENABLED": "true", "FIXED_OUTGOING_ADDRESS": "true"})
    (network,) = [thing for thing in things if thing.kind == "Microsoft.Network/virtualNetworks"]
    gateways = {
        found.value["name"]: said(found.value["properties"].get("natGateway"))
        for found in at(network, "properties.subnets[]")
    }
    assert gateways["endpoints"] == "None"
    assert "Microsoft.Network/natGateways" in gateways["app"]


def test_in_zones_both_the_plan_and_the_account_are() -> None:
    for options, wanted in (({}, (False, "Standard_LRS")), ({"ZONE_REDUNDANT": "true"}, (True, "Standard_ZRS"))):
        things = {thing.kind: thing for thing in made(options) if not thing.existing}
        plan, account = things["Microsoft.Web/serverfarms"], things["Microsoft.Storage/storageAccounts"]
        assert (plan.body["properties"]["zoneRedundant"], account.body["sku"]["name"]) == wanted


# Rights


def test_the_app_may_read_where_somebody_says_so_and_nowhere_else() -> None:
    subscription, group = "/subscriptions/5E1F-2", ELSEWHERE
    options = {
        "READER_SCOPES": f"{subscription}, {group},{group.upper()}",
        "MONITORING_READER_SCOPES": group,
        "COST_READER_SCOPES": subscription,
    }
    assert _rights({}) == []
    assert _rights(options) == [
        ("costManagementReader", Scope("subscription", ("5e1f-2",))),
        ("monitoringReader", _group(group)),
        ("reader", _group(group)),
        ("reader", Scope("subscription", ("5e1f-2",))),
    ]


def test_the_app_writes_in_azure_only_where_somebody_says_so_and_there_takes_roles_away_and_gives_none() -> None:
    (ending,) = [called for declared, called in _rights_called({"TASKS_SCOPES": f"{ELSEWHERE}, {ELSEWHERE}"})]
    assert ending.place.parameters["role"] == facts()["roles"]["roleBasedAccessControlAdministrator"]
    assert ending.place.parameters["condition"] == TAKING_AWAY
    assert ending.scope == _group(ELSEWHERE)
    reading = _rights_called({"READER_SCOPES": ELSEWHERE})
    assert [called.place.parameters["condition"] for _, called in reading] == [""]


def test_the_app_may_ask_the_models_of_the_account_that_is_named_and_nothing_else() -> None:
    models = f"{ELSEWHERE}/providers/Microsoft.CognitiveServices/accounts/models"
    given = [str(thing.body) for thing in made({"OWN_OPENAI_ID": models}) if thing.file.endswith("openai.bicep")]
    names = [name for name, guid in facts()["roles"].items() if any(guid in body for body in given)]
    assert names == ["cognitiveServicesOpenAIUser"]
    assert _calls({"OWN_OPENAI_ID": models})["rolesOnOpenAi"] == _group(models)
    assert "rolesOnOpenAi" not in _calls({})


RECORDS = f"{ELSEWHERE}/providers/Microsoft.DocumentDB/databaseAccounts/shop"
CHOSEN = {"OWN_COSMOS_ID": RECORDS, "COSMOS_DATABASE": "shop", "COSMOS_CONTAINERS": "prod-data, orders:/customer"}


@pytest.mark.parametrize(("read_only", "role"), [("false", 1), ("true", 0)])
def test_the_app_may_do_with_records_of_the_containers_that_are_named_what_was_said(read_only: str, role: int) -> None:
    rights = [thing for thing in made({**CHOSEN, "COSMOS_READ_ONLY": read_only}) if "sqlRole" in thing.kind]
    assigned = [thing.body["properties"] for thing in rights if thing.kind.endswith("sqlRoleAssignments")]
    bodies = [body for body in assigned if "/dbs/" in said(body["scope"])]
    assert {said(body["scope"]).partition("'shop')}")[2] for body in bodies} == {
        "/dbs/shop/colls/prod-data",
        "/dbs/shop/colls/orders",
    }
    assert all(facts()["cosmos_roles"][role] in said(body["roleDefinitionId"]) for body in bodies)
    assert _calls(CHOSEN)["rolesOnCosmos"] == _group(RECORDS)


def test_the_app_reads_the_metadata_of_the_account_and_nothing_else_of_it() -> None:
    (defined,) = [thing for thing in made(CHOSEN) if thing.kind.endswith("sqlRoleDefinitions")]
    properties = defined.body["properties"]
    assert properties["permissions"] == [{"dataActions": ["Microsoft.DocumentDB/databaseAccounts/readMetadata"]}]
    assigned = [thing.body["properties"] for thing in made(CHOSEN) if thing.kind.endswith("sqlRoleAssignments")]
    (of_account,) = [body for body in assigned if "/dbs/" not in said(body["scope"])]
    assert said(of_account["roleDefinitionId"]) == str(defined.id)
    assert said(of_account["scope"]) in {said(scope) for scope in properties["assignableScopes"]}


def test_where_no_account_of_records_is_brought_nothing_of_it_is_made() -> None:
    assert "rolesOnCosmos" not in _calls({})
    assert not [kind for kind in _kinds({}) if "DocumentDB" in kind]
    assert not [kind for kind in _kinds(CHOSEN) if "privateEndpoints" in kind]


def test_an_account_of_records_has_an_address_in_the_network_where_somebody_wants_one() -> None:
    options = {**CHOSEN, "VNET_ENABLED": "true", "COSMOS_PRIVATE_ENDPOINT": "true"}
    zones = {said(thing.name) for thing in made(options) if thing.kind == "Microsoft.Network/privateDnsZones"}
    assert "'privatelink.documents.azure.com'" in zones
    (endpoint,) = [thing for thing in made(options) if said(thing.name).endswith("-Sql")]
    assert "databaseAccounts, 'shop'" in said(endpoint.body["properties"]["privateLinkServiceConnections"])


def _group(id_: str) -> Scope:
    return Scope("resourceGroup", (id_.split("/")[2], id_.split("/")[4]))


def _rights(options: Mapping[str, str]) -> list[tuple[str, Scope]]:
    """The roles that are given on whole subscriptions and groups, and on which."""
    names = {guid: name for name, guid in facts()["roles"].items()}
    calls = [(names[called.place.parameters["role"]], called.scope) for _, called in _rights_called(options)]
    return sorted(calls, key=str)


def _rights_called(options: Mapping[str, str]) -> list[tuple[Any, Any]]:
    return [
        (declared, called)
        for place in placed(options).places()
        for declared, called in place.modules()
        if declared.name.startswith("rightsOn")
    ]


def _kinds(options: Mapping[str, str]) -> set[str]:
    return {thing.kind for thing in made(options) if not thing.existing}


def _names(options: Mapping[str, str]) -> set[str]:
    deployment = placed(options)
    group = said(deployment.look("groupName"))
    return {said(thing.name) for thing in made(options) if not thing.existing} | {group}


def _settings(options: Mapping[str, str]) -> dict[str, Any]:
    (found,) = [thing for thing in made(options) if said(thing.name) == "'appsettings'"]
    properties: dict[str, Any] = found.body["properties"]
    return properties


def _calls(options: Mapping[str, str]) -> dict[str, Any]:
    root: Place = placed(options)
    return {declared.name: called.scope for declared, called in root.modules()}


def test_two_environments_in_one_resource_group_have_alerts_of_different_names() -> None:
    names = [
        {
            str(thing.name)
            for thing in made({"AZURE_ENV_NAME": environment, "OWN_RESOURCE_GROUP": "rg-team"})
            if thing.kind.endswith("/scheduledQueryRules")
        }
        for environment in ("blue", "green")
    ]
    assert all(names)
    assert not names[0] & names[1]
