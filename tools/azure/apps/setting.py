"""Settings of apps of App Service and Functions: changed without being told, to nobody."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Final

from pydantic import Field

from changes.preview import Edit, Fact, Preview
from clients.azure.apps.finding import App
from clients.azure.apps.settings import (
    Current,
    current,
    of_document,
    reading,
    sticky_look,
    sticky_names,
    sticky_settings,
    sticky_writing,
    without_values,
    writing,
)
from clients.azure.client import Azure
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.apps.changing import app_now, app_preview, changed, has, refuse_all_but_sites
from tools.azure.apps.shared import OF_APP, AppName
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json, at
from tools.azure.shared.doing import SECONDS
from tools.azure.shared.parameters import Subscription

part = Part()

_NAME: Final = r"^[A-Za-z_][A-Za-z0-9_.:-]*$"
_MOST: Final = 50
_LONGEST: Final = 8192
_CHANGED_MEANWHILE: Final = (
    "The settings of this app were changed by somebody meanwhile, so nothing was written. Send the very same call"
    " again: it is previewed anew."
)

Name = Annotated[str, Field(max_length=256, pattern=_NAME)]
Values = Annotated[
    dict[Name, Annotated[str, Field(max_length=_LONGEST)]] | None,
    Field(max_length=_MOST, description="Values by name; never told again"),
]
Removed = Annotated[list[Name] | None, Field(max_length=_MOST, description="Names")]
Sticky = Annotated[bool | None, Field(description="Whether these stay with their slot when slots are swapped")]
Seen = Annotated[str | None, Field(max_length=64, description="Leave out")]


async def _settings_changed(
    azure: Arm,
    app: AppName,
    values: Values = None,
    remove: Removed = None,
    sticky: Sticky = None,
    subscription: Subscription = None,
) -> Preview:
    found, given, removed = await _meant(azure, app, values, remove, subscription)
    now = await current(azure, found.id)
    now.with_changes(given, removed)
    kept = sticky_settings(await sticky_names(azure, found.id))
    facts: dict[str, Fact] = {
        "number of settings": len(now.values),
        "stay with their slot": kept,
        "afterwards": "the app restarts with them",
    }
    edits = [*_edits(now, given, removed), *_sticky_edits(kept, given, sticky)]
    what = f"Settings of {found.kind} {_called(found)}"
    return await app_preview(azure, found, what, facts, edits=edits, pins={"seen": now.mark})


@part.tool(
    Access.WRITE,
    previewed=_settings_changed,
    harmless=(*OF_APP, "remove", "sticky"),
    secret=("values",),
    seconds=SECONDS,
)
async def set_app_settings(
    azure: Arm,
    app: AppName,
    values: Values = None,
    remove: Removed = None,
    sticky: Sticky = None,
    subscription: Subscription = None,
    seen: Seen = None,
) -> Json:
    """Set or remove settings of a web or function app, or of a slot, which restarts it. Their values are never told."""
    found, given, removed = await _meant(azure, app, values, remove, subscription)
    now = await current(azure, found.id)
    if seen is not None and seen != now.mark:
        raise Refusal(_CHANGED_MEANWHILE)
    wanted = now.with_changes(given, removed)
    # Before the values: what is to stay with its slot has to do so from the beginning.
    await _mark(azure, found, given, sticky)
    try:
        request = writing(found.id, wanted)
        holds = has(lambda record: of_document(record).values == wanted.values)
        done = await changed(azure, found, request, holds, looking=reading(found.id))
    except Refusal as refusal:
        raise without_values(refusal, now, wanted) from None
    names = {"set": sorted(given), "removed": sorted(removed), "stay_with_slot": sorted(given) if sticky else None}
    return done.told(app=_called(found), **names)


async def _meant(
    azure: Azure, named: str, values: Mapping[str, str] | None, remove: Collection[str] | None, subscription: str | None
) -> tuple[App, Mapping[str, str], Collection[str]]:
    """The app, and what is to be set and removed."""
    given, removed = values or {}, set(remove or ())
    if not given and not removed:
        raise Refusal("Say what to change: `values` to set, or `remove` with names.")
    if both := sorted(given.keys() & removed):
        raise Refusal(f"{', '.join(both)} cannot be both set and removed.")
    found = await app_now(azure, named, subscription)
    refuse_all_but_sites(found, "settings that can be set here")
    return found, given, removed


def _edits(now: Current, given: Mapping[str, str], removed: Collection[str]) -> list[Edit]:
    """By names, and without telling whether a value is another one: that would answer guesses."""
    told = [Edit(f"setting {name}", "a value" if name in now.values else None, "the value passed") for name in given]
    return sorted([*told, *(Edit(f"setting {name}", "a value", None) for name in removed)], key=lambda one: one.path)


def _sticky_edits(kept: Collection[str], given: Mapping[str, str], sticky: bool | None) -> list[Edit]:
    if sticky is None:
        return []
    differing = sorted(name for name in given if (name in kept) is not sticky)
    return [Edit(f"{name} stays with its slot", not sticky, sticky) for name in differing]


async def _mark(azure: Azure, app: App, given: Mapping[str, str], sticky: bool | None) -> None:
    """Say of settings whether they stay with their slot, where that is not so already."""
    if sticky is None:
        return
    kept = await sticky_names(azure, app.id)
    before = set(sticky_settings(kept))
    names = before | given.keys() if sticky else before - given.keys()
    if names == before:
        return
    holds = has(lambda record: set(at(record, "properties.appSettingNames") or ()) == names)
    request = sticky_writing(app.id, kept, names)
    await changed(azure, app, request, holds, looking=sticky_look(app.id))


def _called(app: App) -> str:
    """A slot by its app, too."""
    return "/".join(app.id.segments[7::2])
