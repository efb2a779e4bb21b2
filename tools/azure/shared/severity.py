"""What another person has to look at because of what it is, whichever tool changes it."""

from __future__ import annotations

from typing import Final

from clients.azure.ids import ResourceId

_RIGHTS: Final = "It changes who may do what, or what keeps others from doing it."
_RUNS: Final = "It runs code with rights of its own."
_GRAVE: Final = {
    "microsoft.authorization": _RIGHTS,
    "microsoft.managedidentity": _RIGHTS,
    "microsoft.policyinsights": _RIGHTS,
    "microsoft.management": "It concerns many subscriptions at once.",
    "microsoft.subscription": "It concerns a whole subscription.",
    "microsoft.security": "It changes what watches over security.",
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
    """Why another person has to agree to a change of this; nothing where its type alone is no reason."""
    return _GRAVE.get(resource.namespace.lower()) or _GRAVE.get(resource.type.lower()) or ""
