"""Probes that read the deployment from Azure, with azd's sign-in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import azd
from azure_lookups import SITES_VERSION, group_of
from cannot_go_on import CannotGoOnError
from hook import Deployment
from read_back import differences
from resource_manager import entries
from vault_references import unresolved, warning
from verification.over_http import PROJECT
from verification.probe import FailedError, SkippedError
from verification.target import Target
from waiting import Wait, ask_until
from web import WebAnswer

KEYS_VERSION = "2024-04-01"
ALERTS_VERSION = "2023-12-01"
ACTIONS_VERSION = "2023-01-01"
ROLES_VERSION = "2022-04-01"
ADDRESSES_VERSION = "2024-07-01"
LOGS = "https://api.loganalytics.azure.com"
ALERTS = 8
PACKAGE = "app-package"
# The IDs of the roles Storage Blob Data Owner and Storage Blob Data Contributor.
WRITERS = ("b7e6dc6d-f1e8-4753-8033-0f276bb0955b", "ba92f5b4-2d11-453d-a403-e96b0029c9fe")
SECONDS_TO_LOG = 300
PROVISION = "azd provision"


def references(target: Target) -> str:
    missing = unresolved(_deployment(target))
    if missing:
        words = warning(_deployment(target), missing).removeprefix("Warning: ").partition(". ")[0]
        raise FailedError(f"{words[0].upper()}{words[1:]}.", "azd hooks run postprovision")
    return "all resolved"


def host_status(target: Target) -> str:
    deployment = _deployment(target)
    if deployment.is_on("APP_SERVICE_AUTH_ENABLED"):
        raise SkippedError("App Service authentication accepts no key")
    keys = deployment.azure.post(f"{_app(deployment)}/host/default/listkeys", KEYS_VERSION)
    key = str(keys.content.get("masterKey") or "")
    if not key:
        raise SkippedError(f"azd's sign-in is not allowed to read the keys of the app ({keys.code})")
    answer = target.ask("GET", "/admin/host/status", {"x-functions-key": key})
    state = str(answer.content.get("state") or answer.code)
    if state != "Running":
        raise FailedError(f"The Functions host is {state} instead of Running.", "azd deploy")
    return f"Running, host {answer.content.get('version')}"


def functions(target: Target) -> str:
    deployment = _deployment(target)
    pages = list(deployment.azure.pages(f"{_app(deployment)}/functions", KEYS_VERSION))
    found = {str(one.get("name")).rpartition("/")[2] for page in pages for one in entries(page)}
    missing = sorted(_declared() - found)
    if missing:
        raise FailedError(f"Azure does not have the functions {', '.join(missing)}.", "azd deploy")
    return f"{len(found)} functions"


def audited(target: Target) -> str:
    deployment = _deployment(target)
    query = f'AppTraces | where Message startswith "audit " and Message has "{target.trace}"'
    if not target.trace:
        raise SkippedError("no tool was called, so the audit log has no record to check")
    answer = _logged(target, deployment, query)
    if not _rows(answer):
        raise FailedError(
            f"The call from probe 12 is not in the audit log after {SECONDS_TO_LOG // 60} minutes.",
            "azd env get-value AZURE_RESOURCE_GROUP",
        )
    return "found"


def alert_rules(target: Target) -> str:
    deployment = _deployment(target)
    group = _group(deployment)
    pages = list(deployment.azure.pages(f"{group}/providers/Microsoft.Insights/scheduledQueryRules", ALERTS_VERSION))
    suffix = f"-{deployment.value('AZURE_ENV_NAME')}"
    rules = [one for page in pages for one in entries(page) if str(one.get("name")).endswith(suffix)]
    enabled = [one for one in rules if (one.get("properties") or {}).get("enabled")]
    if len(enabled) < ALERTS:
        raise FailedError(f"{len(enabled)} of {ALERTS} alert rules exist and are enabled.", PROVISION)
    if not deployment.value("ALERT_EMAIL"):
        return f"{len(enabled)} rules; no mail, because ALERT_EMAIL is not set"
    return f"{len(enabled)} rules; {_test_mail(deployment, group)}"


def package(target: Target) -> str:
    """Check that the app cannot replace its own package, although its identity can write all other blobs."""
    deployment = _deployment(target)
    principal = deployment.value("AZURE_IDENTITY_PRINCIPAL_ID")
    scope = f"{_storage(deployment)}/blobServices/default/containers/{PACKAGE}"
    path = f"{scope}/providers/Microsoft.Authorization/roleAssignments"
    answer = deployment.azure.get(path, ROLES_VERSION, {"$filter": f"principalId eq '{principal}'"})
    if not answer.is_good:
        raise SkippedError(f"azd's sign-in is not allowed to read role assignments ({answer.code})")
    if any(_may_write(one.get("properties") or {}) for one in entries(answer)):
        raise FailedError("The app's own identity can replace the package that it runs.", PROVISION)
    return "no role on the package"


def _may_write(assignment: Mapping[str, Any]) -> bool:
    is_writer = str(assignment.get("roleDefinitionId")).rpartition("/")[2] in WRITERS
    return is_writer and PACKAGE not in str(assignment.get("condition"))


def closed(target: Target) -> str:
    deployment = _deployment(target)
    storage, vault = deployment.value("AZURE_STORAGE_ACCOUNT"), deployment.value("AZURE_KEY_VAULT_NAME")
    addresses = {
        "storage": f"https://{storage}.blob.core.windows.net/updates?restype=container&comp=list",
        "vault": f"https://{vault}.vault.azure.net/secrets?api-version=7.4",
    }
    answers = {name: target.web.send("GET", address) for name, address in addresses.items()}
    for name, answer in answers.items():
        if answer.is_good:
            raise FailedError(f"The {name} answers requests without a sign-in.", PROVISION)
        # If the network is closed, requests from outside are rejected before the sign-in. A 401 therefore shows that
        # the service is reachable from outside.
        if deployment.is_on("VNET_ENABLED") and not deployment.is_on("APP_IS_OUTSIDE") and answer.status == 401:
            raise FailedError(f"VNET_ENABLED is on, but the {name} is reachable from outside the network.", PROVISION)
    return ", ".join(f"{name}: {answer.code}" for name, answer in answers.items())


def read_back(target: Target) -> str:
    deployment = _deployment(target)
    answer = deployment.azure.get(_app(deployment), SITES_VERSION)
    if not answer.is_good:
        raise SkippedError(f"Azure does not show the app ({answer.code})")
    for name, expected, found in differences(deployment, answer.content.get("properties") or {}):
        raise FailedError(f"{name} is {found}, but you set it to {expected}.", f"azd env set {name} {found}")
    _check_address(deployment)
    return "as set"


def _check_address(deployment: Deployment) -> None:
    expected = deployment.value("OUTGOING_IP_ADDRESS")
    if not expected:
        return
    path = f"{_group(deployment)}/providers/Microsoft.Network/publicIPAddresses"
    found = [one for page in deployment.azure.pages(path, ADDRESSES_VERSION) for one in entries(page)]
    if expected not in [(one.get("properties") or {}).get("ipAddress") for one in found]:
        raise FailedError(f"OUTGOING_IP_ADDRESS is {expected}, but the group has no such public address.", PROVISION)


def _test_mail(deployment: Deployment, group: str) -> str:
    actions = deployment.azure.get(f"{group}/providers/Microsoft.Insights/actionGroups", ACTIONS_VERSION)
    email = deployment.value("ALERT_EMAIL")
    named = [one for one in entries(actions) if email in json.dumps(one.get("properties") or {})]
    if not named:
        raise FailedError(f"No action group sends mail to {email}.", PROVISION)
    receiver = {"name": "team", "emailAddress": email, "useCommonAlertSchema": True}
    content = {"alertType": "logalertv2", "emailReceivers": [receiver]}
    answer = deployment.azure.ask("POST", f"{named[0]['id']}/createNotifications", ACTIONS_VERSION, content)
    if not answer.is_good:
        raise FailedError(
            f"Azure did not send a test mail to {email} ({answer.code}).", "azd env set ALERT_EMAIL <address>"
        )
    return f"a test mail to {email} was sent"


def _logged(target: Target, deployment: Deployment, query: str) -> WebAnswer:
    """Query the logs until they contain the result, because logs take minutes to arrive."""
    token = azd.token(f"{LOGS}/.default")
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    address = f"{LOGS}/v1{_group(deployment)}/query"
    return ask_until(
        _rows_are_there,
        lambda: target.web.send("POST", address, headers, json.dumps({"query": query, "timespan": "PT1H"}).encode()),
        Wait("the audit line of probe 12", SECONDS_TO_LOG, 15),
        target.clock,
    )


def _rows_are_there(answer: WebAnswer) -> bool:
    return bool(_rows(answer))


def _rows(answer: WebAnswer) -> list[Any]:
    tables = answer.content.get("tables")
    first = tables[0] if isinstance(tables, list) and tables else {}
    return list(first.get("rows") or ()) if isinstance(first, dict) else []


def _declared() -> set[str]:
    """The functions that every deployment has. Functions that exist only with certain settings are not listed."""
    text = (PROJECT / "function_app.py").read_text(encoding="utf-8")
    return set(re.findall(r"^@app\.[^\n]+\nasync def (\w+)\(", text, re.MULTILINE))


def _deployment(target: Target) -> Deployment:
    if target.deployment is None:
        raise SkippedError("azd has no environment for this server")
    return target.deployment


def _app(deployment: Deployment) -> str:
    return _needed(deployment, "AZURE_FUNCTION_ID")


def _storage(deployment: Deployment) -> str:
    name = _needed(deployment, "AZURE_STORAGE_ACCOUNT")
    return (
        deployment.value("OWN_STORAGE_ID") or f"{_group(deployment)}/providers/Microsoft.Storage/storageAccounts/{name}"
    )


def _group(deployment: Deployment) -> str:
    return (
        f"{deployment.subscription}/resourceGroups/{deployment.value('AZURE_RESOURCE_GROUP') or group_of(deployment)}"
    )


def _needed(deployment: Deployment, name: str) -> str:
    if not deployment.value(name):
        raise CannotGoOnError(f"{name} is not in the azd environment. Run 'azd provision', which sets this value.")
    return deployment.value(name)
