"""Looks up the names of actors: the activity log and recorded changes contain names of people, but only ids of apps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from clients.answers import Json
from clients.azure import directory
from clients.azure.client import Azure
from clients.azure.directory import DirectoryEntry
from clients.azure.ids import is_guid
from clients.side_by_side import side_by_side
from tools.azure.shared.principals import GONE, looked_up

_MOST_APPLICATIONS: Final = 5
_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Actors:
    """Maps the ids of actors to their names. `note` says why some names could not be looked up."""

    names: dict[str, str] = field(default_factory=dict)
    note: str = ""

    def name(self, actor: object) -> str:
        """Return the name for an id. Return any other text unchanged."""
        text = str(actor or "")
        return self.names.get(text.lower(), text)

    def named(self, rows: Iterable[Json]) -> list[Json]:
        return [{**row, "by": self.name(row["by"])} if row.get("by") else row for row in rows]


async def actors_of(azure: Azure, actors: Iterable[object]) -> Actors:
    """Look up the names of actors that are given only by id."""
    ids = sorted({str(one).lower() for one in actors if is_guid(str(one))})
    if not ids:
        return Actors()
    people = await looked_up(azure, (("", one) for one in ids), opening=False)
    known = people.known | await _applications(azure, sorted(people.gone))
    named = {one: known[one].name for one in ids if one in known and known[one].name}
    gone = {one: f"{one} ({GONE})" for one in people.gone if one not in known}
    return Actors(named | gone, people.note)


async def _applications(azure: Azure, ids: list[str]) -> dict[str, DirectoryEntry]:
    """Look up apps by application id, which differs from the id of the app's service principal."""
    found: dict[str, DirectoryEntry] = {}

    async def ask(one: str) -> None:
        if app := await directory.app_of(azure, one):
            found[one] = app

    await side_by_side({one: one for one in ids[:_MOST_APPLICATIONS]}, ask, seconds=_SECONDS)
    return found
