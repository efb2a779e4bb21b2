"""Lists the resource types whose changes always need another person's approval, whichever tool makes the change."""

from __future__ import annotations

from typing import Final

from clients.azure.ids import ResourceId

_RIGHTS: Final = "The change affects permissions or protections."
_RUNS: Final = "The resource runs code with its own permissions."
_GRAVE: Final = {
    "microsoft.authorization": _RIGHTS,
    "microsoft.managedidentity": _RIGHTS,
    "microsoft.policyinsights": _RIGHTS,
    "microsoft.management": "The change affects many subscriptions.",
    "microsoft.subscription": "The change affects a whole subscription.",
    "microsoft.security": "The change affects security monitoring.",
    "microsoft.resources/deploymentscripts": _RUNS,
    "microsoft.automation/automationaccounts/runbooks": _RUNS,
    "microsoft.compute/virtualmachines/extensions": _RUNS,
    "microsoft.compute/virtualmachines/runcommands": _RUNS,
    "microsoft.compute/virtualmachinescalesets/extensions": _RUNS,
    "microsoft.compute/virtualmachinescalesets/virtualmachines/extensions": _RUNS,
    "microsoft.compute/virtualmachinescalesets/virtualmachines/runcommands": _RUNS,
    "microsoft.hybridcompute/machines/extensions": _RUNS,
    "microsoft.hybridcompute/machines/runcommands": _RUNS,
    "microsoft.automation/automationaccounts/jobs": _RUNS,
    "microsoft.containerregistry/registries/tasks": _RUNS,
    "microsoft.containerregistry/registries/taskruns": _RUNS,
    "microsoft.keyvault/vaults/accesspolicies": _RIGHTS,
}


def grave_of(resource: ResourceId) -> str:
    """Return why another person must approve changes to this resource, or an empty string."""
    return _GRAVE.get(resource.namespace.lower()) or _GRAVE.get(resource.type.lower()) or ""
