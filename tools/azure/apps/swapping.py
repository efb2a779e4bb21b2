"""Swaps the slots of an app. The preview shows differences, sticky settings and versions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Final

from changes.preview import Fact, Preview
from changes.undo import by_call
from clients.azure.apps import parts
from clients.azure.apps.deployments import AppDeployment, recent_deployments
from clients.azure.apps.finding import AzureApp
from clients.azure.apps.settings import sticky_names
from clients.azure.apps.sorts import SITE, SLOT
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, ListPage, of_id
from clients.azure.named import one_called
from clients.folding import folded
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.apps.app_changes import app_change, app_now, app_preview, has, refuse_all_but_sites
from tools.azure.apps.app_parameters import OF_APP, AppName, runtime
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parallel_reads import gathered
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

PRODUCTION: Final = "production"
_MOST: Final = 500
_NEWEST: Final = 10
_SHOWN: Final = 100
_STICKY: Final = ("appSettingNames", "connectionStringNames", "azureStorageConfigNames")

Slot = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,58}$", description="Slot with the new version")]
Into = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,58}$", description="The other slot")]


@part.change(Access.WRITE, interrupts=True, harmless=(*OF_APP, "slot", "into"), seconds=SECONDS)
async def swap_app_slots(
    azure: Arm, app: AppName, slot: Slot, into: Into = PRODUCTION, subscription: Subscription = None
) -> ResourceChange:
    """Swap a slot of a web or function app into production or another slot. Repeat the call to swap back."""
    return await swap(azure, await app_with_slots(azure, app, subscription), slot, into)


async def app_with_slots(azure: Azure, named: str, subscription: str | None) -> AzureApp:
    found = await app_now(azure, named, subscription)
    refuse_all_but_sites(found, "slots")
    if not SITE.has(found.id):
        raise Refusal("Pass the app itself as `app`, and the slot as `slot`.")
    return found


async def swap(azure: Azure, app: AzureApp, slot: str, into: str) -> ResourceChange:
    """Build the change that swaps two slots."""
    slots = [await _slot(azure, app, one) for one in (slot, into)]
    first, second = (ResourceId.of(str(one["id"])) for one in slots)
    last = _swapped_at(app.record)
    request = _request("slotsswap", app, slot, into)

    async def shown(known: Inspected) -> Preview:
        facts, missing = await _swap_facts(azure, app, {slot: first, into: second})
        return app_preview(
            known,
            app,
            f"Slot {slot} of {app.kind} {app.id.name} swaps with {into}",
            facts,
            sentence=f"Swap the slot {slot} of the {app.kind} {app.id.name} with {into}",
            effects=[f"The version in {slot} serves the requests of {into}, and vice versa"],
            undo=by_call("swap_app_slots", app=app.id.text, slot=slot, into=into),
            missing=missing,
        )

    judge = has(lambda record: _swapped_at(record) not in {None, last})
    answers = {"app": app.id.name, "swapped": [slot, into]}
    return app_change(azure, app, request, judge, shown, answers, reached=slots)


async def _swap_facts(
    azure: Azure, app: AzureApp, places: Mapping[str, ResourceId]
) -> tuple[dict[str, Fact], list[str]]:
    """Return what a swap would change, and what could not be read."""
    (slot, first), (into, second) = places.items()
    found, not_read = await gathered(
        {
            "differences": partial(azure.page, _differing(app, slot, into), _MOST),
            "what stays with its slot": partial(sticky_names, azure, app.id),
            "auto swap": partial(parts.configuration, azure, first),
            f"version in {slot}": partial(_version, azure, first),
            f"version in {into}": partial(_version, azure, second),
        }
    )
    facts: dict[str, Fact] = {
        f"version in {slot}": found.get(f"version in {slot}"),
        f"version in {into}": found.get(f"version in {into}"),
        "differences": _differences(found.get("differences", ListPage([]))),
        "stays with its slot": _sticky(found.get("what stays with its slot", {})),
        "auto swap into": at(found.get("auto swap"), "properties.autoSwapSlotName"),
        "last swap": _swapped_at(app.record),
    }
    return facts, [name for one in not_read or () for name in one.get("names") or ()]


def _swapped_at(record: Mapping[str, Any]) -> Any:
    return at(record, "properties.slotSwapStatus.timestampUtc")


async def _slot(azure: Azure, app: AzureApp, slot: str) -> Json:
    """Return the document of an existing slot. The production slot is the app itself."""
    if folded(slot) == PRODUCTION:
        return {**app.record, "id": app.id.text}
    page = await parts.slots(azure, app.id)
    by_name = {str(one.get("name")).rpartition("/")[2]: one for one in page.items}
    own = next((name for name in by_name if folded(name) == folded(slot)), None)
    if own is None:
        raise Refusal(f"{app.id.name} has no slot {slot!r}. Available: {', '.join([*by_name, PRODUCTION])}.")
    return {**by_name[own], "id": ResourceId((*app.id.segments, "slots", own)).text}


def _request(what: str, app: AzureApp, slot: str, into: str, *, is_read: bool = False) -> AzureRequest:
    """Build a request to swap or compare two slots.

    The request is sent to a slot other than production. Azure accepts the two slots in either order.
    """
    one, other = (into, slot) if folded(slot) == PRODUCTION else (slot, into)
    if folded(one) == folded(other):
        raise Refusal("A slot cannot be swapped with itself.")
    below = ResourceId((*app.id.segments, "slots", one))
    body = {"targetSlot": other, "preserveVnet": True}
    return of_id("POST", below, f"/{what}", body=body, is_read=is_read, version=SITE.version)


def _differing(app: AzureApp, slot: str, into: str) -> AzureRequest:
    return _request("slotsdiffs", app, slot, into, is_read=True)


def _differences(page: ListPage) -> list[str]:
    """Return the types and names of settings that differ between two slots.

    Azure also returns the values of these settings, but this function must not.
    """
    settings = {f"{at(one, 'properties.settingType')} {at(one, 'properties.settingName')}" for one in page.items}
    more = len(settings) - _SHOWN
    return sorted(settings)[:_SHOWN] + ([f"and {more} more"] if more > 0 else [])


def _sticky(kept: Mapping[str, Any]) -> list[str]:
    return sorted({str(name) for kind in _STICKY for name in kept.get(kind) or ()})


async def _version(azure: Azure, place: ResourceId) -> str:
    """Describe the runtime of a slot, and the slot's last deployment."""
    sort = SITE if SITE.has(place) else SLOT
    record = await one_called(azure, sort, place.text, None, anew=True)
    page = await recent_deployments(azure, place, _NEWEST)
    active: list[AppDeployment] = [one for one in page.items if one.is_active]
    deployed = [_in_words(one) for one in active[:1]]
    return ", ".join([str(runtime(record) or "unknown runtime"), *(deployed or ["no known deployment"])])


def _in_words(one: AppDeployment) -> str:
    who = f" by {one.who}" if one.who else ""
    return f"deployment {one.commit[:12] or one.id} of {one.at}{who}"
