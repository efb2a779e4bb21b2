"""Protects the operator's own resources from a teardown, and lists what the teardown leaves in these resources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cannot_go_on import CannotGoOnError
from hook import Deployment, run
from options import SCOPES

RESOURCES_VERSION = "2021-04-01"
LEFT = {
    "OWN_STORAGE_ID": "the containers app-package, changes, documents, extensions, git-workspaces, library, operations,"
    " retirements, tasks, updates and watches; the tables addresses, changes, extensions, library, operations,"
    " retirements, sessions, tasks, updates and watches; the queues tasks and tasks-poison; and the roles granted to"
    " the app",
    "OWN_KEY_VAULT_ID": "its secrets, and the roles granted to the app",
    "OWN_OPENAI_ID": "the role granted to the app",
    "OWN_COSMOS_ID": "the custom role 'Azure Team MCP: read metadata', and the roles granted to the app",
    **dict.fromkeys(SCOPES, "the role granted to the app"),
}


def keep_a_group_of_somebody_else(deployment: Deployment) -> None:
    """Stop if the resource group is the operator's own, because azd would delete either nothing or the whole group."""
    name = deployment.value("OWN_RESOURCE_GROUP")
    if not name:
        return
    listed = "".join(f"\n  {found}" for found in _created_resources(deployment, name))
    left = "Delete the resources below yourself, in the portal or with 'az resource delete --ids'. Then run"
    advice = f"{left} 'azd hooks run postdown'.{listed}" if listed else "Run 'azd hooks run postdown'."
    raise CannotGoOnError(f"azd deletes whole resource groups, but {name} is yours (OWN_RESOURCE_GROUP). {advice}")


def tell_what_stays(deployment: Deployment) -> None:
    for option, what in LEFT.items():
        if deployment.value(option):
            print(f"{deployment.value(option)} ({option}) keeps: {what}.", flush=True)


def _created_resources(deployment: Deployment, group: str) -> Iterator[str]:
    path = (
        f"/subscriptions/{deployment.needed('AZURE_SUBSCRIPTION_ID', 'Nothing was deployed.')}/resourceGroups/{group}"
    )
    answer = deployment.azure.get(f"{path}/resources", RESOURCES_VERSION)
    if not answer.is_good:
        yield f"(could not list the resources in the group: {answer.said})"
    environment = deployment.value("AZURE_ENV_NAME")
    for found in answer.content.get("value") or ():
        if _tags(found).get("azd-env-name") == environment:
            yield str(found.get("id"))


def _tags(found: dict[str, Any]) -> dict[str, Any]:
    return found.get("tags") or {}


STEPS = (tell_what_stays, keep_a_group_of_somebody_else)

if __name__ == "__main__":
    run(STEPS)
