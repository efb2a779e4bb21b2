"""Builds the hierarchy of work items from the links that the service returns for a backlog or iteration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tools.azure_devops.shared.answers import Json


def parents_of(links: Iterable[Json]) -> dict[int, int | None]:
    """Map the id of each linked work item to the id of its parent, in the order of the links."""
    return {link["target"]["id"]: (link.get("source") or {}).get("id") for link in links}


def with_parents(items: Iterable[Json], parents: Mapping[int, int | None]) -> list[Json]:
    return [{**item, "parent": parents[item["id"]]} if parents[item["id"]] else item for item in items]
