"""Finds what Azure deletes together with a resource although it is elsewhere.

Examples are the group with the nodes of a cluster, and the disks that are marked for deletion with a virtual machine.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from changes.preview import Fact
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.resource_scopes import VERSION, type_and_name
from clients.azure.what_if.outlook import AffectedResource
from clients.folding import folded
from clients.side_by_side import side_by_side
from tools.azure.resource_changes.contents import ContainedResources, first_of, in_group
from tools.azure.shared.answers import Json, at
from tools.azure.shared.contained import is_in, resource_of
from tools.azure.shared.inspecting import Inspected, inspect, root_of

_MACHINE: Final = "microsoft.compute/virtualmachines"
_INTERFACE: Final = "microsoft.network/networkinterfaces"
# Resources that manage a group. Their documents contain the name or the ID of this group.
_MANAGERS: Final = frozenset(
    {
        "microsoft.app/managedenvironments",
        "microsoft.containerservice/managedclusters",
        "microsoft.databricks/workspaces",
        "microsoft.redhatopenshift/openshiftclusters",
        "microsoft.solutions/applications",
    }
)
_MANAGED: Final = (
    "nodeResourceGroup",
    "infrastructureResourceGroup",
    "managedResourceGroupId",
    "clusterProfile.resourceGroupId",
)
_MOST_GROUPS: Final = 1000
_MOST: Final = 50
# A group whose resources manage a group, and so on.
_DEEPEST: Final = 5
_SECONDS: Final = 8.0


@dataclass
class Cascade:
    """The groups and resources elsewhere that are deleted too. `contents` contains the resources of these groups.

    `unread` contains the IDs of groups and resources that could not be read. `lists_all` is false if a group contains
    more resources, and `reaches_more` is true if there may be more groups or resources.
    """

    groups: dict[str, Json] = field(default_factory=dict)
    resources: list[Json] = field(default_factory=list)
    contents: list[Mapping[str, Any]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    lists_all: bool = True
    reaches_more: bool = False

    @property
    def facts(self) -> dict[str, Fact]:
        groups = sorted(ResourceId.of(str(one["id"])).name for one in self.groups.values())
        resources = sorted(" ".join(type_and_name(str(one["id"]))) for one in self.resources)
        return {"groups deleted with it": first_of(groups), "also deleted": first_of(resources)}

    @property
    def reached(self) -> list[AffectedResource]:
        read = [
            AffectedResource(str(one["id"]), "delete", one, None) for one in (*self.groups.values(), *self.resources)
        ]
        return [*read, *(AffectedResource(one, "delete", None, None) for one in self.unread)]

    def joined(self, contents: ContainedResources) -> ContainedResources:
        """Add what is deleted elsewhere to the contents of the deleted resource."""
        known = {_key(one) for one in contents.items}
        more = sorted((one for one in (*self.resources, *self.contents) if _key(one) not in known), key=_key)
        return ContainedResources([*contents.items, *more], contents.has_more)


def _key(entry: Mapping[str, Any]) -> str:
    return folded(str(entry.get("id") or ""))


async def inspected_with(
    azure: Azure, scope: ResourceId, known: Inspected, contents: ContainedResources, cascade: Cascade
) -> Inspected:
    """Inspect a group or resource together with everything that is deleted with it."""
    if not (contents.items or contents.has_more or cascade.reached or cascade.reaches_more):
        return known
    return await inspect(
        azure,
        scope,
        seen=[{**(known.document(scope) or {}), "id": scope.text}, *cascade.groups.values()],
        within=contents.items,
        lists_all=cascade.lists_all and not contents.has_more,
        reached=cascade.reached,
        reaches_more=cascade.reaches_more,
    )


async def cascade_of(azure: Azure, deleted: Sequence[Mapping[str, Any]]) -> Cascade:
    """Find what Azure deletes elsewhere with these groups and resources, which are all in one subscription."""
    search = _Search(azure, [one for one in deleted if (found := resource_of(one)) and found.subscription])
    await search.run()
    return search.cascade


class _Search:
    """Searches for groups that are deleted with resources, then for groups that are deleted with these groups, etc."""

    def __init__(self, azure: Azure, deleted: Sequence[Mapping[str, Any]]) -> None:
        self.cascade = Cascade()
        self._azure, self._deleted = azure, deleted
        self._documents: dict[str, Json] = {}
        self._listed: list[Json] = []

    async def run(self) -> None:
        if not self._deleted:
            return
        unread = await self._read(["groups that are deleted with it"], self._list_groups)
        self.cascade.reaches_more |= bool(unread)
        new, depth = list(self._deleted), 0
        while new and depth < _DEEPEST:
            depth += 1
            await self._read_owners(new)
            groups = sorted(self._groups_of(new))
            unread = await self._read(groups, self._read_group)
            before = len(self.cascade.contents)
            unlisted = await self._read([one for one in groups if one not in unread], self._list_contents)
            self.cascade.unread += unread
            self.cascade.lists_all &= not (unread or unlisted)
            new = self.cascade.contents[before:]
        self.cascade.reaches_more |= bool(new)
        await self._find_marked()

    async def _list_groups(self, _name: str) -> None:
        place = ResourceId.of_subscription(self._subscription)
        page = await self._azure.page(of_id("GET", place, "/resourcegroups", version=VERSION), _MOST_GROUPS)
        self._listed = [one for one in page.items if resource_of(one)]
        self.cascade.reaches_more |= page.has_more

    async def _read_owners(self, resources: Iterable[Mapping[str, Any]]) -> None:
        """Read the documents of virtual machines and of managers of groups. Entries of lists are not sufficient."""
        kinds = {_MACHINE, *_MANAGERS}
        owners = [one for one in resources if folded(str(one.get("type"))) in kinds]
        self._documents |= {_key(one): dict(one) for one in owners if "properties" in one}
        listed = sorted(str(one["id"]) for one in owners if "properties" not in one)
        unread = await self._read(listed, self._read_owner)
        self.cascade.reaches_more |= bool(unread)

    async def _read_owner(self, owner: str) -> None:
        self._documents[folded(owner)] = await self._azure.json(of_id("GET", ResourceId.of(owner)))

    def _groups_of(self, resources: Sequence[Mapping[str, Any]]) -> set[str]:
        """Return the IDs of the groups that are deleted with these resources, except known groups."""
        scopes = [found for one in resources if (found := resource_of(one))]
        keys = {one.key for one in scopes}
        managed = [(str(one["id"]), str(one.get("managedBy") or "")) for one in self._listed]
        groups = {group for group, by in managed if folded(by) in keys or is_in({"id": by}, *scopes)}
        groups |= {group for key in keys if key in self._documents for group in self._named_in(self._documents[key])}
        known = {*self.cascade.groups, *map(folded, self.cascade.unread)}
        known |= {root_of(one).key for one in scopes}
        return {one for one in groups if folded(one) not in known}

    def _named_in(self, document: Json) -> Iterator[str]:
        for path in _MANAGED:
            if named := str(at(document, f"properties.{path}") or ""):
                yield named if "/" in named else f"/subscriptions/{self._subscription}/resourceGroups/{named}"

    async def _read_group(self, group: str) -> None:
        listed = next((one for one in self._listed if _key(one) == folded(group)), None)
        place = ResourceId.of(group)
        found = listed or await self._azure.json(of_id("GET", place, version=VERSION))
        self.cascade.groups[place.key] = {**found, "id": place.text}

    async def _list_contents(self, group: str) -> None:
        inner = await in_group(self._azure, ResourceId.of(group))
        self.cascade.contents += inner.items
        self.cascade.lists_all &= not inner.has_more

    async def _find_marked(self) -> None:
        """Find the resources that are marked for deletion with a virtual machine."""
        deleted = {_key(one) for one in (*self._deleted, *self.cascade.contents)}
        documents: list[Json] = []

        async def read(resource: str) -> None:
            documents.append({**await self._azure.json(of_id("GET", ResourceId.of(resource))), "id": resource})

        machines = [self._documents[key] for key in sorted(self._documents) if _is_machine(self._documents[key])]
        marked = _marked_in(machines)
        self.cascade.unread += await self._read([one for key, one in marked.items() if _is_open(key, deleted)], read)
        # A public IP address is marked in the network interface that is marked in the virtual machine.
        inner = _marked_in([one for one in documents if folded(str(one.get("type"))) == _INTERFACE])
        more = [one for key, one in inner.items() if key not in marked and key not in deleted]
        self.cascade.unread += await self._read(more, read)
        self.cascade.resources += sorted((one for one in documents if _key(one) not in deleted), key=_key)

    @property
    def _subscription(self) -> str:
        first = resource_of(self._deleted[0])
        return first.subscription if first else ""

    async def _read(self, names: Sequence[str], ask: Callable[[str], Awaitable[None]]) -> list[str]:
        """Read the first of these. Return the names of those that were not read, and say in `missing` why."""
        reading = await side_by_side({name: name for name in names[:_MOST]}, ask, seconds=_SECONDS)
        unread = [name for name in reading.names if name not in reading.read]
        self.cascade.missing += [f"{name}: {reading.reason(name)}" for name in unread]
        if more := names[_MOST:]:
            self.cascade.missing.append(f"{len(more)} other resources that are deleted with it")
        return [*unread, *more]


def _is_machine(document: Json) -> bool:
    return folded(str(document.get("type"))) == _MACHINE


def _is_open(key: str, deleted: set[str]) -> bool:
    """Whether to read a marked resource: it is elsewhere, or is a network interface, which may mark an IP address."""
    return key not in deleted or f"/{_INTERFACE}/" in key


def _marked_in(documents: Iterable[Json]) -> dict[str, str]:
    """Return the IDs of resources that these documents mark for deletion, by the IDs in lowercase, in a fixed order."""
    ids = [one for document in documents for one in _marked(document)]
    return dict(sorted((folded(one), one) for one in ids if (found := resource_of({"id": one})) and found.subscription))


def _marked(value: Any) -> Iterator[str]:
    """Yield the IDs of resources that are marked for deletion together with the resource of this document."""
    if isinstance(value, Mapping):
        option = value.get("deleteOption") or at(value, "properties.deleteOption")
        named = value.get("id") or at(value, "managedDisk.id")
        if folded(str(option)) == "delete" and named:
            yield str(named)
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _marked(one)
