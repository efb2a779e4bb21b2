"""Finds resources by name in all subscriptions that the caller can see, and reads their current state.

IDs are cached for a few minutes. Cached records may be outdated, and are used only if the caller accepts them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from clients.azure.client import Azure, Subscription
from clients.azure.failures import AzureRefusal
from clients.azure.graph import ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage, of_id
from clients.folding import folded
from clients.kept import SECONDS_KEPT
from clients.together import together
from refusal import Refusal

Record = Mapping[str, Any]

_NOT_FOUND: Final = 404
_NEVER: Final = -1.0
_MOST: Final = 5000
_NAMED: Final = 30
_MOST_OF_A_NAME: Final = 10
_AT_ONCE: Final = 10
_SECONDS: Final = 20.0
# The API version for lists of groups and resources.
_LISTS_VERSION: Final = "2024-07-01"


@dataclass(frozen=True, slots=True)
class Sort:
    """A resource type with its API version and its everyday name."""

    type: str
    version: str
    called: str

    def has(self, place: ResourceId) -> bool:
        return folded(place.type) == folded(self.type) and not place.is_list


@dataclass(frozen=True, slots=True)
class Sorts:
    """Resource types that share an everyday name. If there are no types, resources of all types match."""

    called: str
    each: tuple[Sort, ...] = ()


async def all_of(azure: Azure, sort: Sort, scope: ResourceId, limit: int) -> ListPage:
    """List all resources of this type in a subscription or a resource group."""
    request = of_id("GET", scope, f"/providers/{sort.type}", version=sort.version)
    return with_readable_ids(await azure.page(request, limit))


def with_readable_ids(page: ListPage) -> ListPage:
    """A list without the entries that have an invalid ID. The removed entries are counted."""
    items = [entry for entry in page.items if _has_readable_id(entry)]
    return replace(page, items=items, unreadable=page.unreadable + len(page.items) - len(items))


def _has_readable_id(entry: Record) -> bool:
    try:
        ResourceId.of(str(entry.get("id")))
    except Refusal:
        return False
    return True


async def one_called(azure: Azure, sort: Sort, named: str, subscription: str | None, *, anew: bool = True) -> Record:
    """The current state of the resource with this ID, or of the only resource with this name.

    Unless `anew` is set, the state may be a few minutes old. An older state is sufficient for callers that need only
    the ID or URL.

    Raises:
        Refusal: Several resources match, or no resource does. The error message lists the choices.
    """
    if is_id(named) and not sort.has(ResourceId.of(named)):
        raise Refusal(f"Not the id of {_a(sort.called)}: it must end with /providers/{sort.type}/<name>.")
    _, record = await one_of(azure, Sorts(sort.called, (sort,)), named, subscription, anew=anew)
    return record


async def one_of(
    azure: Azure, sorts: Sorts, named: str, subscription: str | None, *, anew: bool = True
) -> tuple[Sort, Record]:
    """Find the resource with this ID, or the only resource of these types with this name.

    Returns the type and the current state of the resource.

    Raises:
        Refusal: Several resources match, or no resource does. The error message lists the choices.
    """
    if is_id(named):
        return await _read(azure, sorts, ResourceId.of(named), anew=anew)
    search = _Search(azure, named.strip(), sorts)
    place = await _cached(search, subscription)
    if not anew and (record := search.read.get(place.key)):
        return sorts.each[0], record
    try:
        return await _read(azure, sorts, place, anew=anew)
    except AzureRefusal as refusal:
        if refusal.status != _NOT_FOUND:
            raise
    # Search again, because another resource may have had this name when the ID was cached.
    return await _read(azure, sorts, await _cached(search, subscription, anew=True), anew=True)


async def place_called(azure: Azure, named: str, subscription: str | None = None) -> ResourceId:
    """The given ID, or the ID of the only resource with this name, regardless of its type.

    Raises:
        Refusal: Several resources match, or no resource does. The error message lists the choices.
    """
    if is_id(named):
        return ResourceId.of(named)
    return await _cached(_Search(azure, named.strip(), Sorts("resource")), subscription)


def is_id(named: str) -> bool:
    return named.strip().startswith("/")


def _a(noun: str) -> str:
    """Add the article to a noun."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


async def read(azure: Azure, sort: Sort, place: ResourceId) -> Record:
    return await azure.json(of_id("GET", place, version=sort.version))


async def _read(azure: Azure, sorts: Sorts, place: ResourceId, *, anew: bool) -> tuple[Sort, Record]:
    sort = next((one for one in sorts.each if one.has(place)), None)
    if sort is None:
        raise Refusal(f"This is the id of a resource of type {place.type}, not of {_a(sorts.called)}.")
    if anew:
        return sort, await read(azure, sort, place)
    return sort, await azure.lately((sort.type, place.key), lambda: read(azure, sort, place))


async def is_there(azure: Azure, sort: Sort, place: ResourceId) -> bool:
    """Whether the resource with this ID exists now."""
    try:
        await read(azure, sort, place)
    except AzureRefusal as refusal:
        if refusal.status != _NOT_FOUND:
            raise
        return False
    return True


async def groups_called(azure: Azure, name: str, subscription: str | Sequence[str] | None) -> list[ResourceId]:
    """All resource groups with this name.

    If only one subscription is searched, the group's ID in this subscription is returned, even if the group does not
    exist.

    Raises:
        Refusal: None of the subscriptions contains this group.
    """
    asked = await azure.asked_subscriptions(subscription)
    if len(asked) == 1:
        return [ResourceId.of(f"/subscriptions/{asked[0].id}/resourceGroups/{name}")]
    found: list[ResourceId] = []

    async def look(one: Subscription) -> None:
        place = ResourceId.of(f"/subscriptions/{one.id}/resourceGroups/{name}")
        try:
            await azure.send(of_id("GET", place, version=_LISTS_VERSION))
        except AzureRefusal as refusal:
            if refusal.status != _NOT_FOUND:
                raise
        else:
            found.append(place)

    unread = await _side_by_side(asked, look)
    if not found:
        raise Refusal(_absent("resource group", name, asked, unread, "Use list_resource_groups to find groups."))
    order = [one.id.lower() for one in asked]
    return sorted(found, key=lambda place: order.index(place.subscription.lower()))


async def group_called(azure: Azure, name: str, subscription: str | None) -> ResourceId:
    """The only resource group with this name.

    Raises:
        Refusal: Several subscriptions contain this group, or no subscription does. The message lists the subscriptions.
    """
    found = await groups_called(azure, name, subscription)
    if len(found) == 1:
        return found[0]
    names = {one.id.lower(): one.name for one in await azure.subscriptions()}
    there = ", ".join(names.get(place.subscription.lower(), place.subscription) for place in found)
    raise Refusal(f"Several subscriptions have a resource group {name!r}: {there}. Pass `subscription`.")


async def _cached(search: _Search, subscription: str | None, *, anew: bool = False) -> ResourceId:
    asked = await search.azure.asked_subscriptions(subscription)
    key = ("id", search.sorts.called, folded(search.name), tuple(one.id for one in asked))
    return await search.azure.lately(key, lambda: search.among(asked), at_most=_NEVER if anew else SECONDS_KEPT)


@dataclass(frozen=True, slots=True)
class _Search:
    """Searches for the only resource with this name, either among certain types or among all types."""

    azure: Azure
    name: str
    sorts: Sorts
    # Resource records that the search has read from lists.
    read: dict[str, Record] = field(default_factory=dict)

    async def among(self, asked: Sequence[Subscription]) -> ResourceId:
        if len(asked) == len(self.sorts.each) == 1:
            return await self._from_list(asked[0], self.sorts.each[0])
        found = await self._indexed(asked)
        unread: list[str] = []
        if not found:
            found, unread = await self._listed_in_each(asked)
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(place.text for place in found)
            raise Refusal(f"Several {self.sorts.called}s have this name. Pass one of these ids: {ids}.")
        raise Refusal(_absent(self.sorts.called, self.name, asked, unread, await self._advice(asked)))

    async def _advice(self, asked: Sequence[Subscription]) -> str:
        """A sentence with the names of existing resources, which helps to find a typo."""
        names = [place.name for place in await self._rows(asked, "", _NAMED + 1)] if self.sorts.each else []
        if names:
            return f"Available: {_some(names[:_NAMED])}{' and more' if len(names) > _NAMED else ''}."
        return "Use list_resources to search by part of a name. Ids start with /subscriptions/."

    async def _from_list(self, one: Subscription, sort: Sort) -> ResourceId:
        """Search for the resource in the only list that can contain it.

        Unlike Resource Graph, lists are never outdated.
        """
        page = await all_of(self.azure, sort, ResourceId.of_subscription(one.id), _MOST)
        for record in page.items:
            if folded(str(record.get("name"))) == folded(self.name):
                place = ResourceId.of(str(record.get("id")))
                self.read[place.key] = record
                return place
        raise self._not_listed(one, [str(record.get("name")) for record in page.items])

    def _not_listed(self, one: Subscription, listed: Sequence[str]) -> Refusal:
        names = _some(listed)
        nothing = f"You do not have access to any {self.sorts.called} in this subscription."
        there = f"Available: {names}." if names else nothing
        return Refusal(
            f"No {self.sorts.called} {self.name!r} found in {one.name or one.id}: it does not exist, or you do not"
            f" have access. {there} To search elsewhere, pass another `subscription`."
        )

    async def _indexed(self, asked: Sequence[Subscription]) -> list[ResourceId]:
        """Search with Resource Graph. One query covers all subscriptions, but the data may be a few minutes old."""
        return await self._rows(asked, f"name =~ {text_of(self.name)}", _MOST_OF_A_NAME)

    async def _rows(self, asked: Sequence[Subscription], named: str, limit: int) -> list[ResourceId]:
        types = ", ".join(text_of(one.type) for one in self.sorts.each)
        tests = [*([f"type in~ ({types})"] if types else []), *([named] if named else [])]
        steps = (f"where {' and '.join(tests)}", "project id", "order by id asc")
        request = ready_made([one.id for one in asked], "resources", *steps)
        try:
            rows = await rows_of(self.azure.send, request, limit)
        except AzureRefusal:
            return []  # an empty result, so that the search continues in lists
        return [ResourceId.of(str(row.get("id"))) for row in rows.items]

    async def _listed_in_each(self, asked: Sequence[Subscription]) -> tuple[list[ResourceId], list[str]]:
        """Search the lists of Resource Manager. Also return the subscriptions whose lists could not be read."""
        found: dict[str, ResourceId] = {}
        quoted = self.name.replace("'", "''")
        query = {"$filter": f"name eq '{quoted}'"}

        async def look(one: Subscription) -> None:
            scope = ResourceId.of_subscription(one.id)
            request = of_id("GET", scope, "/resources", query=query, version=_LISTS_VERSION)
            for record in (await self.azure.page(request, _MOST_OF_A_NAME)).items:
                place = ResourceId.of(str(record.get("id")))
                if not self.sorts.each or any(sort.has(place) for sort in self.sorts.each):
                    found[place.key] = place

        unread = await _side_by_side(asked, look)
        return [found[key] for key in sorted(found)], unread


async def _side_by_side(asked: Sequence[Subscription], look: Callable[[Subscription], Awaitable[None]]) -> list[str]:
    """Search several subscriptions, a few at a time. Returns the names of the subscriptions that could not be read."""
    waiting, unread = deque(asked), [one.name for one in asked]

    async def work() -> None:
        while waiting:
            one = waiting.popleft()
            try:
                await look(one)
            except Refusal:
                continue  # the subscription stays in `unread`
            unread.remove(one.name)

    await together(work, min(_AT_ONCE, len(asked)), _SECONDS)
    return unread


def _absent(called: str, name: str, asked: Sequence[Subscription], unread: Sequence[str], advice: str) -> str:
    where = _some([one.name or one.id for one in asked])
    gaps = f" Could not search {_some(unread)}." if unread else ""
    return f"No {called} named {name!r} found in {where}: it does not exist, or you do not have access.{gaps} {advice}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
