"""Waits until the app can read the values of settings that are stored in the vault.

A new role can take minutes to take effect, and the platform rereads the values only occasionally.
"""

from __future__ import annotations

from dataclasses import dataclass

from cannot_go_on import CannotGoOnError
from hook import Deployment
from resource_manager import BUSY_OR_NOT_YET_THERE, entries

VERSION = "2022-03-01"
SECONDS = 900
PAUSE = 30
RESOLVED = "Resolved"
# The statuses of vault references that the app's identity is not allowed to read.
DENIED = ("AccessToKeyVaultDenied", "MSINotEnabled")
ROLE = "Key Vault Secrets User"


@dataclass(frozen=True)
class Reference:
    setting: str
    status: str

    @property
    def is_resolved(self) -> bool:
        return self.status == RESOLVED


def wait_for_references(deployment: Deployment) -> list[Reference]:
    """Refresh the vault references until the app can read them. Return the references that the app
    still cannot read.
    """
    began = deployment.clock.now()
    while True:
        _refresh(deployment)
        missing = unresolved(deployment)
        seconds = deployment.clock.now() - began
        if not missing and seconds:
            print("The app can read its secrets now.", flush=True)
        if not missing or seconds + PAUSE > SECONDS:
            return missing
        listed = ", ".join(f"{one.setting}: {one.status}" for one in missing)
        if not seconds:
            print("The role of a new app takes a few minutes to take effect.", flush=True)
        print(
            f"Waiting until the app can read its secrets, {seconds:.0f} of at most {SECONDS} s ({listed}).", flush=True
        )
        deployment.clock.sleep(PAUSE)


def unresolved(deployment: Deployment) -> list[Reference]:
    answer = deployment.azure.get(f"{_path(deployment)}", VERSION)
    if not answer.is_good:
        raise CannotGoOnError(f"Could not check whether the app can read its secrets: {answer.said}.")
    found = [Reference(str(one.get("name")), _status(one)) for one in entries(answer)]
    return [one for one in found if not one.is_resolved]


def warning(deployment: Deployment, missing: list[Reference]) -> str:
    names = ", ".join(one.setting for one in missing)
    if any(one.status in DENIED for one in missing):
        vault = deployment.value("AZURE_KEY_VAULT_NAME") or deployment.value("AZURE_KEY_VAULT_ID")
        return (
            f"Warning: the app cannot read {names}: its identity does not have the role {ROLE} on the vault {vault},"
            " or the role has not taken effect yet. If the role is missing, assign it; otherwise wait. Then run"
            " 'azd hooks run postprovision'."
        )
    status = ", ".join(sorted({one.status for one in missing}))
    return (
        f"Warning: the app cannot read {names} ({status}). Compare these names with the secrets in the vault, then run"
        " 'azd hooks run postprovision'."
    )


def _refresh(deployment: Deployment) -> None:
    answer = deployment.azure.post(f"{_path(deployment)}/refresh", VERSION, BUSY_OR_NOT_YET_THERE)
    if not answer.is_good:
        raise CannotGoOnError(
            f"Azure did not refresh the secrets of the app: {answer.said}. Run 'azd hooks run postprovision' again."
        )


def _path(deployment: Deployment) -> str:
    app = deployment.needed("AZURE_FUNCTION_ID", "Run 'azd provision', which sets this value.")
    return f"{app}/config/configreferences/appsettings"


def _status(entry: dict[str, object]) -> str:
    properties = entry.get("properties")
    return str(properties.get("status") or "unknown") if isinstance(properties, dict) else "unknown"
