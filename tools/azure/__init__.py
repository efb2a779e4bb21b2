"""The Azure toolsets. The modules of a toolset are imported when the toolset is first used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.azure.access import AZURE


def _toolset(name: str, description: str, by_name_only: Sequence[str] = ()) -> Toolset:
    def parts() -> Sequence[Part]:
        from tools.azure.contents import PARTS

        return PARTS[name]

    return Toolset(name, description, needs=(AZURE,), parts=parts, by_name_only=by_name_only)


TOOLSETS: Final = (
    _toolset("account", "Azure subscriptions, tenants, locations."),
    _toolset(
        "resource",
        "Find and read Azure resources, groups, locks, deployments.",
    ),
    _toolset(
        "resource-changes",
        "Deploy, create, move, tag, lock, delete Azure resources.",
    ),
    _toolset("resource-any", "Change anything in Azure by its path."),
    _toolset(
        "storage",
        "Azure storage: blobs, tables, queues.",
    ),
    _toolset(
        "keyvault",
        "Azure key vaults: secrets, keys, certificates.",
        by_name_only=("show_keyvault_secret",),
    ),
    _toolset(
        "monitor",
        "Azure logs (KQL), app errors, metrics, alerts, health.",
    ),
    _toolset(
        "cosmos",
        "Cosmos DB accounts, databases, containers, throughput.",
    ),
    _toolset(
        "servicebus",
        "Service Bus queues, topics, messages, dead letters.",
    ),
    _toolset(
        "apps",
        "Web, function, container apps, AKS: diagnose, scale.",
    ),
    _toolset("cost", "Azure spending, forecast, budgets."),
    _toolset("advisor", "Azure Advisor: recommendations, score."),
    _toolset("quota", "Azure quotas: limits and use."),
    _toolset("policy", "Azure Policy: violations, assignments, exemptions."),
    _toolset("roles", "Azure roles: who has access; grant and revoke it."),
    _toolset(
        "azd",
        "Azure Developer CLI: templates, environments, commands.",
    ),
)
