"""Where something is: subscriptions and groups as a tool is asked for them, and ids as an answer shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure.client import Azure, Subscription
from clients.azure.ids import ResourceId
from tools.azure.shared.answers import Json

# In which Azure's specification has what groups and resources are asked.
VERSION: Final = "2024-07-01"
_MOST_NAMES: Final = 20
_SHORTEST_SHARED: Final = 20

Subscriptions = Annotated[
    str | Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)] | None,
    Field(description="Names or ids; default: all"),
]


async def meant(azure: Azure, named: str | Sequence[str] | None) -> list[Subscription]:
    """The subscriptions that are named, or all that the caller may see.

    Raises:
        Refusal: There is no such one, or none at all.
    """
    if not named:
        return await azure.subscriptions() or [await azure.subscription()]
    names = [named] if isinstance(named, str) else named
    return [await azure.subscription(name) for name in dict.fromkeys(names)]


def told(asked: Sequence[Subscription]) -> str:
    """Which subscriptions a question was about: of others an answer says nothing, and does not say so."""
    names = ", ".join(one.name or one.id for one in asked[:_MOST_NAMES])
    return names + (f" and {len(asked) - _MOST_NAMES} more" if len(asked) > _MOST_NAMES else "")


def scope_of(subscription: Subscription, group: str | None) -> ResourceId:
    text = f"/subscriptions/{subscription.id}"
    return ResourceId.of(f"{text}/resourceGroups/{group}" if group else text)


def type_and_name(resource_id: str) -> tuple[str, str]:
    """Both as Azure says them, `Microsoft.Sql/servers/databases` and `shop/orders`, of an id of any form."""
    place = resource_id.lower().rfind("/providers/")
    own = resource_id[place:].split("/")[2:] if place >= 0 else resource_id.strip("/").split("/")
    return "/".join([*own[:1], *own[1::2]]), "/".join(own[2::2])


def shortened(records: Iterable[Mapping[str, Any]], *names: str) -> Json:
    """Records whose ids under these names leave out with what all of them begin, told once as `idsBeginWith`."""
    found = list(records)
    ids = [str(record[name]) for record in found for name in names if record.get(name)]
    shared = _shared_beginning(ids)
    if len(shared) < _SHORTEST_SHARED:
        return {"items": found}
    return {
        "idsBeginWith": shared,
        "items": [{name: _without(value, shared, name in names) for name, value in one.items()} for one in found],
    }


def _without(value: Any, shared: str, is_id: bool) -> Any:
    return str(value)[len(shared) :] if is_id and value else value


def _shared_beginning(ids: Sequence[str]) -> str:
    """As far as it goes in whole segments, whatever the case of its letters; no further than to the first provider."""
    if not ids:
        return ""
    lowest, highest = min(ids, key=str.lower), max(ids, key=str.lower)
    low, high = lowest.split("/"), highest.split("/")
    number = 0
    for one, other in zip(low[:-1], high[:-1], strict=False):
        if one.lower() != other.lower() or (number and low[number - 1].lower() == "providers"):
            break
        number += 1
    shared = "".join(f"{segment}/" for segment in low[:number])
    # The small form of some letters is longer than they are.
    return shared if all(one[: len(shared)].lower() == shared.lower() for one in ids) else ""
