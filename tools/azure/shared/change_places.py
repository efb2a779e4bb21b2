"""The places of a change in Azure. Approval rules select changes by these places.

No other file computes places from resource IDs, so a new kind of place in this file applies to all tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from changes.preview import Place, names_of
from changes.rule import TAG
from clients.azure.ids import ResourceId

# These resources run any code, deploy a template of their own, or may be assigned in several subscriptions.
_ANYWHERE: Final = frozenset(
    {
        "microsoft.authorization/roledefinitions",
        "microsoft.automation/automationaccounts/jobs",
        "microsoft.compute/virtualmachines/runcommands",
        "microsoft.resources/deploymentscripts",
        "microsoft.resources/deploymentstacks",
    }
)


def places_of(
    ids: Sequence[ResourceId],
    *,
    subscriptions: Place,
    tags: Mapping[str, Place],
    names: Iterable[str] = (),
    reached: Sequence[ResourceId] = (),
) -> dict[str, Place]:
    """Return the places of a change to resources, groups or subscriptions.

    `tags` contains an entry for each tag, and an entry for all other tags. Without an entry, tags are unknown. `names`
    contains the names of other affected resources. `reached` contains the resources that a deployment to `ids` affects,
    inside or outside `ids`.
    """
    return {
        "subscription": subscriptions,
        "resource-group": _groups(ids, reached),
        "name": sorted({*(name for one in (*ids, *reached) for name in one.names), *names}),
        **tags,
    }


def unknown_places(places: Mapping[str, Place]) -> dict[str, Place]:
    """Return the places of a change that may also affect other resources anywhere."""
    return {**dict.fromkeys(places), TAG: None}


def unknown_inside(places: Mapping[str, Place]) -> dict[str, Place]:
    """Return the places of a change that also applies to resources in these places that could not be listed."""
    return {kind: None if kind == "name" or kind.startswith(TAG) else place for kind, place in places.items()}


def with_names(places: Mapping[str, Place], names: Iterable[str]) -> dict[str, Place]:
    """Add the names of other resources that a change affects."""
    known = places.get("name")
    if known is None:
        return dict(places)
    return {**places, "name": sorted({*names, *(name for many in names_of(known) for name in many)})}


def may_affect_any_place(resource: ResourceId) -> bool:
    """Whether writing this resource may affect other resources anywhere."""
    return resource.type.lower() in _ANYWHERE


def _groups(ids: Sequence[ResourceId], reached: Sequence[ResourceId]) -> Place:
    """Return the groups of a change, or None if the change may affect any group.

    A deployment affects its own group and, through nested templates, other groups. A deployment to a subscription
    affects only the groups of the resources that it affects.
    """
    groups = {one.group for one in reached}
    if not reached or any(one.group for one in ids):
        groups |= {one.group for one in ids}
    return sorted(groups) if groups and all(groups) else None
