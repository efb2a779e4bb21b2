"""After provisioning, stores the app's secrets in the vault. Existing secrets are kept, and no secret is printed."""

from __future__ import annotations

import base64
import os
import re
import sys
from getpass import getpass

from cannot_go_on import CannotGoOnError
from hook import Deployment, run
from leftovers import remove_leftovers
from read_back import compare_scale
from resource_manager import BUSY_OR_NOT_YET_THERE
from vault_references import wait_for_references, warning

VAULT_VERSION = "2024-11-01"
MADE_HERE = "MCP_REQUEST_STATE_KEY"
PROVISION = "Run 'azd provision', which sets this value."
AGAIN = "Run 'azd hooks run postprovision'"
IN_A_PIPELINE = "In a pipeline, add the value as a repository secret, and run the pipeline again."


def check_names(deployment: Deployment) -> None:
    for setting in _settings(deployment):
        if not re.fullmatch("[A-Z0-9_]+", setting):
            raise CannotGoOnError(
                f"SETTINGS_IN_VAULT contains {setting!r}, which is not the name of a setting. The template derives this"
                " list from SECRETS_IN_VAULT: correct SECRETS_IN_VAULT and run 'azd provision'."
            )


def store_missing_secrets(deployment: Deployment) -> None:
    """Store the missing secrets. All values are collected before the first one is stored, so that no secret is stored
    if a value is missing.
    """
    missing = [setting for setting in _settings(deployment) if not _is_kept(deployment, setting)]
    values = {setting: _value(deployment, setting) for setting in missing}
    for setting, value in values.items():
        _store(deployment, setting, value)


def let_the_app_look_for_its_secrets(deployment: Deployment) -> None:
    """Make the app read its secrets now. Otherwise, the app might not read them for up to a day."""
    missing = wait_for_references(deployment)
    if missing:
        print(warning(deployment, missing), flush=True)


def tell_what_is_still_open(deployment: Deployment) -> None:
    if deployment.is_on("VNET_ENABLED") and deployment.is_on("APP_IS_OUTSIDE"):
        print(
            "The app has joined the network. Storage and vault are still open to the internet. Run 'azd provision'"
            " once more to close both.",
            flush=True,
        )


def _settings(deployment: Deployment) -> list[str]:
    return deployment.needed("SETTINGS_IN_VAULT", PROVISION).split(",")


def _is_kept(deployment: Deployment, setting: str) -> bool:
    answer = deployment.azure.get(_secret(deployment, setting), VAULT_VERSION)
    if not answer.is_good and answer.status != 404:
        raise CannotGoOnError(f"Could not check whether the vault has {setting}: {answer.said}. {AGAIN} again.")
    return answer.is_good


def _value(deployment: Deployment, setting: str) -> str:
    value = _new_key() if setting == MADE_HERE else deployment.value(setting) or _ask_for(setting)
    if not value:
        raise CannotGoOnError(f"The vault has no {setting}. {AGAIN}, which asks for the value. {IN_A_PIPELINE}")
    return value


def _new_key() -> str:
    return base64.b64encode(os.urandom(48)).decode()


def _ask_for(setting: str) -> str:
    """Ask for the value of a secret. In a pipeline, return an empty text, because nobody can answer."""
    return getpass(f"{setting} (hidden): ") if sys.stdin.isatty() else ""


def _store(deployment: Deployment, setting: str, value: str) -> None:
    path = _secret(deployment, setting)
    content = {"properties": {"value": value}}
    answer = deployment.azure.ask("PUT", path, VAULT_VERSION, content, BUSY_OR_NOT_YET_THERE)
    if not answer.is_good:
        # Azure's message could contain the value, so it is not shown.
        raise CannotGoOnError(f"The vault rejected {setting} ({answer.code}). {AGAIN} again.")
    print(f"Stored the secret {setting.lower().replace('_', '-')} in the vault.", flush=True)


def _secret(deployment: Deployment, setting: str) -> str:
    """The Azure Resource Manager path of a secret. Requests to this path work even if the vault has only a private
    endpoint.
    """
    vault = deployment.needed("AZURE_KEY_VAULT_ID", PROVISION)
    return f"{vault}/secrets/{setting.lower().replace('_', '-')}"


STEPS = (
    check_names,
    store_missing_secrets,
    let_the_app_look_for_its_secrets,
    compare_scale,
    remove_leftovers,
    tell_what_is_still_open,
)

if __name__ == "__main__":
    run(STEPS)
