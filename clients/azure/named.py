"""Resources of one type, and one of them by its id or name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.failures import ServiceRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import Page, Request, of_id
from clients.folding import folded
from clients.kept import SECONDS_KEPT
from refusal import Refusal

Record = Mapping[str, Any]

_NOT_FOUND: Final = 404
_NEVER: Final = -1.0
_MOST: Final = 5000
_NAMED: Final = 30


@dataclass(frozen=True, slots=True)
class Sort:
    """A type of resources, the version in which it is asked for, and what people call one of it."""

    type: str
    version: str
    called: str

    def has(self, place: ResourceId) -> bool:
        return folded(place.type) == folded(self.type) and not place.is_list


async def all_of(azure: Azure, sort: Sort, subscription: str | None, group: str | None, limit: int) -> Page:
    """Those of a subscription, or of one of its groups."""
    values = {"subscription": (await azure.subscription(subscription)).id, **({"group": group} if group else {})}
    within = "/resourceGroups/{group}" if group else ""
    line = f"GET /subscriptions/{{subscription}}{within}/providers/{sort.type}"
    return await azure.page(Request(line, values, version=sort.version), limit)


async def one_called(azure: Azure, sort: Sort, named: str, subscription: str | None, *, anew: bool = False) -> Record:
    """The one of an id, or of a name in a subscription; what was read of it lately is not read again, unless `anew`.

    Raises:
        Refusal: There is none; the text says which there are.
    """
    if "/" in named:
        place = ResourceId.of(named)
        if not sort.has(place):
            raise Refusal(f"This is not the id of a {sort.called}: one ends with /providers/{sort.type}/<name>.")
        return await azure.lately((sort.type, place.key), lambda: read(azure, sort, place), at_most=_age(anew=anew))
    where = (await azure.subscription(subscription)).id
    name = folded(named.strip())
    key = (sort.type, where, name)
    return await azure.lately(key, lambda: _of_name(azure, sort, name, where), at_most=_age(anew=anew))


def _age(*, anew: bool) -> float:
    """How old what was read may be."""
    return _NEVER if anew else SECONDS_KEPT


async def read(azure: Azure, sort: Sort, place: ResourceId) -> Record:
    return await azure.json(of_id("GET", place, version=sort.version))


async def is_there(azure: Azure, sort: Sort, place: ResourceId) -> bool:
    """Whether there is something of this id, or a part of it, at this moment."""
    try:
        await read(azure, sort, place)
    except ServiceRefusal as refusal:
        if refusal.status != _NOT_FOUND:
            raise
        return False
    return True


async def _of_name(azure: Azure, sort: Sort, name: str, subscription: str) -> Record:
    page = await all_of(azure, sort, subscription, None, _MOST)
    for record in page.items:
        if folded(str(record.get("name"))) == name:
            found: Record = record
            return found
    raise Refusal(_which(sort, name, [str(record.get("name")) for record in page.items]))


def _which(sort: Sort, name: str, there: list[str]) -> str:
    if not there:
        return f"This subscription has no {sort.called} that you may see. Pass another `subscription`."
    more = f" and {len(there) - _NAMED} more" if len(there) > _NAMED else ""
    names = ", ".join(there[:_NAMED])
    return f"This subscription has no {sort.called} {name!r}. There are {names}{more}. Or pass another `subscription`."
