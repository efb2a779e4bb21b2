"""Taking an app back to what ran before: the slot it was swapped with, or an earlier revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from pydantic import Field

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call, never
from clients.azure.apps.deployments import AppDeployment, revisions
from clients.azure.apps.finding import AzureApp
from clients.azure.apps.sorts import SITE
from clients.azure.client import Azure
from clients.azure.messages import of_id
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
_ILL: Final = frozenset({"failed", "provisioningfailed", "unhealthy", "degraded"})

To = Annotated[str | None, Field(min_length=1, max_length=100, description="A revision; has a default: the one before")]


@dataclass(frozen=True, slots=True)
class _Return:
    """Which revision gets all requests again, and which ones had them."""

    revision: Mapping[str, Any]
    weights: Mapping[str, int]

    @property
    def name(self) -> str:
        return str(self.revision.get("name"))


@part.change(Access.WRITE, interrupts=True, harmless=(*OF_APP, "to"), seconds=SECONDS)
async def roll_back_app(azure: Arm, app: AppName, to: To = None, subscription: Subscription = None) -> ResourceChange:
    """Roll back an app: by swapping back the last swap of its slots, a container app to an earlier revision."""
    found = await app_now(azure, app, subscription)
    refuse_cluster(found, "taken back")
    if found.is_site:
        return await swap(azure, found, *_last_swap(found, to))
    back = await _return_of(azure, found, to)
    traffic = {"properties": {"configuration": {"ingress": {"traffic": [{"revisionName": back.name, "weight": 100}]}}}}
    request = of_id("PATCH", found.id, body=traffic, version=found.sort.version)

    async def sent(look: OutcomeCheck) -> AppliedChange:
        await _activate(azure, found, back)
        return await change(azure, request, look)

    judge, answers = holding(traffic, dict(found.record)), {"app": found.id.name, "revision": back.name}
    return app_change(azure, found, request, judge, partial(_shown, found, back), answers, sends=sent)


def _shown(app: AzureApp, back: _Return, known: Inspected) -> Preview:
    edits = [Edit(f"requests to {name}, in percent", weight, 0) for name, weight in sorted(back.weights.items())]
    edits.append(Edit(f"requests to {back.name}, in percent", 0, 100))
    was = AppDeployment.of_revision(back.revision)
    facts = {
        "revision": back.name,
        "image": was.image,
        "made": was.at,
        "health": at(back.revision, "properties.healthState"),
        "is running now": was.is_active,
        "image now": _image(app),
    }
    return app_preview(
        known,
        app,
        f"Container app {app.id.name} goes back to {back.name}",
        facts,
        sentence=f"Send all requests of the container app {app.id.name} to its revision {back.name}",
        edits=edits,
        effects=[] if was.is_active else ["Starts the revision first, so its first requests may be slow"],
        undo=_taken_forward(app, back),
    )


def _taken_forward(app: AzureApp, back: _Return) -> Undo:
    """The call that gives the requests back to the revision that has most of them now."""
    if not back.weights:
        return never("no revision had any requests")
    most = max(back.weights, key=lambda name: back.weights[name])
    again = by_call("roll_back_app", app=app.id.text, to=most)
    return again if back.weights == {most: 100} else again.but("they were shared, and go to one then")


def _last_swap(app: AzureApp, to: str | None) -> tuple[str, str]:
    """The slots that changed places last."""
    if to is not None:
        raise Refusal("`to` is of container apps. A web or function app goes back by its last swap.")
    if not SITE.has(app.id):
        raise Refusal("Pass the app itself: what it was swapped with is known of it, and not of its slots.")
    last = app.properties.get("slotSwapStatus")
    source, into = (at(last, f"{name}SlotName") for name in ("source", "destination"))
    if not source:
        raise Refusal(
            f"{app.id.name} was not swapped, so there is no slot with what ran before. Azure does not redeploy an"
            " earlier package: run the pipeline of the earlier commit again. list_app_deployments tells which that is."
        )
    return str(source), str(into or PRODUCTION)


async def _return_of(azure: Azure, app: AzureApp, to: str | None) -> _Return:
    if str(at(app.properties, "configuration.activeRevisionsMode")).lower() != "multiple":
        raise Refusal(
            f"{app.id.name} keeps one active revision only, so requests cannot be led to another. Deploy the earlier"
            " image again: list_app_deployments tells which that is. Or set its revisions to multiple."
        )
    page = await revisions(azure, app.id, _MOST)
    names = {str(one.get("name")): one for one in page.items}
    weights = {name: weight for name, one in names.items() if (weight := at(one, "properties.trafficWeight"))}
    wanted = names.get(to) if to else _before(page.items, weights)
    if wanted is None:
        there = ", ".join(sorted(names)) or "none"
        raise Refusal(f"There is no revision {to or 'before this one that was healthy'}. There are: {there}.")
    if weights == {str(wanted.get("name")): 100}:
        raise Refusal(f"{wanted.get('name')} has all requests already. Nothing was done.")
    return _Return(wanted, {name: one for name, one in weights.items() if name != wanted.get("name")})


def _before(found: list[Mapping[str, Any]], weights: Mapping[str, int]) -> Mapping[str, Any] | None:
    """The newest revision that is older than all that have requests now, and not ill."""
    oldest = min((_made(one) for one in found if one.get("name") in weights), default="")
    older = [one for one in found if _made(one) < oldest and not _is_ill(one)]
    return max(older, key=_made, default=None)


def _made(revision: Mapping[str, Any]) -> str:
    return str(at(revision, "properties.createdTime") or "")


def _is_ill(revision: Mapping[str, Any]) -> bool:
    states = (at(revision, f"properties.{name}") for name in ("provisioningState", "healthState", "runningState"))
    return any(str(one).lower() in _ILL for one in states)


def _image(app: AzureApp) -> str:
    containers = at(app.properties, "template.containers") or ()
    return ", ".join(str(at(one, "image")) for one in containers)


async def _activate(azure: Azure, app: AzureApp, back: _Return) -> None:
    """Let a revision run, if it does not."""
    if at(back.revision, "properties.active"):
        return
    values = {"revision": back.name}
    request = of_id("POST", app.id, "/revisions/{revision}/activate", values=values, version=app.sort.version)
    looking = of_id("GET", app.id, "/revisions/{revision}", values=values, version=app.sort.version)
    await changed(azure, app, request, has(lambda record: at(record, "properties.active") is True), looking=looking)
