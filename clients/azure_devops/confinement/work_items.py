"""Limits work items to the allowed projects.

The IDs, moves and links of work items are not limited to a single project.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from clients.azure_devops.confinement.asking import LookupClient
from clients.azure_devops.confinement.bounds import OrganizationBounds
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal

ITEM: Final = "wit/workitems/*"
ITEMS: Final = "wit/workitemsbatch"
HISTORY: Final = "wit/workitems/*/updates"
ATTACHMENT: Final = "wit/attachments/*"

_PROJECT: Final = "System.TeamProject"
_NUMBER: Final = re.compile(r"/workitems/\{(\w+)\}", re.IGNORECASE)
_FILE: Final = re.compile(r"/attachments/([0-9a-f-]{36})", re.IGNORECASE)
_RELATION: Final = re.compile(r"/relations/(\d+)(.*)", re.DOTALL)
_ABSENT: Final = "Work item {} not found, or outside the allowed scope."


class WorkItems:
    """Collects facts about work items during a tool call."""

    def __init__(self) -> None:
        self.admitted: dict[int, bool] = {}
        self._shown_relations: dict[int, Sequence[int]] = {}
        self._files: set[str] = set()
        # Whether a work item was in an allowed project at some point in its history. The key contains the number of the
        # work item, and the number of its changes up to this point.
        self._inside: dict[tuple[int, int], bool] = {}

    async def look_up(self, asking: LookupClient, bounds: OrganizationBounds, numbers: Iterable[int]) -> None:
        unknown = sorted({number for number in numbers if number not in self.admitted})
        if unknown:
            found = await asking.projects_of_items(unknown)
            self.admitted |= {number: bounds.project(found.get(number, "")) is not None for number in unknown}

    def refuse_absent(self, number: int) -> None:
        if not self.admitted.get(number):
            raise Refusal(_ABSENT.format(number))

    def note(self, item: Mapping[str, Any], is_shown: Callable[[Any], bool]) -> None:
        """Remember which relations of a work item are shown, because later changes refer to positions in the list that
        was shown.
        """
        relations = item.get("relations") or []
        shown = [place for place, relation in enumerate(relations) if is_shown(relation)]
        self._shown_relations[int(item["id"])] = shown
        found = (_FILE.search(str(relations[place].get("url"))) for place in shown)
        self._files |= {file[1].lower() for file in found if file}

    def refuse_unseen_file(self, key: str) -> None:
        if key.lower() not in self._files:
            raise Refusal(
                "An attachment id does not show the attachment's project, and access is restricted to some projects."
                " Pass workItemId, the id of the attachment's work item."
            )

    def placed(self, number: int, operations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """In operations, convert relation positions in the list that the caller saw to positions in the full list."""
        return [self._placed(number, operation) for operation in operations]

    def _placed(self, number: int, operation: Mapping[str, Any]) -> dict[str, Any]:
        found = _RELATION.fullmatch(str(operation.get("path")))
        if not found:
            return dict(operation)
        shown = self._shown_relations.get(number, ())
        if int(found[1]) >= len(shown):
            raise Refusal(
                f"Link not found on work item {number}, or outside the allowed scope. Read the work item again."
            )
        return {**operation, "path": f"/relations/{shown[int(found[1])]}{found[2]}"}

    def history(
        self, number: int, start: int, changes: Sequence[Mapping[str, Any]], bounds: OrganizationBounds
    ) -> list[Any]:
        """The changes that were made while the work item was in an allowed project."""
        inside = False if start == 0 else self._inside.get((number, start))
        if inside is None:
            raise Refusal("With restricted access, the history of a work item must be read from its beginning.")
        kept = []
        for change in changes:
            moved = (change.get("fields") or {}).get(_PROJECT)
            moved = moved if isinstance(moved, Mapping) else {}
            # The first change contains the project in which the work item was created.
            before = _is_within(bounds, moved.get("oldValue"), otherwise=inside or bool(moved))
            inside = _is_within(bounds, moved.get("newValue"), otherwise=inside)
            kept += [change] if before and inside else []
        self._inside[number, start + len(changes)] = inside
        return kept


def number_of(request: DevOpsRequest) -> int | None:
    """The work item number in the path of a request, if there is one."""
    found = _NUMBER.search(request.present_line)
    return int(request.values[found[1]]) if found else None


def with_project(request: DevOpsRequest, resource: str) -> DevOpsRequest:
    """Request the project of each work item in addition to the requested fields."""
    if resource == ITEM and (fields := request.query.get("fields")) and _PROJECT not in str(fields).split(","):
        return request.asking("query", fields=f"{fields},{_PROJECT}")
    if resource == ITEMS and (named := (request.body or {}).get("fields")):
        return replace(request, body={**request.body, "fields": list(dict.fromkeys([*named, _PROJECT]))})
    return request


def _is_within(bounds: OrganizationBounds, project: Any, *, otherwise: bool) -> bool:
    return bounds.project(str(project)) is not None if project else otherwise
