"""Azure itself: its toolsets. What is in them is imported when one of them is first looked into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.azure.provider import provider


def _toolset(name: str, description: str, by_name_only: Sequence[str] = ()) -> Toolset:
    def parts() -> Sequence[Part]:
        from tools.azure.contents import PARTS

        return PARTS[name]

    return Toolset(name, description, needs=(provider,), parts=parts, by_name_only=by_name_only)


TOOLSETS: Final = (
    _toolset("account", "Azure subscriptions, tenants and locations; who you are, and what you may do there."),
    _toolset(
        "resource",
        "Azure resources and groups: lists, settings, tags, locks, Resource Graph, what changed and by whom, why a"
        " deployment failed, templates; anything else by its path.",
    ),
    _toolset(
        "resource-changes",
        "Changing Azure resources of any kind: templates deployed with a what-if before; groups made and deleted, tags"
        " on many at once, moves, deletion and undeletion, locks.",
    ),
    _toolset("resource-any", "Any change of anything in Azure by its management path, previewed and agreed to."),
    _toolset(
        "storage",
        "Azure Storage: accounts, containers, blobs: read, made, uploaded, deleted, restored; tables and queues.",
    ),
    _toolset(
        "keyvault",
        "Azure key vaults: their secrets, keys and certificates; what expires soon; set, disable, delete, recover.",
        by_name_only=("show_keyvault_secret",),
    ),
    _toolset(
        "monitor",
        "Azure Monitor: logs by KQL, errors of apps, metrics, the activity log, health of resources and of Azure's"
        " services, alerts; marks of deployments.",
    ),
    _toolset(
        "cosmos",
        "Cosmos DB: accounts, databases, containers; regions, throughput, indexing, and changing these; no data, no"
        " keys.",
    ),
    _toolset(
        "servicebus",
        "Service Bus: namespaces, queues, topics, subscriptions, rules, changing these; where dead letters pile up.",
    ),
    _toolset(
        "apps",
        "App Service, Functions, Container Apps, AKS: state, settings' names, deployments, instances, logs, why ill;"
        " restart, scale, swap slots, set settings, roll back.",
    ),
    _toolset("cost", "Azure costs: what was spent, by what and when, forecast, budgets, what got dearer."),
    _toolset("advisor", "Azure Advisor: recommendations, retirements and the resources they touch, the score."),
    _toolset("quota", "Azure quotas: limits and use by region, and whether machines of a size fit."),
    _toolset("policy", "Azure Policy: what does not comply and why, which policies hold, what is exempt."),
    _toolset("roles", "Who has access in Azure and through what, what somebody may do, roles (RBAC), what is denied."),
    _toolset(
        "azd",
        "Azure Developer CLI: templates, environments and what they deployed; exact command lines of azd and az for"
        " people to run.",
    ),
)
