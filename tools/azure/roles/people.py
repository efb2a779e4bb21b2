"""Who those are that have rights: by name where Microsoft Graph may be asked, else by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clients.azure import directory
from clients.azure.client import Azure
from clients.azure.directory import NOT_READ, Known, Members
from clients.azure.ids import is_guid
from refusal import Refusal
from tools.answers import Json, present
from tools.azure.account.who import Identity
from tools.azure.shared.rights import why
from tools.side_by_side import side_by_side

_MOST_LOOKED_UP: Final = 60
_MOST_GROUPS: Final = 20
_MOST_MEMBERS: Final = 25
_SECONDS: Final = 15.0
_GROUP: Final = "Group"
_PERSON: Final = "User"

# Somebody, by kind and id.
Somebody = tuple[str, str]


@dataclass
class People:
    """What is known of some, by their ids."""

    known: dict[str, Known] = field(default_factory=dict)
    members: dict[str, Members] = field(default_factory=dict)
    not_opened: list[str] = field(default_factory=list)
    note: str = ""

    def told(self, principal: str) -> Json:
        """Somebody, as far as it is known who it is."""
        one, members = self.known.get(principal.lower()), self.members.get(principal.lower())
        named = {"name": one.name, "sign_in": one.sign_in} if one else {}
        return present({"id": principal, **named, **(_told(members) if members else {})})

    @property
    def gaps(self) -> Json:
        return present({"groups_not_opened": self.not_opened, "note": self.note})


def _told(members: Members) -> Json:
    shown = [present({"name": one.name, "sign_in": one.sign_in}) or one.id for one in members.people[:_MOST_MEMBERS]]
    more = len(members.people) - len(shown)
    rest = f"{more}{' or more' if members.has_more else ''}" if more or members.has_more else None
    return {"members": shown or "none", "more_members": rest}


async def looked_up(azure: Azure, somebody: Iterable[Somebody], *, opening: bool = True) -> People:
    """Who they are, and who is in their groups, if those are wanted."""
    found = People()
    distinct = dict.fromkeys((kind, one.lower()) for kind, one in somebody if is_guid(one))
    groups = [one for kind, one in distinct if kind == _GROUP] if opening else []
    if not azure.reads_directory:
        found.not_opened, found.note = groups, NOT_READ if distinct else ""
        return found
    wanted = [(kind, one) for kind, one in distinct if kind in {_GROUP, _PERSON}]
    await _look_up(azure, found, wanted[:_MOST_LOOKED_UP], set(groups[:_MOST_GROUPS]))
    found.not_opened = [one for one in groups if one not in found.members]
    return found


async def _look_up(azure: Azure, found: People, wanted: Sequence[Somebody], opened: set[str]) -> None:
    async def ask(somebody: Somebody) -> None:
        kind, one = somebody
        look = directory.group if kind == _GROUP else directory.person
        found.known[one] = await look(azure, one)
        if one in opened:
            found.members[one] = await directory.members(azure, one)

    reading = await side_by_side({one: (kind, one) for kind, one in wanted}, ask, seconds=_SECONDS)
    if reading.failed:
        found.note = f"Of some it is not known who they are: {why(next(iter(reading.failed.values())))}"


async def meant_person(azure: Azure, text: str | None, me: Identity) -> Known:
    """Whose rights are asked for: one's own, or those of a sign-in name or an object id.

    Raises:
        Refusal: It cannot be told who that is.
    """
    named = (text or "me").strip()
    if named.lower() in {"me", me.id.lower(), me.sign_in.lower()}:
        if not me.id:
            raise Refusal("Azure's token does not tell who you are. Pass an object id.")
        return Known(me.id, me.name, me.sign_in)
    if is_guid(named):
        return Known(named, "")
    if not azure.reads_directory:
        raise Refusal(f"{NOT_READ} Until then, pass the object id of the person, group or app.")
    return await directory.signed_in_as(azure, named)


def principal_of(properties: Mapping[str, Any]) -> Somebody:
    return str(properties.get("principalType") or ""), str(properties.get("principalId") or "")
