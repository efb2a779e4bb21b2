"""Reads resource changes from Resource Graph: changed settings, and created and deleted resources."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from clients.azure.change_reading import ABOUT, changes_of, is_noisy, plain_value, settings_of, when
from clients.azure.graph import text_of
from clients.azure.ids import ResourceId
from incidents import event_kinds
from incidents.change_kinds import kind_of
from incidents.events import Event, Setting, correlation_key, mapping, moment_of, short
from incidents.inquiry import Inquiry
from incidents.question import written
from incidents.resources import among
from tools.azure.shared.answers import at
from tools.incidents.sources.apps import tag_keys

DAYS: Final = 14
_MOST_NEAR: Final = 400
_MOST_FAR: Final = 150
_MOST_GROUPS: Final = 12
# Changes to resources of these types can break unrelated resources in the subscription.
_FAR: Final = (
    "microsoft.network",
    "microsoft.authorization",
    "microsoft.keyvault",
    "microsoft.cdn",
    "microsoft.appconfiguration",
)
_VERBS: Final = {"Create": "created", "Update": "changed", "Delete": "deleted"}


async def changes(inquiry: Inquiry) -> list[Event]:
    """Return all changes to related resources, and the important changes in the subscriptions of these resources."""
    near, far = await asyncio.gather(_rows(inquiry, _near(inquiry), _MOST_NEAR), _rows(inquiry, _far(), _MOST_FAR))
    known = {str(row.get("id")): row for row in (*near, *far)}
    return [event for row in known.values() if (event := _event(row))]


async def _rows(inquiry: Inquiry, test: str, limit: int) -> Sequence[Mapping[str, Any]]:
    asked = inquiry.asked
    since = max(asked.since, datetime.now(UTC) - timedelta(days=DAYS))
    tests = [f"at >= datetime({written(since)})", f"at <= datetime({written(asked.last)})", test]
    found = await changes_of(inquiry.azure, inquiry.around.subscriptions, tests, limit)
    return [row for rows in found for row in rows.items]


def _near(inquiry: Inquiry) -> str:
    groups = inquiry.around.groups[:_MOST_GROUPS]
    names = among("resourceGroup", list(dict.fromkeys(ResourceId.of(group).group for group in groups)))
    return f"({names} or {among('what', groups)})"


def _far() -> str:
    return " or ".join(f"tostring(properties.targetResourceType) startswith {text_of(one)}" for one in _FAR).join("()")


def _event(row: Mapping[str, Any]) -> Event | None:
    moment, about = moment_of(when(row)), mapping(at(row, ABOUT))
    target = str(at(row, "properties.targetResourceId") or row.get("what") or "")
    if moment is None or not target:
        return None
    change, settings = str(at(row, "properties.changeType") or ""), _settings(row)
    of_type = str(at(row, "properties.targetResourceType") or "")
    kind = kind_of(of_type, change, settings)
    if change == "Update" and not settings:
        kind = event_kinds.ROUTINE if settings_of(row) else kind
    return Event(
        at=moment,
        source="resource_changes",
        kind=kind,
        what=_VERBS.get(change, "changed"),
        target=target,
        who=short(about.get("changedBy")),
        is_by_azure=about.get("changedByType") == "System",
        settings=settings,
        keys=frozenset((*correlation_key(about.get("correlationId")), *_keys_of_images(settings))),
    )


def _settings(row: Mapping[str, Any]) -> tuple[Setting, ...]:
    pairs = ((path, mapping(values)) for path, values in settings_of(row).items() if not is_noisy(path))
    return tuple(
        Setting(short(path), plain_value(values.get("previousValue")), plain_value(values.get("newValue")))
        for path, values in pairs
    )


def _keys_of_images(settings: Iterable[Setting]) -> Iterator[str]:
    for setting in settings:
        if setting.path.lower().endswith(("image", "fxversion")):
            yield from tag_keys(str(setting.after or ""))
