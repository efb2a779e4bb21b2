"""Looks up principals: by name if Microsoft Graph is readable, otherwise by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clients.answers import Json, present
from clients.azure import directory
from clients.azure.client import Azure
from clients.azure.directory import NOT_READ, DirectoryEntry, Members
from clients.azure.ids import is_guid
from clients.side_by_side import side_by_side
from refusal import Refusal
from tools.azure.shared.rights import why

_MOST_LOOKED_UP: Final = 60
_MOST_GROUPS: Final = 20
_MOST_MEMBERS: Final = 25
_SECONDS: Final = 15.0
GONE: Final = "no longer in the directory"
_GROUP: Final = "Group"
_PERSON: Final = "User"

# The kind and id of a principal.
Somebody = tuple[str, str]


@dataclass
class People:
    """The known facts about principals, keyed by their ids."""

    known: dict[str, DirectoryEntry] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    members: dict[str, Members] = field(default_factory=dict)
    not_opened: list[str] = field(default_factory=list)
    note: str = ""

    def entry_of(self, principal: str) -> Json:
        """Return the known details of a principal."""
        one, members = self.known.get(principal.lower()), self.members.get(principal.lower())
        named: Json = {"name": one.name, "sign_in": one.sign_in} if one else {}
        if principal.lower() in self.gone:
            named = {"gone": GONE}
        return present({"id": principal, **named, **(_entry(members) if members else {})})

    @property
    def gaps(self) -> Json:
        return present({"groups_not_opened": self.not_opened, "note": self.note})


def _entry(members: Members) -> Json:
    shown = [present({"name": one.name, "sign_in": one.sign_in}) or one.id for one in members.people[:_MOST_MEMBERS]]
    more = len(members.people) - len(shown)
    rest = f"{more}{' or more' if members.has_more else ''}" if more or members.has_more else None
    return {"members": shown or "none", "more_members": rest}


async def looked_up(azure: Azure, somebody: Iterable[Somebody], *, opening: bool = True) -> People:
    """Look up principals and, optionally, the members of groups."""
    found = People()
    distinct = dict.fromkeys((kind, one.lower()) for kind, one in somebody if is_guid(one))
    groups = [one for kind, one in distinct if kind == _GROUP] if opening else []
    if not azure.reads_directory:
        found.not_opened, found.note = groups, NOT_READ if distinct else ""
        return found
    await _look_up(azure, found, list(distinct))
    await _open(azure, found, [one for one in groups if one not in found.gone][:_MOST_GROUPS])
    found.not_opened = [one for one in groups if one not in found.members]
    return found


async def _look_up(azure: Azure, found: People, wanted: Sequence[Somebody]) -> None:
    ids = list(dict.fromkeys(one for _, one in wanted))
    asked = ids[: directory.MOST_IDS]
    if not asked:
        return
    try:
        found.known = await directory.by_ids(azure, asked)
    except Refusal as refusal:
        each = [one for one in wanted if one[0] in {_GROUP, _PERSON}]
        await _look_up_one_by_one(azure, found, each)
        if len(each) < len(wanted) and not found.note:
            found.note = f"Some principals could not be identified: {why(refusal)}"
        return
    found.gone = set(asked) - found.known.keys()
    if len(ids) > len(asked):
        found.note = f"{len(ids) - len(asked)} principals were not looked up: narrow the request."


async def _look_up_one_by_one(azure: Azure, found: People, wanted: Sequence[Somebody]) -> None:
    """Look up users and groups one by one, for tenants where the caller cannot read the whole directory."""

    async def ask(somebody: Somebody) -> None:
        kind, one = somebody
        look = directory.group if kind == _GROUP else directory.person
        found.known[one] = await look(azure, one)

    reading = await side_by_side({one: (kind, one) for kind, one in wanted[:_MOST_LOOKED_UP]}, ask, seconds=_SECONDS)
    if reading.failed:
        found.note = f"Some principals could not be identified: {why(next(iter(reading.failed.values())))}"


async def _open(azure: Azure, found: People, groups: Sequence[str]) -> None:
    async def ask(group: str) -> None:
        found.members[group] = await directory.members(azure, group)

    reading = await side_by_side({one: one for one in groups}, ask, seconds=_SECONDS)
    if reading.failed and not found.note:
        found.note = f"Some principals could not be identified: {why(next(iter(reading.failed.values())))}"


def principal_of(properties: Mapping[str, Any]) -> Somebody:
    return str(properties.get("principalType") or ""), str(properties.get("principalId") or "")
