"""Looks up facts that a template cannot query: available regions and existing resources. azd passes these facts to the
template.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import Any

from cannot_go_on import CannotGoOnError
from hook import Deployment
from resource_manager import entries
from web import WebAnswer

REGIONS_VERSION = "2023-01-01"
VAULTS_VERSION = "2024-11-01"
SITES_VERSION = "2024-11-01"
BUDGETS_VERSION = "2026-06-01"
# The format of the names that the template generates with abbreviations.json and uniqueString().
VAULT = re.compile(r"kv-[a-z0-9]{13}")
SITE = re.compile(r"func-[a-z0-9]{13}")
BUDGET = "azure-team-mcp-"
ZONES = "FCZONEREDUNDANCY"
# The minimum value of MAXIMUM_INSTANCE_COUNT in most regions, as of January 2026: azure-functions-host#10523.
LEAST_MAXIMUM = 40
SMALL_MAXIMUM_REGIONS = ("australiaeast", "westeurope", "westus2")


def check_region(deployment: Deployment) -> None:
    """Check that Flex Consumption is available in the region. Without a region, nothing is checked, because azd asks
    for the region after this hook.
    """
    region = deployment.value("AZURE_LOCATION")
    if not region:
        return
    pages = list(
        deployment.azure.pages(
            f"{deployment.subscription}/providers/Microsoft.Web/geoRegions",
            REGIONS_VERSION,
            {"sku": "FlexConsumption"},
        )
    )
    offered = sorted({_short(entry.get("name")) for page in pages for entry in entries(page)})
    if not offered:
        print(
            f"Could not check where Flex Consumption is available ({pages[-1].said}), so provisioning may fail."
            " If provisioning fails, see 'If Azure rejects the region' in docs/deploying.md.",
            flush=True,
        )
    elif _short(region) not in offered:
        raise CannotGoOnError(
            f"Flex Consumption is not available in {region}. Choose one of {', '.join(offered)}:"
            " run 'azd env set AZURE_LOCATION <region>', then run the same command again."
        )
    elif deployment.is_on("ZONE_REDUNDANT"):
        _check_zones(region, [entry for page in pages for entry in entries(page)])


def _check_zones(region: str, offered: list[dict[str, Any]]) -> None:
    zoned = sorted(_short(one.get("name")) for one in offered if ZONES in _domains(one))
    if _short(region) not in zoned:
        raise CannotGoOnError(
            f"ZONE_REDUNDANT is on, but {region} does not support it for Flex Consumption. Choose one of"
            f" {', '.join(zoned)}: run 'azd env set AZURE_LOCATION <region>', or 'azd env set ZONE_REDUNDANT false',"
            " then run the same command again."
        )


def check_maximum(deployment: Deployment) -> None:
    maximum, region = deployment.value("MAXIMUM_INSTANCE_COUNT").strip(), deployment.value("AZURE_LOCATION")
    is_small = maximum.isdecimal() and int(maximum) < LEAST_MAXIMUM
    if is_small and region and _short(region) not in SMALL_MAXIMUM_REGIONS:
        raise CannotGoOnError(
            f"MAXIMUM_INSTANCE_COUNT is {maximum}, but {region} accepts {LEAST_MAXIMUM} to 1000 (lower values only in"
            f" {', '.join(SMALL_MAXIMUM_REGIONS)}). Run 'azd env set MAXIMUM_INSTANCE_COUNT {LEAST_MAXIMUM}', then"
            " run the same command again."
        )


def look_for_a_deleted_vault(deployment: Deployment) -> None:
    """Find this environment's deleted vault, because the template must restore a vault whose name is still reserved."""
    name = _name(deployment, "KEY_VAULT_NAME", VAULT)
    vaults = _deleted_vaults(deployment)
    is_deleted = any(_is_ours(vault, vault.get("properties") or {}, name, deployment) for vault in vaults)
    if is_deleted:
        print(
            "Found the deleted vault of an earlier deployment. This deployment restores the vault with its secrets.",
            flush=True,
        )
    deployment.remember("VAULT_IS_DELETED", str(is_deleted).lower(), "false")


def _deleted_vaults(deployment: Deployment) -> list[dict[str, Any]]:
    path = f"{deployment.subscription}/providers/Microsoft.KeyVault/deletedVaults"
    pages = list(deployment.azure.pages(path, VAULTS_VERSION))
    if not pages[-1].is_good:
        print(f"Could not list deleted vaults ({pages[-1].said}); assuming that there are none.", flush=True)
    return [vault for page in pages for vault in entries(page)]


def look_whether_the_app_is_outside(deployment: Deployment) -> None:
    """Find out whether the app is still outside the network."""
    # Storage and vault are closed to the internet only after the app has joined the network, because the app would
    # otherwise lose access to them.
    is_outside = deployment.is_on("VNET_ENABLED") and _is_outside(deployment)
    if is_outside:
        print(
            "The app is not in the network yet, but joins it now; storage and vault stay open until the next"
            " 'azd provision', which closes both.",
            flush=True,
        )
    deployment.remember("APP_IS_OUTSIDE", str(is_outside).lower(), "false")


def look_when_the_budget_began(deployment: Deployment) -> None:
    """Look up the start date of an existing budget, because Azure does not allow changing it."""
    if deployment.value("BUDGET_AMOUNT").strip() in {"", "0"}:
        return
    group = f"{deployment.subscription}/resourceGroups/{group_of(deployment)}"
    name = f"{BUDGET}{deployment.value('AZURE_ENV_NAME')}"
    answer = deployment.azure.get(f"{group}/providers/Microsoft.Consumption/budgets/{name}", BUDGETS_VERSION)
    if not answer.is_good and answer.status != 404:
        raise CannotGoOnError(
            f"Could not read the start date of the budget: {answer.said}. Run the same command again."
        )
    period = (answer.content.get("properties") or {}).get("timePeriod") or {}
    this_month = f"{datetime.now(timezone.utc):%Y-%m}-01"
    deployment.remember("BUDGET_FIRST_DAY", str(period.get("startDate") or this_month)[:10])


def _is_outside(deployment: Deployment) -> bool:
    app = deployment.value("AZURE_FUNCTION_ID") or _app(deployment)
    answer = deployment.azure.get(app, SITES_VERSION) if app else None
    if answer is None or answer.status == 404:
        return False
    return not (_checked(answer).content.get("properties") or {}).get("virtualNetworkSubnetId")


def _app(deployment: Deployment) -> str:
    """Look up the app's ID in Azure, because a pipeline's azd environment does not contain earlier deployments."""
    pages = deployment.azure.pages(f"{deployment.subscription}/providers/Microsoft.Web/sites", SITES_VERSION)
    sites = [site for page in pages for site in entries(_checked(page))]
    name = _name(deployment, "FUNCTION_APP_NAME", SITE)
    found = [str(site.get("id")) for site in sites if _is_ours(site, site, name, deployment)]
    if len(found) > 1:
        raise CannotGoOnError(
            f"{' and '.join(found)} could both be the app. Run 'azd env set AZURE_FUNCTION_ID <id>' with the right"
            " id, then run the same command again."
        )
    return found[0] if found else ""


def group_of(deployment: Deployment) -> str:
    chosen = deployment.value("OWN_RESOURCE_GROUP") or deployment.value("RESOURCE_GROUP_NAME")
    return chosen or f"rg-{deployment.value('AZURE_ENV_NAME')}"


def _name(deployment: Deployment, option: str, made_up: re.Pattern[str]) -> re.Pattern[str]:
    """A pattern that the name of a resource must match: the chosen name, or the format of generated names."""
    return re.compile(re.escape(deployment.value(option))) if deployment.value(option) else made_up


def _checked(answer: WebAnswer) -> WebAnswer:
    if not answer.is_good:
        raise CannotGoOnError(
            f"Could not check whether the app is in the network: {answer.said}. Run the same command again."
        )
    return answer


def _is_ours(entry: dict[str, Any], described: dict[str, Any], name: re.Pattern[str], deployment: Deployment) -> bool:
    """Whether a resource belongs to this environment: its name, tag and region must match the template."""
    region = deployment.value("AZURE_LOCATION")
    return (
        name.fullmatch(str(entry.get("name"))) is not None
        and (described.get("tags") or {}).get("azd-env-name") == deployment.value("AZURE_ENV_NAME")
        and region != ""
        and _short(described.get("location")) == _short(region)
    )


def _domains(region: dict[str, Any]) -> str:
    return str((region.get("properties") or {}).get("orgDomain"))


def _short(region: object) -> str:
    return str(region).replace(" ", "").lower()
