"""Filters work items by state. The value `not done` selects all states that are not completed."""

from __future__ import annotations

from dataclasses import replace

from clients.azure_devops.client import AzureDevOps
from tools.azure_devops.shared.wiql import WorkItemFilters
from tools.azure_devops.shared.work_item_types import done_states, named_states, work_item_types


async def by_what_is_done(devops: AzureDevOps, filters: WorkItemFilters) -> WorkItemFilters:
    """If open work is requested, add the completed states to the filters, so that the query excludes them."""
    named, with_open = named_states(filters.states)
    if not with_open:
        return replace(filters, states=named)
    kinds = await work_item_types(devops, devops.project(filters.project))
    return replace(filters, states=named, done=done_states(kinds, filters.types))
