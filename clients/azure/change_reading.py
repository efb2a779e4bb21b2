"""Changes of resources as Resource Graph keeps them for two weeks: asked for, and read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clients.answers import at
from clients.azure.client import Azure
from clients.azure.graph import GraphRows, ready_made, rows_of, text_of
from clients.azure.ids import ResourceId

# Where a change says who made it, and with what.
ABOUT: Final = "properties.changeAttributes"
_TABLES: Final = ("resourcechanges", "resourcecontainerchanges")
_LONGEST_VALUE: Final = 200
# Settings that Azure itself changes whenever anything is done.
_NOISE: Final = (
    "provisioningstate etag changedtime lastmodifiedtime lastmodifiedtimeutc lastmodifiedat lastmodifiedby"
    " lastmodifiedbytype lastmodified updatedtime lastupdatedtime resourceguid instanceid"
).split()


async def changes_of(azure: Azure, subscriptions: Sequence[str], tests: Sequence[str], limit: int) -> list[GraphRows]:
    """The newest changes for which all tests hold, of resources and of groups.

    A test may speak of `at`, when it was, and of `what`, the id of the resource.
    """
    steps = [
        "extend at = todatetime(properties.changeAttributes.timestamp), what = tostring(properties.targetResourceId)",
        *(f"where {test}" for test in tests),
        "project id, at, what, properties",
        "order by at desc",
    ]
    return [await rows_of(azure.send, ready_made(subscriptions, table, *steps), limit) for table in _TABLES]


def of_resource(resource: str) -> str:
    """The test of a resource with all below it, or of all whose id has these letters."""
    if not resource.startswith("/"):
        return f"what contains {text_of(resource)}"
    place = ResourceId.of(resource).text
    return f"(what =~ {text_of(place)} or what startswith {text_of(place + '/')})"


def when(row: Mapping[str, Any]) -> str:
    return str(at(row, f"{ABOUT}.timestamp") or row.get("at") or "")


def settings_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """What was changed, by its path."""
    found = at(row, "properties.changes")
    return {str(path): one for path, one in found.items()} if isinstance(found, Mapping) else {}


def told_value(value: Any) -> Any:
    """What a setting was or became; None where it is not there, which Azure writes as the text `null`."""
    if value in (None, "null"):
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) > _LONGEST_VALUE:
        return f"{text[:_LONGEST_VALUE]}…"
    return value


def said(value: Any) -> Any:
    return None if value == "Unspecified" else value


def is_noisy(path: str) -> bool:
    return path.rpartition(".")[2].lower() in _NOISE or path.lower().startswith("systemdata")


def is_noise(row: Mapping[str, Any]) -> bool:
    """Whether a change is of nothing but what Azure changes by itself."""
    settings = settings_of(row)
    return bool(settings) and at(row, "properties.changeType") == "Update" and all(map(is_noisy, settings))
