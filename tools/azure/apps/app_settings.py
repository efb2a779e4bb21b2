"""Changes settings of web and function apps without ever showing the values."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Annotated, Final

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
from mcp_server.declarations.field import Field
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
    "The settings of this app changed after the preview, so nothing was written. Repeat the same call for a new"
    " preview."
)

Name = Annotated[str, Field(max_length=256, pattern=_NAME)]
Values = Annotated[
    SecretTexts[dict[Name, Annotated[str, Field(max_length=_LONGEST)]]] | None,
    Field(max_length=_MOST, description="Values by name; never shown again"),
]
Removed = Annotated[list[Name] | None, Field(max_length=_MOST, description="Names")]
Sticky = Annotated[bool | None, Field(description="Keep these settings with their slot when slots are swapped")]
Seen = Annotated[str | None, Field(max_length=64, description="Omit")]


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
    """Set or remove settings of a web app, function app or slot, and restart it. Values are never shown."""
    added, removed = values.names if values else frozenset(), frozenset(remove or ())
    found = await _app(azure, app, added, removed, subscription)
    now = await current(azure, found.id)
    if seen is not None and seen != now.mark:
        raise Refusal(_CHANGED_MEANWHILE)
    now.refuse_wrong_names(added, removed)
    kept = sticky_settings(await sticky_names(azure, found.id))
    return _NewSettings(azure, found, now, values, added, removed, sticky, kept).change()


@dataclass(frozen=True, slots=True, repr=False)
class _NewSettings:
    """The current settings of an app, and the requested changes: settings to set, to remove, and to make sticky."""

    azure: Azure
    app: AzureApp
    now: Current
    values: SecretTexts[dict[str, str]] | None
    added: frozenset[str]
    removed: frozenset[str]
    sticky: bool | None
    sticky_now: Collection[str]

    def change(self) -> ResourceChange:
        answers = {
            "set": sorted(self.added),
            "removed": sorted(self.removed),
            "stay_with_slot": sorted(self.added) if self.sticky else None,
        }
        return app_change(
            self.azure,
            self.app,
            of_id("PUT", self.app.id, "/config/appsettings", version=self.app.sort.version),
            cannot_tell,
            self._shown,
            {"app": _full_name(self.app), **answers},
            looking=reading(self.app.id),
            before=dict(self.now.document),
            sends=self._sent,
            is_no_op=not self._has_new_values and not self.removed and not self._sticky_edits,
        )

    def _shown(self, known: Inspected) -> Preview:
        name = f"{self.app.kind} {_full_name(self.app)}"
        facts: dict[str, Fact] = {
            "number of settings": len(self.now.values),
            "stay with their slot": list(self.sticky_now),
        }
        return app_preview(
            known,
            self.app,
            f"Settings of {name}",
            facts,
            sentence=f"Change {_counted([*self.added, *self.removed])} of the {name}",
            edits=[*self._edits, *self._sticky_edits],
            effects=["Restarts the app"],
            undo=self._undo,
        )

    async def _sent(self, look: OutcomeCheck) -> AppliedChange:
        after = self.now.with_changes(self.values.reveal() if self.values else {}, self.removed)
        # Settings become sticky before they get values, so that a swap never moves the new values.
        await self._write_sticky()
        try:
            judge = has(lambda record: of_document(record).values == after.values)
            return await change(self.azure, writing(self.app.id, after), replace(look, judge=judge))
        except Refusal as refusal:
            raise without_values(refusal, self.now, after) from None

    async def _write_sticky(self) -> None:
        """Make settings sticky or not sticky. Sends no request if nothing changes."""
        if self.sticky is None:
            return
        kept = await sticky_names(self.azure, self.app.id)
        before = set(sticky_settings(kept))
        names = before | self.added if self.sticky else before - self.added
        if names == before:
            return
        is_written = has(lambda record: set(at(record, "properties.appSettingNames") or ()) == names)
        request = sticky_writing(self.app.id, kept, names)
        await changed(self.azure, self.app, request, is_written, looking=sticky_look(self.app.id))

    @property
    def _has_new_values(self) -> bool:
        return self.values is not None and self.values.differ_from(self.now.values)

    @property
    def _edits(self) -> list[Edit]:
        """Return only the names of the changed settings.

        If a preview showed whether a value changes, callers could find out secret values by guessing.
        """
        added = [Edit(f"setting {name}", self._value(name), "the value passed") for name in self.added]
        removed = [Edit(f"setting {name}", "a value", None) for name in self.removed]
        return sorted([*added, *removed], key=lambda one: one.path)

    def _value(self, name: str) -> str | None:
        return "a value" if name in self.now.values else None

    @property
    def _sticky_edits(self) -> list[Edit]:
        if self.sticky is None:
            return []
        differing = sorted(name for name in self.added if (name in self.sticky_now) is not self.sticky)
        return [Edit(f"{name} stays with its slot", not self.sticky, self.sticky) for name in differing]

    @property
    def _undo(self) -> Undo:
        """The call that removes the settings, if all of them are new. Otherwise, a person must set the previous values.

        No call can restore previous values, because values are never shown.
        """
        if self.removed or any(name in self.now.values for name in self.added):
            return by_hand("set_app_settings with the previous values, which are secret and never shown")
        return by_call("set_app_settings", app=self.app.id.text, remove=sorted(self.added))


async def _app(
    azure: Azure, named: str, added: Collection[str], removed: Collection[str], subscription: str | None
) -> AzureApp:
    """Read the app, and refuse arguments that contradict each other or do not fit this kind of app."""
    if not added and not removed:
        raise Refusal("Pass `values` to set settings, or `remove` to remove them.")
    if both := sorted(set(added) & set(removed)):
        raise Refusal(f"{', '.join(both)} cannot be both set and removed.")
    found = await app_now(azure, named, subscription)
    refuse_all_but_sites(found, "settings")
    return found


def _counted(names: Collection[str]) -> str:
    return f"the setting {next(iter(names))}" if len(names) == 1 else f"{len(names)} settings"


def _full_name(app: AzureApp) -> str:
    """Return the name of an app or, for a slot, the names of the app and the slot."""
    return "/".join(app.id.segments[7::2])
