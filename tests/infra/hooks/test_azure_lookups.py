"""Before provisioning, a hook looks at what a template cannot see, and azd remembers it for the template."""

from __future__ import annotations

import re
from typing import Any

import pytest

import azure_lookups
from cannot_go_on import CannotGoOnError
from tests.fakes.azure_for_hooks import FUNCTION, GROUP, error
from tests.infra.deployed import INFRA
from tests.infra.deployment import Deployment
from tests.infra.hooks.bench import Bench

OURS = "kv-unique7abcdef"
INSIDE = {"virtualNetworkSubnetId": f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vnet/subnets/app"}


def _vault(name: str = OURS, environment: str = "team", region: str = "West Europe") -> dict[str, Any]:
    return {"name": name, "properties": {"location": region, "tags": {"azd-env-name": environment}}}


def _site(name: str = "func-unique7abcdef", place: str = FUNCTION, **properties: str) -> dict[str, Any]:
    return {
        "id": place,
        "name": name,
        "location": "West Europe",
        "tags": {"azd-env-name": "team"},
        "properties": properties,
    }


# Regions


def test_a_region_without_flex_consumption_is_refused_with_those_that_have_it(bench: Bench) -> None:
    done = bench.run("preprovision", AZURE_LOCATION="germanynorth")
    assert done.returncode == 1
    assert "not available in germanynorth. Choose one of northeurope, westeurope" in done.stderr
    assert "azd env set AZURE_LOCATION <region>" in done.stderr


@pytest.mark.parametrize("region", ["westeurope", "West Europe", "WestEurope"])
def test_a_region_is_known_in_each_spelling(bench: Bench, region: str) -> None:
    azure_lookups.check_region(bench.deployment(AZURE_LOCATION=region))
    (asked,) = bench.azure.calls("GET", "/geoRegions")
    assert asked.path.endswith("api-version=2023-01-01&sku=FlexConsumption")


def test_without_a_region_azd_has_yet_to_ask_for_one(bench: Bench) -> None:
    azure_lookups.check_region(bench.deployment(AZURE_LOCATION=""))
    assert bench.azure.asked == []


def test_regions_that_cannot_be_seen_keep_nobody_from_trying(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.azure.fail("GET", "/geoRegions", error(409, "MissingSubscriptionRegistration"))
    azure_lookups.check_region(bench.deployment())
    assert "(409 MissingSubscriptionRegistration), so provisioning may fail" in capsys.readouterr().out


# The vault


def test_a_deleted_vault_of_this_environment_is_taken_back(bench: Bench) -> None:
    bench.azure.deleted_vaults = [_vault("kv-other"), _vault()]
    done = bench.run("preprovision")
    assert done.returncode == 0
    assert "restores the vault with its secrets" in done.stdout
    assert bench.azd.remembered == {"VAULT_IS_DELETED": "true"}


@pytest.mark.parametrize(
    "vault",
    [
        _vault("kv-team"),
        _vault(environment="other"),
        _vault(region="North Europe"),
        {},
        {"name": OURS, "properties": None},
    ],
    ids=["another name", "another environment", "another region", "nothing", "no properties"],
)
def test_a_deleted_vault_of_somebody_else_is_left(bench: Bench, vault: dict[str, Any]) -> None:
    bench.azure.deleted_vaults = [vault]
    azure_lookups.look_for_a_deleted_vault(bench.deployment())
    assert bench.azd.remembered == {}


def test_a_vault_whose_name_somebody_chose_is_taken_back_by_that(bench: Bench) -> None:
    bench.azure.deleted_vaults = [_vault("kv.team")]
    azure_lookups.look_for_a_deleted_vault(bench.deployment(KEY_VAULT_NAME="kv-team"))
    assert bench.azd.remembered == {}
    bench.azure.deleted_vaults = [_vault("kv-team")]
    azure_lookups.look_for_a_deleted_vault(bench.deployment(KEY_VAULT_NAME="kv-team"))
    assert bench.azd.remembered == {"VAULT_IS_DELETED": "true"}


def test_a_vault_that_is_brought_is_not_taken_back() -> None:
    brought = f"{GROUP}/providers/Microsoft.KeyVault/vaults/theirs"
    options = {"VAULT_IS_DELETED": "true", "OWN_KEY_VAULT_ID": brought}
    assert Deployment.of(options).module("recovery") is None
    assert Deployment.of({"VAULT_IS_DELETED": "true"}).module("recovery")


def test_a_vault_that_was_taken_back_is_not_taken_back_again(bench: Bench) -> None:
    azure_lookups.look_for_a_deleted_vault(bench.deployment(VAULT_IS_DELETED="true"))
    assert bench.azd.remembered == {"VAULT_IS_DELETED": "false"}


def test_vaults_that_cannot_be_seen_are_said_to_be_none(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.azure.fail("GET", "/deletedVaults", error(403, "AuthorizationFailed"))
    azure_lookups.look_for_a_deleted_vault(bench.deployment())
    assert (
        "Could not list deleted vaults (403 AuthorizationFailed); assuming that there are none"
        in capsys.readouterr().out
    )


def test_all_pages_of_a_list_are_read(bench: Bench) -> None:
    bench.azure.deleted_vaults, bench.azure.page = [_vault("kv-other")] * 5 + [_vault()], 2
    azure_lookups.look_for_a_deleted_vault(bench.deployment())
    assert bench.azd.remembered == {"VAULT_IS_DELETED": "true"}


def test_names_are_looked_for_as_the_template_makes_them() -> None:
    text = (INFRA / "abbreviations.json").read_text(encoding="utf-8")
    assert '"keyVault": "kv-"' in text
    assert '"functionApp": "func-"' in text
    assert azure_lookups.VAULT.fullmatch(OURS)
    assert azure_lookups.SITE.fullmatch("func-unique7abcdef")
    budget = (INFRA / "modules" / "budget.bicep").read_text(encoding="utf-8")
    main = (INFRA / "main.bicep").read_text(encoding="utf-8")
    assert f"name: '{azure_lookups.BUDGET}${{environmentName}}'" in main
    assert f"budgets@{azure_lookups.BUDGETS_VERSION}" in budget


# The network


def test_an_app_that_runs_outside_of_its_network_joins_before_anything_closes(bench: Bench) -> None:
    bench.azure.sites = {FUNCTION: _site()}
    done = bench.run("preprovision", VNET_ENABLED="true")
    assert "storage and vault stay open until the next 'azd provision'" in done.stdout
    assert bench.azd.remembered == {"APP_IS_OUTSIDE": "true"}
    told = bench.run("postprovision", VNET_ENABLED="true").stdout
    assert "still open to the internet. Run 'azd provision' once more to close both" in told


@pytest.mark.parametrize(
    ("sites", "known"),
    [({FUNCTION: _site(**INSIDE)}, FUNCTION), ({}, FUNCTION), ({}, ""), ({FUNCTION: _site(**INSIDE)}, "")],
    ids=["inside", "gone", "never there", "inside, found by its tag"],
)
def test_where_no_app_is_outside_everything_closes_at_once(bench: Bench, sites: dict[str, Any], known: str) -> None:
    bench.azure.sites = sites
    deployment = bench.deployment(VNET_ENABLED="true", APP_IS_OUTSIDE="true", AZURE_FUNCTION_ID=known)
    azure_lookups.look_whether_the_app_is_outside(deployment)
    assert bench.azd.remembered == {"APP_IS_OUTSIDE": "false"}
    assert "still open" not in bench.run("postprovision", VNET_ENABLED="true").stdout


def test_a_pipeline_that_remembers_nothing_finds_the_app_by_its_tag(bench: Bench) -> None:
    other = _site("func-somebodyelse", f"{GROUP}/providers/Microsoft.Web/sites/other", **INSIDE)
    bench.azure.sites = {other["id"]: other, FUNCTION: _site()}
    azure_lookups.look_whether_the_app_is_outside(bench.deployment(VNET_ENABLED="true", AZURE_FUNCTION_ID=""))
    assert bench.azd.remembered == {"APP_IS_OUTSIDE": "true"}


def test_an_app_whose_name_somebody_chose_is_found_by_that(bench: Bench) -> None:
    bench.azure.sites = {FUNCTION: _site("team-mcp")}
    deployment = bench.deployment(VNET_ENABLED="true", AZURE_FUNCTION_ID="", FUNCTION_APP_NAME="team-mcp")
    azure_lookups.look_whether_the_app_is_outside(deployment)
    assert bench.azd.remembered == {"APP_IS_OUTSIDE": "true"}


def test_of_two_apps_somebody_has_to_say_which_it_is(bench: Bench) -> None:
    twin = _site(place=f"{GROUP}/providers/Microsoft.Web/sites/twin")
    bench.azure.sites = {twin["id"]: twin, FUNCTION: _site()}
    with pytest.raises(CannotGoOnError, match="Run 'azd env set AZURE_FUNCTION_ID <id>'"):
        azure_lookups.look_whether_the_app_is_outside(bench.deployment(VNET_ENABLED="true", AZURE_FUNCTION_ID=""))


@pytest.mark.parametrize("known", [FUNCTION, ""])
def test_nothing_closes_where_azure_does_not_say_where_the_app_is(bench: Bench, known: str) -> None:
    bench.azure.fail("GET", "/Microsoft.Web/sites", error(403, "AuthorizationFailed"))
    done = bench.run("preprovision", VNET_ENABLED="true", AZURE_FUNCTION_ID=known)
    assert done.returncode == 1
    assert "Could not check whether the app is in the network: 403" in done.stderr


# The budget


def test_a_new_budget_begins_this_month(bench: Bench) -> None:
    bench.run("preprovision", BUDGET_AMOUNT="50", ALERT_EMAIL="team@example.com")
    assert re.fullmatch(r"20\d\d-\d\d-01", bench.azd.remembered["BUDGET_FIRST_DAY"])


def test_a_budget_that_is_there_keeps_its_beginning(bench: Bench) -> None:
    bench.azure.budget_began = "2026-01-01T00:00:00Z"
    bench.run("preprovision", BUDGET_AMOUNT="50", ALERT_EMAIL="team@example.com", BUDGET_FIRST_DAY="2026-11-01")
    assert bench.azd.remembered == {"BUDGET_FIRST_DAY": "2026-01-01"}


@pytest.mark.parametrize(
    ("theirs", "named", "group"), [("theirs", "", "theirs"), ("", "named", "named"), ("", "", "rg-team")]
)
def test_a_budget_is_looked_for_where_it_is(bench: Bench, theirs: str, named: str, group: str) -> None:
    deployment = bench.deployment(
        BUDGET_AMOUNT="50", ALERT_EMAIL="team@example.com", OWN_RESOURCE_GROUP=theirs, RESOURCE_GROUP_NAME=named
    )
    azure_lookups.look_when_the_budget_began(deployment)
    assert bench.azure.calls("GET", f"/resourceGroups/{group}/providers/Microsoft.Consumption/budgets/")


def test_a_budget_whose_beginning_cannot_be_seen_is_not_given_another(bench: Bench) -> None:
    bench.azure.fail("GET", "/budgets/", error(403, "AuthorizationFailed"))
    done = bench.run("preprovision", BUDGET_AMOUNT="50", ALERT_EMAIL="team@example.com")
    assert (done.returncode, bench.azd.remembered) == (1, {})
    assert "Could not read the start date of the budget: 403" in done.stderr


# What azd remembers


def test_what_azd_does_not_remember_is_told_with_the_command_that_says_it(bench: Bench) -> None:
    bench.azure.deleted_vaults = [_vault()]
    done = bench.run("preprovision", AZURE_ENV_NAME="team")
    assert done.returncode == 0
    bench.azd.stop_remembering()
    with pytest.raises(
        CannotGoOnError, match="Run 'azd env set VAULT_IS_DELETED true', then run the same command again"
    ):
        azure_lookups.look_for_a_deleted_vault(bench.deployment())
