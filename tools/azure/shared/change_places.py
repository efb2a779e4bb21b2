"""The places of a change in Azure. Approval rules select changes by these places.

No other file computes places from resource IDs, so a new kind of place in this file applies to all tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from changes.preview import Place
from clients.azure.ids import ResourceId


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
    contains the names of other affected resources. `reached` contains the resources that a deployment to `ids` affects.
    """
    return {
        "subscription": subscriptions,
        "resource-group": _groups(ids, reached),
        "name": sorted({*(name for one in (*ids, *reached) for name in one.names), *names}),
        **tags,
    }


def _groups(ids: Sequence[ResourceId], reached: Sequence[ResourceId]) -> Place:
    """Return the groups of a change, or None if the change may affect any group.

    For a deployment to a group, return that group. For a deployment to a subscription, return the groups of the
    resources that the deployment affects.
    """
    groups = {one.group for one in ids}
    if not all(groups):
        groups = {one.group for one in reached}
    return sorted(groups) if groups and all(groups) else None
