"""Work items as a backlog or an iteration gives them: by links, each from the one above it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tools.azure_devops.shared.answers import Json


def parents_of(links: Iterable[Json]) -> dict[int, int | None]:
    """The ids to which links lead, in their order, each with the one from which it comes."""
    return {link["target"]["id"]: (link.get("source") or {}).get("id") for link in links}


def with_parents(items: Iterable[Json], parents: Mapping[int, int | None]) -> list[Json]:
    return [{**item, "parent": parents[item["id"]]} if parents[item["id"]] else item for item in items]
