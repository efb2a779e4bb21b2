"""The registration of the app in Microsoft Entra ID, which is no part of the resource group: it outlives a teardown,
and for 30 days after somebody deleted it nothing else may have its name.
"""

from __future__ import annotations

from cannot_go_on import CannotGoOnError
from graph import Graph, Registration, registrations
from hook import Deployment

OWN = "azure-team-mcp"
BROUGHT = "that of OWN_ENTRA_CLIENT_ID stays, and whether a deployment made another before could not be seen."
PORTAL = "in the portal under 'App registrations', 'Deleted applications'"


def look_for_the_registration(deployment: Deployment) -> None:
    """Nothing may be in the way of making it, or of changing it. One that is brought is left alone."""
    if not deployment.is_on("ENTRA_APP_ENABLED") or deployment.value("OWN_ENTRA_CLIENT_ID"):
        return
    graph, mark = deployment.graph, _mark(deployment) + deployment.value("AZURE_LOCATION")
    living = graph.living(mark)
    if not living.is_good:
        raise CannotGoOnError(
            f"azd's sign-in may not read registrations in Microsoft Entra ID ({living.code}), so it cannot make or"
            " change that of the app. In a pipeline: docs/deploying.md, 'From a pipeline', says which permission it"
            " takes, and the way without. Else ask an administrator of the tenant to run the same command."
        )
    if not registrations(living, mark):
        _restore(graph, _deleted(deployment, graph, mark))


def delete_the_registration(deployment: Deployment) -> None:
    """For good, so that the next deployment can make one of this name. Whoever may not is told what is left."""
    if not deployment.value("ENTRA_APP_ENABLED"):
        return
    graph, mark = deployment.graph, _mark(deployment)
    living = graph.living(mark)
    if not living.is_good:
        left = BROUGHT if deployment.value("OWN_ENTRA_CLIENT_ID") else _left(_name(deployment))
        print(f"Registrations in Microsoft Entra ID cannot be read ({living.code}): {left}", flush=True)
        return
    gone = [one for one in registrations(living, mark) if _is_deleted(graph, one)]
    for one in [*gone, *_deleted(deployment, graph, mark, but=gone)]:
        _delete_for_good(graph, one)


def _deleted(
    deployment: Deployment, graph: Graph, mark: str, but: list[Registration] | None = None
) -> list[Registration]:
    answer = graph.deleted(_name(deployment))
    if not answer.is_good:
        print(
            f"Whether a deleted registration has the name that this one needs could not be seen ({answer.code}). If"
            f" Azure says that the uniqueName already exists: an administrator deletes it for good, {PORTAL}.",
            flush=True,
        )
    known = {one.id for one in but or []}
    return [one for one in registrations(answer, mark) if one.id not in known]


def _restore(graph: Graph, deleted: list[Registration]) -> None:
    """The latest: there can be only one of its name."""
    for one in deleted[:1]:
        answer = graph.restore(one)
        if not answer.is_good:
            raise CannotGoOnError(
                f"The registration {one.name} was deleted on {one.deleted_on[:10]}. For 30 days nothing else may have"
                f" its name, and azd's sign-in may not restore it ({answer.code}). Ask an administrator of the tenant"
                f" to restore it, or to delete it for good, {PORTAL}, then the same command again."
            )
        print(f"Restored the registration {one.name}, which was deleted on {one.deleted_on[:10]}.", flush=True)


def _is_deleted(graph: Graph, one: Registration) -> bool:
    answer = graph.delete(one)
    if not answer.is_good:
        print(f"The registration was not deleted ({answer.code}): {_left(one.name)}", flush=True)
    return answer.is_good


def _delete_for_good(graph: Graph, one: Registration) -> None:
    answer = graph.delete_for_good(one)
    if answer.is_good:
        print(f"Permanently deleted the registration {one.name} in Microsoft Entra ID.", flush=True)
    else:
        print(
            f"The registration {one.name} is deleted, but not for good ({answer.code}): nothing else may have its name"
            f" for 30 days. The next 'azd up' restores it, if it may; an administrator deletes it for good, {PORTAL}.",
            flush=True,
        )


def _left(name: str) -> str:
    return (
        f"{name}… stays, and opens nothing any more. The next 'azd up' uses it again. To be rid of it, ask an"
        f" administrator of the tenant to delete it, and then to delete it for good, {PORTAL}."
    )


def _name(deployment: Deployment) -> str:
    return f"{OWN}-{deployment.value('AZURE_ENV_NAME')}-"


def _mark(deployment: Deployment) -> str:
    """How the tag begins that the template gives its registration; its end is the region."""
    return f"{OWN}/{deployment.value('AZURE_SUBSCRIPTION_ID')}/{deployment.value('AZURE_ENV_NAME')}/"
