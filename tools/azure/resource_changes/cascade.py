"""Finds what Azure deletes together with a resource although it is elsewhere.

Examples are the group with the nodes of a cluster, and the disks that are marked for deletion with a virtual machine.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
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
from tools.azure.shared.inspecting import Inspected, inspect

_MACHINE: Final = "microsoft.compute/virtualmachines"
_MOST_GROUPS: Final = 1000
_MOST: Final = 50
_SECONDS: Final = 20.0


@dataclass
class Cascade:
    """The groups and resources elsewhere that are deleted too. `contents` contains the resources of these groups."""

    groups: list[Json] = field(default_factory=list)
    resources: list[Json] = field(default_factory=list)
    contents: list[Mapping[str, Any]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    lists_all: bool = True
    missing: list[str] = field(default_factory=list)

    @property
    def facts(self) -> dict[str, Fact]:
        groups = sorted(str(one.get("name")) for one in self.groups)
        resources = sorted(" ".join(type_and_name(str(one.get("id")))) for one in self.resources)
        return {"groups deleted with it": first_of(groups), "also deleted": first_of(resources)}

    @property
    def reached(self) -> list[AffectedResource]:
        read = [AffectedResource(str(one.get("id")), "delete", one, None) for one in (*self.groups, *self.resources)]
        return [*read, *(AffectedResource(one, "delete", None, None) for one in self.unread)]

    def joined(self, contents: ContainedResources) -> ContainedResources:
        """Add what is deleted elsewhere to the contents of the deleted resource."""
        known = {folded(str(one.get("id"))) for one in contents.items}
        more = [one for one in (*self.resources, *self.contents) if folded(str(one.get("id"))) not in known]
        return ContainedResources([*contents.items, *more], contents.has_more or not self.lists_all)


async def inspected_with(
    azure: Azure, scope: ResourceId, known: Inspected, contents: ContainedResources, cascade: Cascade
) -> Inspected:
    """Inspect a group or resource together with everything that is deleted with it."""
    if not (contents.items or contents.has_more or cascade.reached):
        return known
    return await inspect(
        azure,
        scope,
        seen=[{**(known.document(scope) or {}), "id": scope.text}],
        within=contents.items,
        lists_all=not contents.has_more,
        reached=cascade.reached,
    )


async def cascade_of(azure: Azure, deleted: Sequence[Mapping[str, Any]]) -> Cascade:
    """Find what Azure deletes elsewhere with these resources, which are all in one subscription."""
    cascade = Cascade()
    if ids := [one for one in map(resource_of, deleted) if one and one.subscription]:
        await _find_groups(azure, ids, cascade)
    await _find_resources(azure, deleted, cascade)
    return cascade


async def _find_groups(azure: Azure, deleted: Sequence[ResourceId], cascade: Cascade) -> None:
    """Find the groups that the deleted resources manage, and the resources in these groups."""
    subscription, keys = ResourceId.of_subscription(deleted[0].subscription), {one.key for one in deleted}

    async def list_groups(_name: str) -> None:
        page = await azure.page(of_id("GET", subscription, "/resourcegroups", version=VERSION), _MOST_GROUPS)
        managers = [(one, str(one.get("managedBy") or "")) for one in page.items]
        cascade.groups += [one for one, by in managers if folded(by) in keys or is_in({"id": by}, *deleted)]

    async def list_contents(group: str) -> None:
        inner = await in_group(azure, ResourceId.of(group))
        cascade.contents += inner.items
        cascade.lists_all &= not inner.has_more

    unread = await _read(["groups that are deleted with it"], list_groups, cascade)
    unread += await _read([str(one["id"]) for one in cascade.groups], list_contents, cascade)
    cascade.lists_all &= not unread


async def _find_resources(azure: Azure, deleted: Sequence[Mapping[str, Any]], cascade: Cascade) -> None:
    """Find the resources that are marked for deletion with the deleted resources, and are not among them."""
    machines: list[Json] = []

    async def read_machine(machine: str) -> None:
        machines.append(await azure.json(of_id("GET", ResourceId.of(machine))))

    async def read_marked(resource: str) -> None:
        cascade.resources.append({**await azure.json(of_id("GET", ResourceId.of(resource))), "id": resource})

    # Entries of Azure's list of resources do not contain the disks of a virtual machine.
    await _read([str(one["id"]) for one in deleted if _is_listed_machine(one)], read_machine, cascade)
    known = {folded(str(one.get("id"))) for one in deleted}
    # A network interface can be marked, and its public IP address is marked in the interface.
    for documents in ([*deleted, *machines], cascade.resources):
        marked = {folded(one): one for document in documents for one in _marked(document)}
        cascade.unread += await _read([one for key, one in marked.items() if key not in known], read_marked, cascade)
        known |= marked.keys()


def _is_listed_machine(entry: Mapping[str, Any]) -> bool:
    return folded(str(entry.get("type"))) == _MACHINE and "properties" not in entry


async def _read(names: Sequence[str], ask: Callable[[str], Awaitable[None]], cascade: Cascade) -> list[str]:
    """Read the first of these. Return the names of those that were not read, and say in `missing` why."""
    reading = await side_by_side({name: name for name in names[:_MOST]}, ask, seconds=_SECONDS)
    unread = [name for name in reading.names if name not in reading.read]
    cascade.missing += [f"{name}: {reading.reason(name)}" for name in unread]
    if more := names[_MOST:]:
        cascade.missing.append(f"{len(more)} other resources that are deleted with it")
    return [*unread, *more]


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
