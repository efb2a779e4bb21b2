"""Manages the app registration in Microsoft Entra ID.

The registration is not in the resource group, so a teardown does not delete it. After a deletion, the name of the
registration stays reserved for 30 days.
"""

from __future__ import annotations

from cannot_go_on import CannotGoOnError
from graph import Graph, Registration, registrations
from hook import Deployment

OWN = "azure-team-mcp"
BROUGHT = "the registration in OWN_ENTRA_CLIENT_ID stays. An earlier deployment may have created another registration."
PORTAL = "in the portal under 'App registrations' > 'Deleted applications'"
NOT_READABLE = (
    "azd's sign-in is not allowed to read registrations in Microsoft Entra ID ({}), so it cannot create or change the"
    " registration of the app. In a pipeline, see 'From a pipeline' in docs/deploying.md for the required permission"
    " and for a deployment without this permission. Otherwise ask a tenant administrator to run the same command."
)


def look_for_the_registration(deployment: Deployment) -> None:
    """Check that the registration can be created or changed. The operator's own registration stays unchanged."""
    if not deployment.is_on("ENTRA_APP_ENABLED") or deployment.value("OWN_ENTRA_CLIENT_ID"):
        return
    graph, mark = deployment.graph, _mark(deployment) + deployment.value("AZURE_LOCATION")
    living = graph.living(mark)
    if not living.is_good:
        raise CannotGoOnError(NOT_READABLE.format(living.code))
    if not registrations(living, mark):
        _restore(graph, _deleted(deployment, graph, mark))


def delete_the_registration(deployment: Deployment) -> None:
    """Delete the app registration permanently to free its name. If permission is missing, print what remains."""
    if not deployment.value("ENTRA_APP_ENABLED"):
        return
    graph, mark = deployment.graph, _mark(deployment)
    living = graph.living(mark)
    if not living.is_good:
        leftover = BROUGHT if deployment.value("OWN_ENTRA_CLIENT_ID") else _what_remains(_name(deployment))
        print(f"Registrations in Microsoft Entra ID cannot be read ({living.code}): {leftover}", flush=True)
        return
    deleted = [one for one in registrations(living, mark) if _is_deleted(graph, one)]
    for one in [*deleted, *_deleted(deployment, graph, mark, but=deleted)]:
        _delete_for_good(graph, one)


def _deleted(
    deployment: Deployment, graph: Graph, mark: str, but: list[Registration] | None = None
) -> list[Registration]:
    answer = graph.deleted(_name(deployment))
    if not answer.is_good:
        print(
            f"Could not check for a deleted registration with the same name ({answer.code}). If Azure says that the"
            f" uniqueName already exists, ask an administrator to delete the registration permanently, {PORTAL}.",
            flush=True,
        )
    known = {one.id for one in but or []}
    return [one for one in registrations(answer, mark) if one.id not in known]


def _restore(graph: Graph, deleted: list[Registration]) -> None:
    """Restore only the most recently deleted registration, because only one registration can have the name."""
    for one in deleted[:1]:
        answer = graph.restore(one)
        if not answer.is_good:
            raise CannotGoOnError(
                f"The registration {one.name} was deleted on {one.deleted_on[:10]}. Its name stays reserved for 30"
                f" days, and azd's sign-in is not allowed to restore the registration ({answer.code}). Ask a tenant"
                f" administrator to restore the registration or delete it permanently, {PORTAL}, then run the same"
                " command again."
            )
        print(f"Restored the registration {one.name}, which was deleted on {one.deleted_on[:10]}.", flush=True)


def _is_deleted(graph: Graph, one: Registration) -> bool:
    answer = graph.delete(one)
    if not answer.is_good:
        print(f"The registration was not deleted ({answer.code}): {_what_remains(one.name)}", flush=True)
    return answer.is_good


def _delete_for_good(graph: Graph, one: Registration) -> None:
    answer = graph.delete_for_good(one)
    if answer.is_good:
        print(f"Permanently deleted the registration {one.name} in Microsoft Entra ID.", flush=True)
    else:
        print(
            f"The registration {one.name} is deleted, but not permanently ({answer.code}): its name stays reserved"
            " for 30 days. The next 'azd up' restores the registration if permitted. An administrator can delete"
            " the registration permanently,"
            f" {PORTAL}.",
            flush=True,
        )


def _what_remains(name: str) -> str:
    return (
        f"{name}… remains, without access to anything. The next 'azd up' uses the registration again. To remove the"
        f" registration, ask a tenant administrator to delete it twice: first normally, then permanently, {PORTAL}."
    )


def _name(deployment: Deployment) -> str:
    return f"{OWN}-{deployment.value('AZURE_ENV_NAME')}-"


def _mark(deployment: Deployment) -> str:
    """Return the prefix of the tag that marks the app registration of this deployment. The rest of the tag is the
    region.
    """
    return f"{OWN}/{deployment.value('AZURE_SUBSCRIPTION_ID')}/{deployment.value('AZURE_ENV_NAME')}/"
