"""Detects what is wrong with an app, and how severe each symptom is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, Literal

from clients.answers import Json, at, present
from clients.azure.apps.finding import AzureApp
from clients.azure.messages import ListPage
from clients.azure.named import Record
from tools.azure.apps.app_parameters import state
from tools.azure.apps.deployments import shown
from tools.azure.apps.instances import replica
from tools.azure.apps.sites import reference

Gravity = Literal["down", "failing", "risk", "note"]

GRAVITIES: Final[Sequence[Gravity]] = ("down", "failing", "risk", "note")
# States that count as unhealthy. Transitional and unknown states do not count as unhealthy.
_UNHEALTHY: Final = frozenset(
    {"stopped", "suspended", "disabled", "failed", "degraded", "notrunning", "limited", "canceled", "terminated"}
)
_MANY_RESTARTS: Final = 3
_MOST_SHOWN: Final = 5


def _finding(gravity: Gravity, what: str, evidence: Any = None) -> Json:
    return present({"gravity": gravity, "what": what, "evidence": evidence})


def _is_unhealthy(word: Any) -> bool:
    return str(word).lower() in _UNHEALTHY


def of_app(app: AzureApp) -> list[Json]:
    return list(_of_app(app))


def _of_app(app: AzureApp) -> Iterator[Json]:
    found = app.properties
    own = found.get("state") or found.get("runningStatus") or at(found, "powerState.code")
    if _is_unhealthy(own):
        yield _finding("down", f"The {app.kind} is {str(own).lower()}.")
    if found.get("enabled") is False:
        yield _finding("down", f"The {app.kind} is disabled.")
    if str(found.get("usageState")).lower() == "exceeded":
        yield _finding("down", "The app's quota is exceeded.", present({"until": found.get("suspendedTill")}))
    if _is_unhealthy(found.get("provisioningState")) or _is_unhealthy(found.get("availabilityState")):
        yield _finding("failing", f"The app's state is {state(app.record)}.")
    yield from _of_revisions(found)


def _of_revisions(found: Mapping[str, Any]) -> Iterator[Json]:
    latest, ready = found.get("latestRevisionName"), found.get("latestReadyRevisionName")
    if latest and ready and latest != ready:
        what = "The app's latest revision never became ready, so an older revision serves the requests."
        yield _finding("failing", what, {"latest": latest, "ready": ready})


def of_deployments(app: AzureApp, page: ListPage) -> list[Json]:
    """Return the failed deployments since the last successful deployment."""
    failed = list(takewhile(lambda one: one.has_failed, page.items))
    if not failed:
        return []
    what = "revision" if app.is_container_app else "deployment"
    evidence = [shown(one) for one in failed[:_MOST_SHOWN]]
    return [_finding("failing", f"The last {what} failed, so an older version may still run.", evidence)]


def of_replicas(_: AzureApp, answer: tuple[Sequence[Record], Any]) -> list[Json]:
    replicas, not_read = answer
    failing = [replica(one) for one in replicas if _is_failing(one)]
    what = f"{len(failing)} of {len(replicas)} replicas are not running, are not ready, or keep restarting."
    findings = [_finding("failing", what, failing[:_MOST_SHOWN])] if failing else []
    return [*findings, *([_finding("note", "Some replicas could not be read.", not_read)] if not_read else [])]


def _is_failing(record: Record) -> bool:
    properties = record.get("properties") or {}
    containers = [one for one in properties.get("containers") or () if isinstance(one, Mapping)]
    restarts = max((found for one in containers if isinstance(found := one.get("restartCount"), int)), default=0)
    is_ready = all(one.get("ready") is not False for one in containers)
    return _is_unhealthy(properties.get("runningState")) or not is_ready or restarts >= _MANY_RESTARTS


def of_instances(_: AzureApp, page: ListPage) -> list[Json]:
    stopped = [one for one in page.items if _is_unhealthy(at(one, "properties.state"))]
    names = [at(one, "properties.machineName") or one.get("name") for one in stopped[:_MOST_SHOWN]]
    what = f"{len(stopped)} of {len(page.items)} instances are stopped."
    return [_finding("failing", what, names)] if stopped else []


def of_configuration(app: AzureApp, record: Record) -> list[Json]:
    found = record.get("properties") or {}
    if app.kind == "web app" and not found.get("healthCheckPath"):
        return [_finding("note", "The app has no health check, so failing instances keep getting requests.")]
    return []


def of_references(_: AzureApp, page: ListPage) -> list[Json]:
    shown_ones = [reference(one) for one in page.items]
    broken = [one for one in shown_ones if str(one.get("status") or "resolved").lower() != "resolved"]
    what = "Settings refer to vault secrets that the app cannot read, so it gets the references instead of the secrets."
    return [_finding("failing", what, broken[:_MOST_SHOWN])] if broken else []


def of_plan(_: AzureApp, record: Record) -> list[Json]:
    status = at(record, "properties.status")
    return [_finding("failing", f"The app's plan {record.get('name')} is {status}.")] if _is_unhealthy(status) else []


def of_pools(_: AzureApp, page: ListPage) -> list[Json]:
    return [finding for one in page.items for finding in _of_pool(str(one.get("name")), one.get("properties") or {})]


def _of_pool(name: str, found: Mapping[str, Any]) -> Iterator[Json]:
    power, provisioned = at(found, "powerState.code"), found.get("provisioningState")
    if _is_unhealthy(power):
        yield _finding("down", f"The pool {name} is {str(power).lower()}.")
    if _is_unhealthy(provisioned):
        yield _finding("failing", f"The state of the pool {name} is {provisioned}.")
    if found.get("enableAutoScaling") and found.get("count") == found.get("maxCount"):
        yield _finding("risk", f"The pool {name} has its maximum number of nodes and cannot scale out.")


def of_upgrades(app: AzureApp, record: Record) -> list[Json]:
    return list(_of_upgrades(app, record))


def _of_upgrades(app: AzureApp, record: Record) -> Iterator[Json]:
    profile = at(record, "properties.controlPlaneProfile") or {}
    newer = [one for one in profile.get("upgrades") or () if isinstance(one, Mapping) and not one.get("isPreview")]
    own = str(profile.get("kubernetesVersion") or app.properties.get("kubernetesVersion") or "")
    if newer:
        versions = [one.get("kubernetesVersion") for one in newer]
        yield _finding("note", f"Versions newer than {own} are available.", versions)
    for one in app.properties.get("agentPoolProfiles") or ():
        version = str(at(one, "currentOrchestratorVersion") or at(one, "orchestratorVersion") or "")
        if version and own and _minor(version) < _minor(own):
            yield _finding(
                "risk", f"The pool {at(one, 'name')} runs version {version}, which is older than the cluster's {own}."
            )


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
