"""Reads changes to resources from Resource Graph, which keeps each change for two weeks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clients.answers import at
from clients.azure.client import Azure
from clients.azure.graph import GraphRows, ready_made, rows_of, text_of
from clients.azure.ids import ResourceId

# The path of the values that describe a change: the person and the client that made it.
ABOUT: Final = "properties.changeAttributes"
_TABLES: Final = ("resourcechanges", "resourcecontainerchanges")
_LONGEST_VALUE: Final = 200
# Settings that Azure updates with every change.
_NOISE: Final = (
    "provisioningstate etag changedtime lastmodifiedtime lastmodifiedtimeutc lastmodifiedat lastmodifiedby"
    " lastmodifiedbytype lastmodified updatedtime lastupdatedtime resourceguid instanceid"
).split()


async def changes_of(azure: Azure, subscriptions: Sequence[str], tests: Sequence[str], limit: int) -> list[GraphRows]:
    """Find the newest changes to resources and groups. Only changes that match all tests are returned.

    A test can use `at` (the time of the change) and `what` (the ID of the resource).
    """
    steps = [
        "extend at = todatetime(properties.changeAttributes.timestamp), what = tostring(properties.targetResourceId)",
        *(f"where {test}" for test in tests),
        "project id, at, what, properties",
        "order by at desc",
    ]
    return [await rows_of(azure.send, ready_made(subscriptions, table, *steps), limit) for table in _TABLES]


def of_resource(resource: str) -> str:
    """Build a test. If `resource` is an ID, the test matches this resource and everything in it; otherwise, it matches
    all resources whose ID contains the text in `resource`.
    """
    if not resource.startswith("/"):
        return f"what contains {text_of(resource)}"
    place = ResourceId.of(resource).text
    return f"(what =~ {text_of(place)} or what startswith {text_of(place + '/')})"


def when(row: Mapping[str, Any]) -> str:
    return str(at(row, f"{ABOUT}.timestamp") or row.get("at") or "")


def settings_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The properties that a change modified. Each key is the path of a property."""
    found = at(row, "properties.changes")
    return {str(path): one for path, one in found.items()} if isinstance(found, Mapping) else {}


def plain_value(value: Any) -> Any:
    """The value of a setting before or after a change.

    None if the setting did not exist. Azure writes `null` in this case.
    """
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
    """Whether the change only modified settings that Azure updates itself."""
    settings = settings_of(row)
    return bool(settings) and at(row, "properties.changeType") == "Update" and all(map(is_noisy, settings))
