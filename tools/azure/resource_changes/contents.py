"""Finds what a group or resource contains, what data is lost with it, and which other resources depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from changes.preview import Fact
from clients.azure.client import Azure
from clients.azure.graph import ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.azure.resource_scopes import type_and_name
from clients.side_by_side import first_sentence
from refusal import Refusal
from tools.azure.resource_changes.losses import is_lost, kept_for
from tools.azure.shared.contained import MOST_CONTAINED, contained_in, is_in

_MOST_NAMED: Final = 20
_MOST_DEPENDENT: Final = 20
_MARK: Final = 8


@dataclass(frozen=True, slots=True)
class ContainedResources:
    """Resources that are deleted together. `items` contains each resource's entry from Azure's resource list."""

    items: Sequence[Mapping[str, Any]]
    has_more: bool = False

    @property
    def facts(self) -> dict[str, Fact]:
        """The number and names of the resources by type, and what happens to their data."""
        by_type: dict[str, list[str]] = {}
        for kind, name in self._names_and_kinds:
            by_type.setdefault(kind, []).append(name)
        lost = [f"{name} ({kind})" for kind, name in self._names_and_kinds if is_lost(kind)]
        kept = [f"{name} ({kind}): {kept_for(kind)}" for kind, name in self._names_and_kinds if kept_for(kind)]
        return {
            "resources in it": len(self.items),
            "by type": [f"{kind} ({len(names)}): {_listed(names)}" for kind, names in sorted(by_type.items())],
            "holds data that cannot be restored": first_of(lost),
            "can be recovered for a while": first_of(kept),
        }

    @property
    def missing(self) -> list[str]:
        return [f"other contents: there are more than {MOST_CONTAINED} resources"] if self.has_more else []

    @property
    def grave(self) -> str:
        """The reason why another person has to approve: data would be lost permanently."""
        lost = sorted(name for kind, name in self._names_and_kinds if is_lost(kind))
        return f"The data cannot be restored: {_listed(lost)}." if lost else ""

    @property
    def _names_and_kinds(self) -> list[tuple[str, str]]:
        return sorted(_type_and_name(one) for one in self.items)


def _type_and_name(record: Mapping[str, Any]) -> tuple[str, str]:
    kind, name = type_and_name(str(record.get("id") or ""))
    return str(record.get("type") or kind), name


async def in_group(azure: Azure, group: ResourceId) -> ContainedResources:
    """Return all resources of a group."""
    page = await contained_in(azure, group)
    return ContainedResources(page.items, page.has_more)


async def below(azure: Azure, resource: ResourceId) -> ContainedResources:
    """Return the child resources of a resource, but only those in the resource list of its group."""
    if not resource.group:
        return ContainedResources([])
    found = await in_group(azure, ResourceId(resource.segments[:4]))
    return ContainedResources([one for one in found.items if is_in(one, resource)], found.has_more)


async def dependent_on(azure: Azure, place: ResourceId) -> tuple[list[str], list[str]]:
    """Return other resources whose settings refer to this resource or its contents.

    Also return what could not be checked.
    """
    steps = (
        f"where not(id startswith {text_of(place.text + '/')}) and id !~ {text_of(place.text)}",
        "extend names = strcat(tostring(properties), tostring(identity), tostring(managedBy))",
        f"where names contains {text_of(_mention(place))}",
        "project id",
        "order by id asc",
    )
    try:
        rows = await rows_of(azure.send, ready_made([place.subscription], "resources", *steps), _MOST_DEPENDENT + 1)
    except Refusal as refusal:
        return [], [f"other resources that depend on it: {first_sentence(str(refusal))}"]
    return first_of([" ".join(type_and_name(str(row["id"]))) for row in rows.items], _MOST_DEPENDENT), []


def _mention(place: ResourceId) -> str:
    """Return the text that other resources contain if they refer to this resource.

    For a group, the text ends with a slash, so that longer group names do not match.
    """
    return f"{place.text}/" if place.type.lower().endswith("/resourcegroups") else place.text


def _listed(names: Sequence[str]) -> str:
    return ", ".join(first_of(names))


def first_of(names: Iterable[str], most: int = _MOST_NAMED) -> list[str]:
    """Return the first few names, and a digest of the rest, so that the approval covers all names."""
    found = list(names)
    first, rest = found[:most], found[most:]
    mark = sha256("\n".join(rest).encode(errors="replace")).hexdigest()[:_MARK]
    return [*first, *([f"and {len(rest)} more ({mark})"] if rest else [])]
