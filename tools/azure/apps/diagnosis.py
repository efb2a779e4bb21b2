"""Diagnoses an unhealthy app from data in Resource Manager. The most severe problem is listed first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final

from clients.azure.apps import parts
from clients.azure.apps.deployments import recent_deployments
from clients.azure.apps.finding import AzureApp, app_called
from clients.azure.apps.settings import vault_references
from clients.azure.client import Azure
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.apps import symptoms
from tools.azure.apps.app_parameters import OF_APP, AppName, about
from tools.azure.apps.instances import replicas_of
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.parallel_reads import gathered
from tools.azure.shared.parameters import Subscription

part = Part()

_MOST_DEPLOYMENTS: Final = 10
_NOTHING: Final = (
    "Found nothing unusual. Check the app's logs (show_app_logs) and recent changes (list_resource_changes)."
)


@part.tool(Access.READ, harmless=OF_APP)
async def diagnose_app(azure: Arm, app: AppName, subscription: Subscription = None) -> Json:
    """Find out why an app is unhealthy, worst cause first.

    Checks state, crashing replicas, failed deployments, broken vault references, stopped pools, old versions.
    """
    found = await app_called(azure, app, subscription)
    answers, not_read = await gathered(_reads(azure, found))
    findings = [*symptoms.of_app(found), *(one for name in answers for one in _SYMPTOMS[name](found, answers[name]))]
    findings.sort(key=lambda one: symptoms.GRAVITIES.index(one["gravity"]))
    said = None if findings else _NOTHING
    return answer(**about(found), findings=findings, said=said, looked_at=["app", *answers], notRead=not_read)


def _reads(azure: Azure, app: AzureApp) -> dict[str, Callable[[], Awaitable[Any]]]:
    if app.is_container_app:
        return {
            "deployments": partial(recent_deployments, azure, app.id, _MOST_DEPLOYMENTS),
            "replicas": partial(replicas_of, azure, app),
        }
    if not app.is_site:
        return {"pools": partial(parts.pools, azure, app.id), "upgrades": partial(parts.upgrades, azure, app.id)}
    plan = str(app.properties.get("serverFarmId") or "")
    return {
        "deployments": partial(recent_deployments, azure, app.id, _MOST_DEPLOYMENTS),
        "instances": partial(parts.instances, azure, app.id),
        "configuration": partial(parts.configuration, azure, app.id),
        "vault references": partial(vault_references, azure, app.id),
        **({"plan": partial(parts.plan, azure, plan)} if plan else {}),
    }


_SYMPTOMS: Final[Mapping[str, Callable[[AzureApp, Any], list[Json]]]] = {
    "deployments": symptoms.of_deployments,
    "replicas": symptoms.of_replicas,
    "instances": symptoms.of_instances,
    "configuration": symptoms.of_configuration,
    "vault references": symptoms.of_references,
    "plan": symptoms.of_plan,
    "pools": symptoms.of_pools,
    "upgrades": symptoms.of_upgrades,
}
