"""Starts, stops and restarts apps."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from changes.preview import Edit, Preview
from changes.undo import by_call, never
from clients.azure.apps.deployments import revisions
from clients.azure.apps.finding import AzureApp
from clients.azure.client import Azure
from clients.azure.messages import of_id
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.apps.app_changes import app_change, app_now, app_preview, cannot_tell, has, refuse_cluster
from tools.azure.apps.app_parameters import OF_APP, AppName
from tools.azure.shared.answers import at
from tools.azure.shared.applying import SECONDS
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

Verb = Literal["start", "stop"]
Revision = Annotated[
    str | None,
    Field(min_length=1, max_length=100, description="Container app only; default: the one with the most traffic"),
]

_STATES: Final = {"start": "Running", "stop": "Stopped"}
_MOST: Final = 100


@part.change(Access.WRITE, interrupts=True, harmless=(*OF_APP, "revision"), seconds=SECONDS)
async def restart_app(
    azure: Arm, app: AppName, revision: Revision = None, subscription: Subscription = None
) -> ResourceChange:
    """Restart a web app, function app, slot, or a revision of a container app."""
    found = await app_now(azure, app, subscription)
    refuse_cluster(found, "restart")
    which = await _revision(azure, found, revision) if found.is_container_app else None
    below = "/revisions/{revision}/restart" if which else "/restart"
    request = of_id("POST", found.id, below, values={"revision": which}, version=found.sort.version)
    target = f"revision {which} of {found.id.name}" if which else f"{found.kind} {found.id.name}"

    def shown(known: Inspected) -> Preview:
        return app_preview(
            known,
            found,
            f"{target[0].upper()}{target[1:]} restarts",
            sentence=f"Restart the {target}",
            effects=["Requests may fail or wait during the restart, which usually takes less than a minute"],
            undo=never("a restart leaves nothing to undo"),
        )

    return app_change(azure, found, request, cannot_tell, shown, {"restarted": found.id.name, "revision": which})


async def _revision(azure: Azure, app: AzureApp, named: str | None) -> str:
    """Return the requested revision, or the active revision with the most traffic."""
    page = await revisions(azure, app.id, _MOST)
    active = [one for one in page.items if at(one, "properties.active")]
    names = [str(one.get("name")) for one in active]
    if named and named not in names:
        raise Refusal(f"{app.id.name} has no active revision {named!r}. Active: {', '.join(names) or 'none'}.")
    if not active:
        raise Refusal(f"{app.id.name} has no active revision to restart.")
    return named or str(max(active, key=lambda one: at(one, "properties.trafficWeight") or 0).get("name"))


@part.change(Access.WRITE, harmless=OF_APP, seconds=SECONDS)
async def start_app(azure: Arm, app: AppName, subscription: Subscription = None) -> ResourceChange:
    """Start an app, a slot, or an AKS cluster."""
    return await _switched(azure, "start", app, subscription)


@part.change(Access.WRITE, interrupts=True, harmless=OF_APP, seconds=SECONDS)
async def stop_app(azure: Arm, app: AppName, subscription: Subscription = None) -> ResourceChange:
    """Stop an app, a slot, or an AKS cluster until someone starts it again."""
    return await _switched(azure, "stop", app, subscription)


async def _switched(azure: Azure, verb: Verb, named: str, subscription: str | None) -> ResourceChange:
    found = await app_now(azure, named, subscription)
    request = of_id("POST", found.id, f"/{verb}", version=found.sort.version)
    target, other = f"{found.kind} {found.id.name}", "start" if verb == "stop" else "stop"

    def shown(known: Inspected) -> Preview:
        return app_preview(
            known,
            found,
            f"{target[0].upper()}{target[1:]} {'stops' if verb == 'stop' else 'starts'}",
            sentence=f"{verb.capitalize()} the {target}",
            edits=[Edit("state", _state(found.record), _STATES[verb])],
            effects=["The app serves no requests until it is started"] if verb == "stop" else [],
            undo=by_call(f"{other}_app", app=found.id.text),
        )

    answers = {"app": found.id.name, "stopped" if verb == "stop" else "started": True}
    judge = has(lambda record: _state(record) == _STATES[verb])
    is_no_op = _state(found.record) == _STATES[verb]
    return app_change(azure, found, request, judge, shown, answers, is_no_op=is_no_op)


def _state(record: Any) -> str:
    own = at(record, "properties.state") or at(record, "properties.runningStatus")
    return str(own or at(record, "properties.powerState.code") or "")
