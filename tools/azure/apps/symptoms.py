"""What is unusual about an app, and how grave that is."""

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
# What is on its way, or not known, is not ill.
_ILL: Final = frozenset(
    {"stopped", "suspended", "disabled", "failed", "degraded", "notrunning", "limited", "canceled", "terminated"}
)
_MANY_RESTARTS: Final = 3
_MOST_SHOWN: Final = 5


def _finding(gravity: Gravity, what: str, evidence: Any = None) -> Json:
    return present({"gravity": gravity, "what": what, "evidence": evidence})


def _is_ill(word: Any) -> bool:
    return str(word).lower() in _ILL


def of_app(app: AzureApp) -> list[Json]:
    return list(_of_app(app))


def _of_app(app: AzureApp) -> Iterator[Json]:
    found = app.properties
    own = found.get("state") or found.get("runningStatus") or at(found, "powerState.code")
    if _is_ill(own):
        yield _finding("down", f"The {app.kind} is {str(own).lower()}.")
    if found.get("enabled") is False:
        yield _finding("down", f"The {app.kind} is disabled.")
    if str(found.get("usageState")).lower() == "exceeded":
        yield _finding("down", "Its quota is exceeded.", present({"until": found.get("suspendedTill")}))
    if _is_ill(found.get("provisioningState")) or _is_ill(found.get("availabilityState")):
        yield _finding("failing", f"Its state is {state(app.record)}.")
    latest, ready = found.get("latestRevisionName"), found.get("latestReadyRevisionName")
    if latest and ready and latest != ready:
        evidence = {"latest": latest, "ready": ready}
        yield _finding("failing", "Its latest revision never became ready: an older one serves.", evidence)


def of_deployments(app: AzureApp, page: ListPage) -> list[Json]:
    """The ones that failed since the last that did not."""
    failed = list(takewhile(lambda one: one.has_failed, page.items))
    if not failed:
        return []
    what = "revision" if app.is_container_app else "deployment"
    evidence = [shown(one) for one in failed[:_MOST_SHOWN]]
    return [_finding("failing", f"The last {what} failed: what was there before may be what runs.", evidence)]


def of_replicas(_: AzureApp, told: tuple[Sequence[Record], Any]) -> list[Json]:
    replicas, not_read = told
    ill = [replica(one) for one in replicas if _is_failing(one)]
    what = f"{len(ill)} of {len(replicas)} replicas do not run, are not ready or restart again and again."
    findings = [_finding("failing", what, ill[:_MOST_SHOWN])] if ill else []
    return [*findings, *([_finding("note", "Some replicas were not read.", not_read)] if not_read else [])]


def _is_failing(record: Record) -> bool:
    properties = record.get("properties") or {}
    containers = [one for one in properties.get("containers") or () if isinstance(one, Mapping)]
    restarts = max((found for one in containers if isinstance(found := one.get("restartCount"), int)), default=0)
    is_ready = all(one.get("ready") is not False for one in containers)
    return _is_ill(properties.get("runningState")) or not is_ready or restarts >= _MANY_RESTARTS


def of_instances(_: AzureApp, page: ListPage) -> list[Json]:
    ill = [one for one in page.items if _is_ill(at(one, "properties.state"))]
    names = [at(one, "properties.machineName") or one.get("name") for one in ill[:_MOST_SHOWN]]
    return [_finding("failing", f"{len(ill)} of {len(page.items)} instances are stopped.", names)] if ill else []


def of_configuration(app: AzureApp, record: Record) -> list[Json]:
    found = record.get("properties") or {}
    if app.kind == "web app" and not found.get("healthCheckPath"):
        return [_finding("note", "It has no health check: an instance that answers with errors is kept.")]
    return []


def of_references(_: AzureApp, page: ListPage) -> list[Json]:
    shown_ones = [reference(one) for one in page.items]
    broken = [one for one in shown_ones if str(one.get("status") or "resolved").lower() != "resolved"]
    what = "Settings that stand for secrets in a vault were not found there: the app gets the reference as its value."
    return [_finding("failing", what, broken[:_MOST_SHOWN])] if broken else []


def of_plan(_: AzureApp, record: Record) -> list[Json]:
    status = at(record, "properties.status")
    return [_finding("failing", f"Its plan {record.get('name')} is {status}.")] if _is_ill(status) else []


def of_pools(_: AzureApp, page: ListPage) -> list[Json]:
    return [finding for one in page.items for finding in _of_pool(str(one.get("name")), one.get("properties") or {})]


def _of_pool(name: str, found: Mapping[str, Any]) -> Iterator[Json]:
    power, provisioned = at(found, "powerState.code"), found.get("provisioningState")
    if _is_ill(power):
        yield _finding("down", f"The pool {name} is {str(power).lower()}.")
    if _is_ill(provisioned):
        yield _finding("failing", f"The state of the pool {name} is {provisioned}.")
    if found.get("enableAutoScaling") and found.get("count") == found.get("maxCount"):
        yield _finding("risk", f"The pool {name} has as many nodes as it may have: it cannot grow.")


def of_upgrades(app: AzureApp, record: Record) -> list[Json]:
    return list(_of_upgrades(app, record))


def _of_upgrades(app: AzureApp, record: Record) -> Iterator[Json]:
    profile = at(record, "properties.controlPlaneProfile") or {}
    newer = [one for one in profile.get("upgrades") or () if isinstance(one, Mapping) and not one.get("isPreview")]
    own = str(profile.get("kubernetesVersion") or app.properties.get("kubernetesVersion") or "")
    if newer:
        versions = [one.get("kubernetesVersion") for one in newer]
        yield _finding("note", f"There are newer versions than {own}.", versions)
    for one in app.properties.get("agentPoolProfiles") or ():
        version = str(at(one, "currentOrchestratorVersion") or at(one, "orchestratorVersion") or "")
        if version and own and _minor(version) < _minor(own):
            yield _finding("risk", f"The pool {at(one, 'name')} is on {version}, older than the cluster's {own}.")


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
