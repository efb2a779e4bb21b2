"""What somebody brings is looked at before anything is made: its form, what goes together, what it is, and who may."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest

import options
import own_resources
from bicep_checker.facts import facts
from cannot_go_on import CannotGoOnError
from hook import Deployment
from tests.fakes.azure_for_hooks import SUBSCRIPTION, error
from tests.infra.declared import PARAMETERS
from tests.infra.hooks.bench import Bench
from tests.sweeps import Sweep
from web import SECONDS_TO_ANSWER

GROUP: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/platform"
STORAGE: Final = f"{GROUP}/providers/Microsoft.Storage/storageAccounts/ourdata"
VAULT: Final = f"{GROUP}/providers/Microsoft.KeyVault/vaults/our-vault"
MODELS: Final = f"{GROUP}/providers/Microsoft.CognitiveServices/accounts/models"
RECORDS: Final = f"{GROUP}/providers/Microsoft.DocumentDB/databaseAccounts/shop"
WORKSPACE: Final = f"{GROUP}/providers/Microsoft.OperationalInsights/workspaces/logs"
NETWORK: Final = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/spoke"
CLIENT: Final = "22222222-2222-2222-2222-222222222222"
SUBNETS: Final = {
    "VNET_ENABLED": "true",
    "OWN_APP_SUBNET_ID": f"{NETWORK}/subnets/apps",
    "OWN_ENDPOINT_SUBNET_ID": f"{NETWORK}/subnets/endpoints",
}
ALL: Final = {
    **SUBNETS,
    "AZURE_LOCATION": "westeurope",
    "OWN_RESOURCE_GROUP": "platform",
    "OWN_WORKSPACE_ID": WORKSPACE,
    "OWN_STORAGE_ID": STORAGE,
    "OWN_KEY_VAULT_ID": VAULT,
    "OWN_OPENAI_ID": MODELS,
    "OWN_COSMOS_ID": RECORDS,
    "COSMOS_DATABASE": "shop",
    "COSMOS_CONTAINERS": "prod-data,orders:/customer",
    "COSMOS_PRIVATE_ENDPOINT": "true",
    "OWN_DNS_ZONES_GROUP_ID": f"{GROUP}-dns",
    "APP_PRIVATE_ENDPOINT": "true",
    "APP_PUBLIC_ACCESS": "false",
    "ENTRA_APP_ENABLED": "true",
    "OWN_ENTRA_CLIENT_ID": CLIENT,
    "OWN_TAGS": "owner=team, costCenter=42",
    "READER_SCOPES": f"/subscriptions/{SUBSCRIPTION}, {GROUP}",
}


def _look_at_what_is_brought(deployment: Deployment) -> None:
    for step in own_resources.CHECKS:
        step(deployment)


def _subnet(name: str, prefix: str, *delegations: str) -> dict[str, Any]:
    delegated = [{"name": "one", "properties": {"serviceName": service}} for service in delegations]
    return {"name": name, "properties": {"addressPrefix": prefix, "delegations": delegated}}


def _network(*subnets: dict[str, Any], location: str = "westeurope") -> dict[str, Any]:
    return {"location": location, "properties": {"subnets": list(subnets)}}


APPS: Final = _subnet("apps", "10.1.0.0/26", "Microsoft.App/environments")
ENDPOINTS: Final = _subnet("endpoints", "10.1.1.0/28")


@pytest.fixture
def there(bench: Bench) -> Bench:
    """Where all of it is there, and as it has to be."""
    zones = (f"{GROUP}-dns/providers/Microsoft.Network/privateDnsZones/{zone}" for zone in _zones())
    bench.azure.resources = {
        GROUP: {"location": "westeurope"},
        f"{GROUP}-dns": {"location": "westeurope"},
        WORKSPACE: {"properties": {}},
        STORAGE: {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "properties": {}},
        VAULT: {"properties": {"enableRbacAuthorization": True, "publicNetworkAccess": "Disabled"}},
        MODELS: {"kind": "AIServices", "properties": {}},
        RECORDS: {"kind": "GlobalDocumentDB", "properties": {"capabilities": [{"name": "EnableServerless"}]}},
        NETWORK: _network(APPS, ENDPOINTS),
        **{zone: {} for zone in zones},
    }
    return bench


def _zones() -> list[str]:
    return [zone for parts in facts()["endpoints"].values() for zone in parts.values()]


def test_what_is_there_and_fits_is_let_through_and_nothing_is_changed(there: Bench) -> None:
    done = there.run("preprovision", **ALL)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {asked.method for asked in there.azure.asked} == {"GET"}


def test_where_nothing_is_brought_nothing_more_is_asked(there: Bench) -> None:
    there.run("preprovision")
    asked = [asked.path.partition("?")[0] for asked in there.azure.asked]
    assert not [path for path in asked if path in there.azure.resources or path.endswith("/permissions")]


# Forms


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("OWN_RESOURCE_GROUP", "rg team"),
        ("OWN_RESOURCE_GROUP", GROUP),
        ("OWN_WORKSPACE_ID", "logs"),
        ("OWN_WORKSPACE_ID", STORAGE),
        ("OWN_WORKSPACE_ID", f"{WORKSPACE}/"),
        ("OWN_STORAGE_ID", f"{STORAGE}/blobServices/default"),
        ("OWN_STORAGE_ID", STORAGE.replace(SUBSCRIPTION, "mine")),
        ("OWN_KEY_VAULT_ID", "https://our-vault.vault.azure.net"),
        ("OWN_KEY_VAULT_ID", f"{VAULT}\n"),
        ("OWN_OPENAI_ID", "https://models.openai.azure.com"),
        ("OWN_OPENAI_ID", f"{MODELS}/deployments/writer"),
        ("OWN_COSMOS_ID", "https://shop.documents.azure.com"),
        ("OWN_COSMOS_ID", f"{RECORDS}/sqlDatabases/shop"),
        ("OWN_APP_SUBNET_ID", NETWORK),
        (
            "OWN_DNS_ZONES_GROUP_ID",
            f"{GROUP}/providers/Microsoft.Network/privateDnsZones/privatelink.azurewebsites.net",
        ),
        ("OWN_ENTRA_CLIENT_ID", f"api://{CLIENT}"),
        ("STORAGE_NAME", "Our-Data"),
        ("KEY_VAULT_NAME", "1vault"),
        ("FUNCTION_APP_NAME", "my.app"),
    ],
)
def test_what_has_another_form_is_told_with_one_that_fits(there: Bench, option: str, value: str) -> None:
    with pytest.raises(CannotGoOnError, match=f"^{option} is .* but must look like .* Run 'azd env set {option} "):
        options.check_forms(there.deployment(SECONDS_TO_ANSWER, **{option: value}))
    assert there.azure.asked == []


@pytest.mark.parametrize("option", options.FORMS)
def test_the_example_of_a_form_has_it_when_its_words_are_filled_in(there: Bench, option: str) -> None:
    example = options.FORMS[option].example.replace("<id>", SUBSCRIPTION)
    options.check_forms(there.deployment(SECONDS_TO_ANSWER, **{option: re.sub(r"<(\w+)>", r"\1", example)}))


def test_every_name_that_can_be_chosen_has_a_form() -> None:
    chosen = {value.strip("${}") for value in PARAMETERS["ownNames"]["value"].values()}
    assert chosen == {option for option in options.FORMS if option.endswith("_NAME")}


@pytest.mark.parametrize("scope", ["contoso", f"{GROUP}/providers/x/y/z", "/subscriptions/mine", f"{GROUP};{GROUP}"])
@pytest.mark.parametrize("option", options.SCOPES)
def test_a_scope_is_a_subscription_or_a_group(there: Bench, option: str, scope: str) -> None:
    with pytest.raises(CannotGoOnError, match="not the id of a subscription or resource group"):
        options.check_scopes(there.deployment(SECONDS_TO_ANSWER, **{option: f"{GROUP},{scope}"}))


@pytest.mark.parametrize(
    "tags", ["owner", "=team", "owner=team;x=y=z", "azd-env-name=x", "a<b=c", ",".join(f"t{n}=1" for n in range(41))]
)
def test_what_is_no_tag_is_told(there: Bench, tags: str) -> None:
    with pytest.raises(CannotGoOnError, match=r"^OWN_TAGS (contains|has) .* A tag must have the form name=value"):
        options.check_tags(there.deployment(OWN_TAGS=tags))


# What goes together


@pytest.mark.parametrize(
    ("values", "mend"),
    [
        ({"VNET_ENABLED": "true", "OWN_APP_SUBNET_ID": "x"}, "OWN_ENDPOINT_SUBNET_ID <id of a subnet>"),
        ({"VNET_ENABLED": "true", "OWN_ENDPOINT_SUBNET_ID": "x"}, "OWN_APP_SUBNET_ID <id of a subnet>"),
        ({**SUBNETS, "VNET_ENABLED": "false"}, "VNET_ENABLED true"),
        ({"OWN_DNS_ZONES_GROUP_ID": GROUP}, "VNET_ENABLED true"),
        ({"APP_PRIVATE_ENDPOINT": "true"}, "VNET_ENABLED true"),
        ({"FIXED_OUTGOING_ADDRESS": "true"}, "VNET_ENABLED true"),
        ({"APP_PUBLIC_ACCESS": "false"}, "APP_PRIVATE_ENDPOINT true"),
        ({**SUBNETS, "FIXED_OUTGOING_ADDRESS": "true"}, "FIXED_OUTGOING_ADDRESS false"),
        ({"OWN_ENTRA_CLIENT_ID": CLIENT}, "ENTRA_APP_ENABLED true"),
        ({"ZONE_REDUNDANT": "true", "ALWAYS_READY_INSTANCES": "1"}, "ALWAYS_READY_INSTANCES 2"),
        ({"OWN_STORAGE_ID": STORAGE, "STORAGE_NAME": "stteam"}, 'STORAGE_NAME ""'),
    ],
)
def test_what_cannot_be_together_is_told_with_the_command_that_mends_it(
    there: Bench, values: dict[str, str], mend: str
) -> None:
    with pytest.raises(CannotGoOnError, match=re.escape(f"Run 'azd env set {mend}'")):
        options.check_rules(there.deployment(SECONDS_TO_ANSWER, **values))


@pytest.mark.parametrize(
    ("values", "instead"),
    [
        ({"APP_PRIVATE_ENDPOINT": "true"}, "APP_PRIVATE_ENDPOINT false"),
        ({"OWN_DNS_ZONES_GROUP_ID": GROUP}, 'OWN_DNS_ZONES_GROUP_ID ""'),
        ({"APP_PUBLIC_ACCESS": "false"}, "APP_PUBLIC_ACCESS true"),
        ({"OWN_ENTRA_CLIENT_ID": CLIENT}, 'OWN_ENTRA_CLIENT_ID ""'),
    ],
)
def test_who_switches_off_what_an_option_needs_is_told_how_to_take_that_back_too(
    there: Bench, values: dict[str, str], instead: str
) -> None:
    with pytest.raises(CannotGoOnError, match=re.escape(f" or 'azd env set {instead}', then")):
        options.check_rules(there.deployment(SECONDS_TO_ANSWER, **values))


@pytest.mark.parametrize("off", [{}, {"APP_PUBLIC_ACCESS": "true"}, {"FIXED_OUTGOING_ADDRESS": "false"}, ALL])
def test_what_goes_together_is_let_through(there: Bench, off: dict[str, str]) -> None:
    options.check_rules(there.deployment(SECONDS_TO_ANSWER, **off))


# What is there


@Sweep(
    ("option", "path"),
    [
        ("OWN_RESOURCE_GROUP", GROUP),
        ("OWN_WORKSPACE_ID", WORKSPACE),
        ("OWN_STORAGE_ID", STORAGE),
        ("OWN_KEY_VAULT_ID", VAULT),
        ("OWN_OPENAI_ID", MODELS),
        ("OWN_COSMOS_ID", RECORDS),
        ("OWN_APP_SUBNET_ID", NETWORK),
        (
            "OWN_DNS_ZONES_GROUP_ID",
            f"{GROUP}-dns/providers/Microsoft.Network/privateDnsZones/privatelink.azurewebsites.net",
        ),
    ],
    every=2,
)
def test_what_is_not_there_is_told_by_the_option_that_brings_it(there: Bench, option: str, path: str) -> None:
    del there.azure.resources[path]
    done = there.run("preprovision", **ALL)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{option}: azd's sign-in cannot find {path} (404")


def test_where_azure_does_not_answer_the_same_command_is_proposed(there: Bench) -> None:
    there.azure.fail("GET", "storageAccounts", *[error(400, "BadRequest", "no")] * 3)
    with pytest.raises(CannotGoOnError, match=r"OWN_STORAGE_ID: could not check .* Run the same command again\."):
        own_resources.check_storage(there.deployment(OWN_STORAGE_ID=STORAGE))


@pytest.mark.parametrize(
    ("path", "found", "values", "words"),
    [
        (STORAGE, {"kind": "BlobStorage"}, {}, "needs a StorageV2"),
        (
            STORAGE,
            {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}},
            {"ZONE_REDUNDANT": "true"},
            "in a single zone",
        ),
        (
            STORAGE,
            {"kind": "StorageV2", "properties": {"publicNetworkAccess": "Disabled"}},
            {"VNET_ENABLED": "false"},
            "closed to the internet",
        ),
        (VAULT, {"properties": {"enableRbacAuthorization": False}}, {}, "permission model"),
        (VAULT, {"properties": {}}, {}, "permission model"),
        (MODELS, {"kind": "TextTranslation"}, {}, "OWN_OPENAI_ID is of the kind TextTranslation"),
        (RECORDS, {"kind": "MongoDB"}, {}, "OWN_COSMOS_ID is not an account"),
        (
            RECORDS,
            {"kind": "GlobalDocumentDB", "properties": {"capabilities": [{"name": "EnableTable"}]}},
            {},
            "for the NoSQL API",
        ),
        (
            RECORDS,
            {"kind": "GlobalDocumentDB", "properties": {"publicNetworkAccess": "Disabled"}},
            {"VNET_ENABLED": "false", "OWN_KEY_VAULT_ID": ""},
            "OWN_COSMOS_ID is closed to the internet",
        ),
        (NETWORK, _network(ENDPOINTS), {}, "OWN_APP_SUBNET_ID names a subnet that does not exist in the network"),
        (NETWORK, _network(_subnet("apps", "10.1.0.0/26"), ENDPOINTS), {}, "delegated to no service"),
        (
            NETWORK,
            _network(_subnet("apps", "10.1.0.0/26", "Microsoft.Web/serverFarms"), ENDPOINTS),
            {},
            "the delegation must be to",
        ),
        (NETWORK, _network(_subnet("apps", "10.1.0.0/28", "Microsoft.App/environments"), ENDPOINTS), {}, "too small"),
        (NETWORK, _network(APPS, _subnet("endpoints", "10.1.1.0/28", "Microsoft.Sql/x")), {}, "without delegation"),
        (NETWORK, _network(APPS, ENDPOINTS, location="northeurope"), {}, "in the same region"),
    ],
)
def test_what_does_not_fit_is_told(
    there: Bench, path: str, found: dict[str, Any], values: dict[str, str], words: str
) -> None:
    there.azure.resources[path] = found
    with pytest.raises(CannotGoOnError, match=words):
        _look_at_what_is_brought(there.deployment(SECONDS_TO_ANSWER, **{**ALL, **values}))


def test_a_subnet_of_apps_has_no_underscore(there: Bench) -> None:
    there.azure.resources[NETWORK] = _network(
        _subnet("my_apps", "10.1.0.0/26", "Microsoft.App/environments"), ENDPOINTS
    )
    with pytest.raises(CannotGoOnError, match="underscore"):
        own_resources.check_subnets(
            there.deployment(SECONDS_TO_ANSWER, **{**ALL, "OWN_APP_SUBNET_ID": f"{NETWORK}/subnets/my_apps"})
        )


def test_only_zones_in_which_a_name_is_entered_are_looked_for(there: Bench) -> None:
    own_resources.check_zones(
        there.deployment(
            SECONDS_TO_ANSWER,
            **{**ALL, "OWN_STORAGE_ID": "", "APP_PRIVATE_ENDPOINT": "false", "COSMOS_PRIVATE_ENDPOINT": "false"},
        )
    )
    asked = {asked.path.partition("/privateDnsZones/")[2].partition("?")[0] for asked in there.azure.asked} - {""}
    assert asked == {f"privatelink.{part}.core.windows.net" for part in ("blob", "queue", "table")}


# Who may


@Sweep(
    ("option", "scope", "action"),
    [
        *((option, ALL[option], action) for option, actions in own_resources.ON_IT.items() for action in actions),
        *((option, GROUP, action) for option, actions in own_resources.IN_ITS_GROUP.items() for action in actions),
        *(("READER_SCOPES", f"/subscriptions/{SUBSCRIPTION}", action) for action in own_resources.ON_SCOPES),
    ],
    every=3,
)
def test_who_may_not_do_what_the_deployment_does_is_told(there: Bench, option: str, scope: str, action: str) -> None:
    there.azure.permitted[scope] = [{"actions": ["*"], "notActions": [action.lower()]}]
    done = there.run("preprovision", **{name: value for name, value in ALL.items() if name != "OWN_RESOURCE_GROUP"})
    assert done.returncode == 1
    assert f"azd's sign-in is not allowed to {action} on {scope}" in done.stderr


def test_several_roles_together_are_enough(there: Bench) -> None:
    contributor = {"actions": ["*"], "notActions": ["Microsoft.Authorization/*/Write"]}
    administrator = {"actions": ["Microsoft.Authorization/roleAssignments/*"], "notActions": []}
    there.azure.permitted[STORAGE] = [contributor, administrator]
    own_resources.check_permissions(there.deployment(OWN_STORAGE_ID=STORAGE))


def test_the_document_says_each_permission_that_is_asked_for() -> None:
    text = (Path(own_resources.__file__).parents[2] / "docs" / "deploying.md").read_text(encoding="utf-8")
    own = text.partition("## Bring your own")[2].partition("\n## From a pipeline")[0]
    for option in {**own_resources.ON_IT, **dict.fromkeys(options.SCOPES)}:
        assert f"\n| `{option}` |" in own, option
    for action in {action for actions in own_resources.ON_IT.values() for action in actions} | set(
        own_resources.ON_SCOPES
    ):
        assert f"`{action}`" in own, action
