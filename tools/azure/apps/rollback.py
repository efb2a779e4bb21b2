"""Rolls an app back: reverses its last slot swap, or sends its traffic to an earlier revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call, never
from clients.azure.apps.deployments import AppDeployment, revisions
from clients.azure.apps.finding import AzureApp
from clients.azure.apps.sorts import SITE
from clients.azure.client import Azure
from clients.azure.messages import of_id
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.apps.app_changes import app_change, app_now, app_preview, changed, has, refuse_cluster
from tools.azure.apps.app_parameters import OF_APP, AppName
from tools.azure.apps.swapping import PRODUCTION, swap
from tools.azure.shared.answers import at
from tools.azure.shared.applying import SECONDS, AppliedChange, OutcomeCheck, change, holding
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_MOST: Final = 100
_UNHEALTHY: Final = frozenset({"failed", "provisioningfailed", "unhealthy", "degraded"})

To = Annotated[str | None, Field(min_length=1, max_length=100, description="A revision; default: the previous one")]


@dataclass(frozen=True, slots=True)
class _Target:
    """The revision that will get all traffic, and the current traffic weights of the other revisions."""

    revision: Mapping[str, Any]
    weights: Mapping[str, int]

    @property
    def name(self) -> str:
        return str(self.revision.get("name"))


@part.change(Access.WRITE, interrupts=True, harmless=(*OF_APP, "to"), seconds=SECONDS)
async def roll_back_app(azure: Arm, app: AppName, to: To = None, subscription: Subscription = None) -> ResourceChange:
    """Roll back an app: undo its last slot swap, or return a container app to an earlier revision."""
    found = await app_now(azure, app, subscription)
    refuse_cluster(found, "roll back")
    if found.is_site:
        return await swap(azure, found, *_last_swap(found, to))
    back = await _target(azure, found, to)
    traffic = {"properties": {"configuration": {"ingress": {"traffic": [{"revisionName": back.name, "weight": 100}]}}}}
    request = of_id("PATCH", found.id, body=traffic, version=found.sort.version)

    async def sent(look: OutcomeCheck) -> AppliedChange:
        await _activate(azure, found, back)
        return await change(azure, request, look)

    judge, answers = holding(traffic, dict(found.record)), {"app": found.id.name, "revision": back.name}
    return app_change(azure, found, request, judge, partial(_shown, found, back), answers, sends=sent)


def _shown(app: AzureApp, back: _Target, known: Inspected) -> Preview:
    edits = [Edit(f"traffic to {name} (%)", weight, 0) for name, weight in sorted(back.weights.items())]
    edits.append(Edit(f"traffic to {back.name} (%)", 0, 100))
    earlier = AppDeployment.of_revision(back.revision)
    facts = {
        "revision": back.name,
        "image": earlier.image,
        "created": earlier.at,
        "health": at(back.revision, "properties.healthState"),
        "running": earlier.is_active,
        "current image": _image(app),
    }
    return app_preview(
        known,
        app,
        f"Container app {app.id.name} rolls back to {back.name}",
        facts,
        sentence=f"Send all traffic of the container app {app.id.name} to its revision {back.name}",
        edits=edits,
        effects=[] if earlier.is_active else ["Starts this revision, so its first requests may be slow"],
        undo=_undo(app, back),
    )


def _undo(app: AzureApp, back: _Target) -> Undo:
    """Return the call that sends all traffic back to the revision that currently gets the most traffic."""
    if not back.weights:
        return never("no revision had traffic")
    most = max(back.weights, key=lambda name: back.weights[name])
    again = by_call("roll_back_app", app=app.id.text, to=most)
    return again if back.weights == {most: 100} else again.but("this call does not restore the traffic split")


def _last_swap(app: AzureApp, to: str | None) -> tuple[str, str]:
    """Return the names of the two slots in the last swap."""
    if to is not None:
        raise Refusal(
            "Omit `to`, which is for container apps. For a web or function app, this tool undoes the last slot swap."
        )
    if not SITE.has(app.id):
        raise Refusal("Pass the app, not a slot: Azure records swaps only on the app.")
    last = app.properties.get("slotSwapStatus")
    source, into = (at(last, f"{name}SlotName") for name in ("source", "destination"))
    if not source:
        raise Refusal(
            f"{app.id.name} has no slot swap to roll back, and Azure cannot redeploy an earlier package. Find the"
            " earlier commit with list_app_deployments, and rerun its pipeline."
        )
    return str(source), str(into or PRODUCTION)


def _refuse_single_revision_mode(app: AzureApp) -> None:
    if str(at(app.properties, "configuration.activeRevisionsMode")).lower() != "multiple":
        raise Refusal(
            f"{app.id.name} is in single revision mode, so no other revision can get traffic. Find the earlier image"
            " with list_app_deployments and redeploy it, or switch to multiple revision mode."
        )


async def _target(azure: Azure, app: AzureApp, to: str | None) -> _Target:
    _refuse_single_revision_mode(app)
    page = await revisions(azure, app.id, _MOST)
    names = {str(one.get("name")): one for one in page.items}
    weights = {name: weight for name, one in names.items() if (weight := at(one, "properties.trafficWeight"))}
    target = names.get(to) if to else _before(page.items, weights)
    if target is None:
        missing = f"Revision {to!r}" if to else "A healthy earlier revision"
        raise Refusal(f"{missing} was not found. Available: {', '.join(sorted(names)) or 'none'}.")
    if weights == {str(target.get("name")): 100}:
        raise Refusal(f"{target.get('name')} already gets all traffic. Nothing was changed.")
    return _Target(target, {name: one for name, one in weights.items() if name != target.get("name")})


def _before(found: list[Mapping[str, Any]], weights: Mapping[str, int]) -> Mapping[str, Any] | None:
    """Return the newest healthy revision that is older than all revisions with traffic."""
    oldest = min((_created(one) for one in found if one.get("name") in weights), default="")
    older = [one for one in found if _created(one) < oldest and not _is_unhealthy(one)]
    return max(older, key=_created, default=None)


def _created(revision: Mapping[str, Any]) -> str:
    return str(at(revision, "properties.createdTime") or "")


def _is_unhealthy(revision: Mapping[str, Any]) -> bool:
    states = (at(revision, f"properties.{name}") for name in ("provisioningState", "healthState", "runningState"))
    return any(str(one).lower() in _UNHEALTHY for one in states)


def _image(app: AzureApp) -> str:
    containers = at(app.properties, "template.containers") or ()
    return ", ".join(str(at(one, "image")) for one in containers)


async def _activate(azure: Azure, app: AzureApp, back: _Target) -> None:
    """Start a revision if it is not running."""
    if at(back.revision, "properties.active"):
        return
    values = {"revision": back.name}
    request = of_id("POST", app.id, "/revisions/{revision}/activate", values=values, version=app.sort.version)
    looking = of_id("GET", app.id, "/revisions/{revision}", values=values, version=app.sort.version)
    await changed(azure, app, request, has(lambda record: at(record, "properties.active") is True), looking=looking)
