"""Settings of apps of App Service and Functions: changed without being told, to nobody."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Annotated, Final

from pydantic import Field

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo, by_call, by_hand
from clients.azure.apps.finding import AzureApp
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
from clients.azure.messages import of_id
from mcp_server.declarations.secret import SecretTexts
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.apps.app_changes import (
    app_change,
    app_now,
    app_preview,
    cannot_tell,
    changed,
    has,
    refuse_all_but_sites,
)
from tools.azure.apps.app_parameters import OF_APP, AppName
from tools.azure.shared.answers import at
from tools.azure.shared.applying import SECONDS, AppliedChange, OutcomeCheck, change
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

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
    SecretTexts[dict[Name, Annotated[str, Field(max_length=_LONGEST)]]] | None,
    Field(max_length=_MOST, description="Values by name; never told again"),
]
Removed = Annotated[list[Name] | None, Field(max_length=_MOST, description="Names")]
Sticky = Annotated[bool | None, Field(description="Whether these stay with their slot when slots are swapped")]
Seen = Annotated[str | None, Field(max_length=64, description="Leave out")]


@part.change(
    Access.WRITE,
    interrupts=True,
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
) -> ResourceChange:
    """Set or remove settings of a web or function app, or of a slot, which restarts it. Their values are never told."""
    given, removed = values.names if values else frozenset(), set(remove or ())
    found = await _meant(azure, app, given, removed, subscription)
    now = await current(azure, found.id)
    if seen is not None and seen != now.mark:
        raise Refusal(_CHANGED_MEANWHILE)
    now.refuse_wrong_names(given, removed)
    kept = sticky_settings(await sticky_names(azure, found.id))
    sticky_edits = _sticky_edits(kept, given, sticky)
    has_others = values is not None and values.differ_from(now.values)

    async def sent(look: OutcomeCheck) -> AppliedChange:
        wanted = now.with_changes(values.reveal() if values else {}, removed)
        # Before the values: what is to stay with its slot has to do so from the beginning.
        await _mark(azure, found, given, sticky)
        try:
            judge = has(lambda record: of_document(record).values == wanted.values)
            return await change(azure, writing(found.id, wanted), replace(look, judge=judge))
        except Refusal as refusal:
            raise without_values(refusal, now, wanted) from None

    def shown(known: Inspected) -> Preview:
        facts: dict[str, Fact] = {"number of settings": len(now.values), "stay with their slot": kept}
        return app_preview(
            known,
            found,
            f"Settings of {found.kind} {_called(found)}",
            facts,
            sentence=f"Change {_counted(given, removed)} of the {found.kind} {_called(found)}",
            edits=[*_edits(now, given, removed), *sticky_edits],
            effects=["Restarts the app"],
            undo=_undo(found, now, given, removed),
        )

    names = {"set": sorted(given), "removed": sorted(removed), "stay_with_slot": sorted(given) if sticky else None}
    return app_change(
        azure,
        found,
        of_id("PUT", found.id, "/config/appsettings", version=found.sort.version),
        cannot_tell,
        shown,
        {"app": _called(found), **names},
        looking=reading(found.id),
        before=dict(now.document),
        sends=sent,
        is_no_op=not has_others and not removed and not sticky_edits,
    )


async def _meant(
    azure: Azure, named: str, given: Collection[str], removed: Collection[str], subscription: str | None
) -> AzureApp:
    """The app, where it is clear what is to be set and removed."""
    if not given and not removed:
        raise Refusal("Say what to change: `values` to set, or `remove` with names.")
    if both := sorted(set(given) & set(removed)):
        raise Refusal(f"{', '.join(both)} cannot be both set and removed.")
    found = await app_now(azure, named, subscription)
    refuse_all_but_sites(found, "settings that can be set here")
    return found


def _undo(app: AzureApp, now: Current, given: Collection[str], removed: Collection[str]) -> Undo:
    """The call that removes what is new; values of before are told to nobody."""
    if removed or any(name in now.values for name in given):
        return by_hand("set_app_settings with the values before, which are secret and shown to nobody here")
    return by_call("set_app_settings", app=app.id.text, remove=sorted(given))


def _counted(given: Collection[str], removed: Collection[str]) -> str:
    names = [*given, *removed]
    return f"the setting {names[0]}" if len(names) == 1 else f"{len(names)} settings"


def _edits(now: Current, given: Collection[str], removed: Collection[str]) -> list[Edit]:
    """By names, and without telling whether a single value is another one: that would answer guesses."""
    told = [Edit(f"setting {name}", "a value" if name in now.values else None, "the value passed") for name in given]
    return sorted([*told, *(Edit(f"setting {name}", "a value", None) for name in removed)], key=lambda one: one.path)


def _sticky_edits(kept: Collection[str], given: Collection[str], sticky: bool | None) -> list[Edit]:
    if sticky is None:
        return []
    differing = sorted(name for name in given if (name in kept) is not sticky)
    return [Edit(f"{name} stays with its slot", not sticky, sticky) for name in differing]


async def _mark(azure: Azure, app: AzureApp, given: Collection[str], sticky: bool | None) -> None:
    """Say of settings whether they stay with their slot, where that is not so already."""
    if sticky is None:
        return
    kept = await sticky_names(azure, app.id)
    before = set(sticky_settings(kept))
    names = before | set(given) if sticky else before - set(given)
    if names == before:
        return
    holds = has(lambda record: set(at(record, "properties.appSettingNames") or ()) == names)
    request = sticky_writing(app.id, kept, names)
    await changed(azure, app, request, holds, looking=sticky_look(app.id))


def _called(app: AzureApp) -> str:
    """A slot by its app, too."""
    return "/".join(app.id.segments[7::2])
