"""Starting, stopping and restarting apps."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from changes.preview import Edit, Preview
from clients.azure.apps.deployments import revisions
from clients.azure.apps.finding import App
from clients.azure.client import Azure
from clients.azure.messages import of_id
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.apps.changing import app_now, app_preview, cannot_tell, changed, has, refuse_cluster
from tools.azure.apps.shared import OF_APP, AppName
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json, at
from tools.azure.shared.doing import SECONDS
from tools.azure.shared.parameters import Subscription

part = Part()

Verb = Literal["start", "stop"]
Revision = Annotated[
    str | None, Field(min_length=1, max_length=100, description="Of a container app, not the one with most traffic")
]

_STATES: Final = {"start": "Running", "stop": "Stopped"}
_MOST: Final = 100


async def _restart(azure: Arm, app: AppName, revision: Revision = None, subscription: Subscription = None) -> Preview:
    found = await app_now(azure, app, subscription)
    refuse_cluster(found, "restarted")
    one = await _revision(azure, found, revision) if found.is_container_app else None
    which = f"Revision {one} of {found.id.name}" if one else f"{found.kind.capitalize()} {found.id.name}"
    return await app_preview(azure, found, f"{which} restarts", {"while it restarts": "requests may fail or wait"})


@part.tool(Access.WRITE, previewed=_restart, harmless=(*OF_APP, "revision"), seconds=SECONDS)
async def restart_app(azure: Arm, app: AppName, revision: Revision = None, subscription: Subscription = None) -> Json:
    """Restart a web app, function app, slot, or a revision of a container app."""
    found = await app_now(azure, app, subscription)
    refuse_cluster(found, "restarted")
    if not found.is_container_app:
        request = of_id("POST", found.id, "/restart", version=found.sort.version)
        return (await changed(azure, found, request, cannot_tell)).told(restarted=found.id.name)
    which = await _revision(azure, found, revision)
    below = "/revisions/{revision}/restart"
    request = of_id("POST", found.id, below, values={"revision": which}, version=found.sort.version)
    return (await changed(azure, found, request, cannot_tell)).told(restarted=found.id.name, revision=which)


async def _revision(azure: Azure, app: App, named: str | None) -> str:
    """The revision that is meant: the one of a name, else the active one with the most traffic."""
    page = await revisions(azure, app.id, _MOST)
    active = [one for one in page.items if at(one, "properties.active")]
    names = [str(one.get("name")) for one in active]
    if named and named not in names:
        raise Refusal(f"{app.id.name} has no active revision {named!r}. Active are {', '.join(names) or 'none'}.")
    if not active:
        raise Refusal(f"{app.id.name} has no active revision: there is nothing to restart.")
    return named or str(max(active, key=lambda one: at(one, "properties.trafficWeight") or 0).get("name"))


async def _preview_of(azure: Azure, verb: Verb, named: str, subscription: str | None) -> Preview:
    found = await app_now(azure, named, subscription)
    facts = {"afterwards": "it answers nobody until it is started"} if verb == "stop" else {}
    edit = Edit("state", _state(found.record), _STATES[verb])
    what = f"{found.kind} {found.id.name} {'stops' if verb == 'stop' else 'starts'}"
    return await app_preview(azure, found, f"{what[0].upper()}{what[1:]}", facts, edits=[edit])


async def _starting(azure: Arm, app: AppName, subscription: Subscription = None) -> Preview:
    return await _preview_of(azure, "start", app, subscription)


async def _stopping(azure: Arm, app: AppName, subscription: Subscription = None) -> Preview:
    return await _preview_of(azure, "stop", app, subscription)


@part.tool(Access.WRITE, previewed=_starting, harmless=OF_APP, seconds=SECONDS)
async def start_app(azure: Arm, app: AppName, subscription: Subscription = None) -> Json:
    """Start an app, a slot, or an AKS cluster."""
    return await _switched(azure, "start", app, subscription)


@part.tool(Access.WRITE, previewed=_stopping, harmless=OF_APP, seconds=SECONDS)
async def stop_app(azure: Arm, app: AppName, subscription: Subscription = None) -> Json:
    """Stop an app, a slot, or an AKS cluster, until it is started."""
    return await _switched(azure, "stop", app, subscription)


async def _switched(azure: Azure, verb: Verb, named: str, subscription: str | None) -> Json:
    found = await app_now(azure, named, subscription)
    request = of_id("POST", found.id, f"/{verb}", version=found.sort.version)
    done = await changed(azure, found, request, has(lambda record: _state(record) == _STATES[verb]))
    return done.told(app=found.id.name, **{"stopped" if verb == "stop" else "started": True})


def _state(record: Any) -> str:
    own = at(record, "properties.state") or at(record, "properties.runningStatus")
    return str(own or at(record, "properties.powerState.code") or "")
