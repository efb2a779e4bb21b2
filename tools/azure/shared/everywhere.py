"""Reads lists in all subscriptions that the caller can see, unless a subscription is named. Many list tools use this
module.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from clients.answers import some_of
from clients.azure.client import Azure, Subscription
from clients.azure.ids import ResourceId
from clients.azure.named import Sort, all_of, group_called, groups_called
from clients.messages import ListPage
from clients.side_by_side import Rank, SourceReading, side_by_side
from refusal import Refusal
from tools.azure.shared.answers import Json, Shape, every, many, without_notice

_SECONDS_EACH: Final = 10.0

V = TypeVar("V")
Read = Callable[[ResourceId], Awaitable[ListPage]]


@dataclass(frozen=True, slots=True)
class SubscriptionRows:
    """Rows from one or more subscriptions. `said` names the subscriptions that were queried, and those that failed."""

    page: ListPage
    said: Json


async def in_each(
    azure: Azure,
    named: str | Sequence[str] | None,
    read: Read,
    limit: int,
    shape: Shape | None = None,
    *,
    group: str | None = None,
    order: Rank | None = None,
    descending: bool = False,
) -> SubscriptionRows:
    """Read up to `limit` rows in the named subscriptions or, by default, in all subscriptions.

    Optionally, read only groups with this name.

    With several subscriptions, each row contains its subscription, and `order` can sort all rows.

    Raises:
        Refusal: No subscription could be read, or none has a group with this name.
    """
    scopes = await scopes_asked(azure, named, group)
    if len(scopes) == 1:
        ((name, scope),) = scopes.items()
        page = _joined({name: await read(scope)}, limit, order, descending=descending)
        return SubscriptionRows(replace(page, items=[_shaped(shape, row) for _, row in page.items]), {"asked": name})
    found: dict[str, ListPage] = {}

    async def ask(name: str) -> None:
        found[name] = await read(scopes[name])

    reading = await side_by_side({name: name for name in scopes}, ask, seconds_each=_SECONDS_EACH)
    reading.refuse_if_none("subscriptions")
    page = _joined({name: found[name] for name in scopes if name in found}, limit, order, descending=descending)
    rows = [{**_shaped(shape, row), "subscription": name} for name, row in page.items]
    return SubscriptionRows(replace(page, items=rows), asked_of(reading))


async def listed(
    azure: Azure,
    named: str | Sequence[str] | None,
    read: Read,
    limit: int,
    shape: Shape | None = None,
    *,
    group: str | None = None,
    order: Rank | None = None,
    descending: bool = False,
    **more: Any,
) -> Json:
    """Return the result of `in_each` as a tool's answer."""
    found = await in_each(azure, named, read, limit, shape, group=group, order=order, descending=descending)
    return many(found.page, **found.said, **more)


async def only_one(
    azure: Azure, subscription: str | None, group: str | None, read: Callable[[ResourceId], Awaitable[V]]
) -> tuple[ResourceId, V]:
    """Return the only match in one or all subscriptions. If `group` is given, search only groups of this name.

    Raises:
        Refusal: No resource matches, or several resources match. The message lists the matches.
    """
    scopes = await scopes_asked(azure, subscription, group)
    if len(scopes) == 1:
        (scope,) = scopes.values()
        return scope, await read(scope)
    found: dict[str, V] = {}

    async def ask(name: str) -> None:
        found[name] = await read(scopes[name])

    reading = await side_by_side({name: name for name in scopes}, ask, seconds_each=_SECONDS_EACH)
    if len(found) > 1:
        raise Refusal(f"Found in several subscriptions: {some_of(list(found))}. Pass `subscription`.")
    reading.refuse_if_none("subscriptions")
    ((name, one),) = found.items()
    return scopes[name], one


async def answered_for_each(
    azure: Azure,
    named: str | None,
    answer_for: Callable[[ResourceId], Awaitable[Json]],
    *,
    group: str | None = None,
) -> Json:
    """Return the answer for the only scope or, if there are several scopes, a list with an answer for each scope."""
    scopes = await scopes_asked(azure, named, group)
    if len(scopes) == 1:
        (scope,) = scopes.values()
        return await answer_for(scope)
    found: dict[str, Json] = {}

    async def ask(name: str) -> None:
        found[name] = await answer_for(scopes[name])

    reading = await side_by_side({name: name for name in scopes}, ask, seconds_each=_SECONDS_EACH)
    reading.refuse_if_none("subscriptions")
    items = [{"subscription": name, **without_notice(found[name])} for name in scopes if name in found]
    return every(items, **asked_of(reading))


def of_sort(azure: Azure, sort: Sort, limit: int) -> Read:
    """Return a function that reads the resources of one type in a subscription or group."""
    return lambda scope: all_of(azure, sort, scope, limit)


def _shaped(shape: Shape | None, row: Any) -> Json:
    return shape(row) if shape else row


async def scopes_asked(
    azure: Azure, named: str | Sequence[str] | None, group: str | None = None
) -> Mapping[str, ResourceId]:
    """Return the named subscriptions (default: all). If `group` is given, return the groups with this name in them."""
    asked = await azure.asked_subscriptions(named)
    names = _names(asked)
    if not group:
        return {names[one.id.lower()]: ResourceId.of_subscription(one.id) for one in asked}
    if len(asked) == 1:
        return {names[asked[0].id.lower()]: place for place in await groups_called(azure, group, asked[0].id)}
    found = await groups_called(azure, group, named)
    return {names[place.subscription.lower()]: place for place in found}


async def scope_called(azure: Azure, group: str | None, subscription: str | None) -> ResourceId:
    """Return the requested scope: the only group with this name or, if no group is given, a subscription.

    Raises:
        Refusal: The scope is ambiguous. The message lists the choices.
    """
    if group:
        return await group_called(azure, group, subscription)
    return ResourceId.of_subscription((await azure.subscription(subscription)).id)


def asked_of(reading: SourceReading) -> Json:
    """Return which subscriptions an answer covers, and which subscriptions could not be read."""
    read = [name for name in reading.names if name in reading.read]
    return {"asked": some_of(read), "notRead": reading.said("subscriptions").get("notRead")}


def _names(asked: Sequence[Subscription]) -> Mapping[str, str]:
    """Return a unique label for each subscription, because two subscriptions may have the same name."""
    names = [one.name for one in asked]
    return {one.id.lower(): one.name if one.name and names.count(one.name) == 1 else one.id for one in asked}


def _joined(found: Mapping[str, ListPage], limit: int, order: Rank | None, *, descending: bool) -> ListPage:
    rows: list[tuple[str, Any]] = [(name, row) for name, page in found.items() for row in page.items]
    if order:
        rows.sort(key=lambda entry: order(entry[1]), reverse=descending)
    pages = found.values()
    has_more = len(rows) > limit or any(page.has_more for page in pages)
    left_out, unreadable = sum(page.left_out for page in pages), sum(page.unreadable for page in pages)
    return ListPage(rows[:limit], has_more, left_out, unreadable)
