"""Probe 14: checks whether the server can read each service on behalf of the signed-in user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verification.by_calls import text_of, token_of
from verification.probe import FailedError
from verification.target import Target


@dataclass(frozen=True)
class VerifiedService:
    """A service to verify, and the tool call that reads it. `resources` contains the arguments whose values come from
    the azd environment.
    """

    name: str
    # The name of the service in ENTRA_SERVICES.
    choice: str
    toolset: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    resources: Mapping[str, str] = field(default_factory=dict)


SERVICES = (
    VerifiedService("Azure Resource Manager", "azure", "account", "list_azure_subscriptions"),
    VerifiedService("Azure DevOps", "azure-devops", "devops-project", "list_projects"),
    VerifiedService(
        "Azure Resource Graph", "azure", "resource", "query_resource_graph", {"query": "Resources | take 1"}
    ),
    VerifiedService(
        "Key Vault", "key-vault", "keyvault", "list_secrets", {"max_results": 1}, {"vault": "AZURE_KEY_VAULT_ID"}
    ),
    VerifiedService(
        "Storage",
        "storage",
        "storage",
        "list_blobs",
        {"container": "app-package", "max_results": 1},
        {"account": "AZURE_STORAGE_ACCOUNT"},
    ),
    VerifiedService(
        "Log Analytics",
        "logs",
        "monitor",
        "query_logs",
        {"query": "print 1", "since": "1h"},
        {"source": "AZURE_FUNCTION_ID"},
    ),
)
NOT_ASKED = {
    "Application Insights": "skipped, Log Analytics has the same data",
    "Service Bus": "skipped, the template creates no namespace",
}
# If a user has no role in the service, this error shows that the token exchange worked.
WITHOUT_A_ROLE = re.compile(r"\b403\b")


def on_behalf_of(target: Target) -> str:
    token_of(target)
    found = {service.name: _outcome(target, service) for service in SERVICES}
    return ", ".join(f"{name}: {how}" for name, how in {**found, **NOT_ASKED}.items())


def _outcome(target: Target, service: VerifiedService) -> str:
    values = {name: _value(target, option) for name, option in service.resources.items()}
    chosen = _value(target, "ENTRA_SERVICES").replace(" ", "")
    if chosen and service.choice not in chosen.split(","):
        return "skipped, not in ENTRA_SERVICES"
    if not all(values.values()):
        return f"skipped, {', '.join(service.resources.values())} is not in the azd environment"
    call = {"name": service.tool, "arguments": {**service.arguments, **values}}
    result = target.mcp("tools/call", call, f"/mcp/x/{service.toolset}").content.get("result")
    if not isinstance(result, dict):
        return "not configured"
    if not result.get("isError"):
        return "works"
    text = text_of(result)
    if service.resources and WITHOUT_A_ROLE.search(text):
        return "works, but you have no role for this service"
    raise FailedError(
        f"The server cannot read {service.name} on your behalf: {text[:200]}", "azd env get-value ENTRA_CLIENT_ID"
    )


def _value(target: Target, name: str) -> str:
    return target.deployment.value(name) if target.deployment else ""
