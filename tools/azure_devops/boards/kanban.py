"""The configuration of a board: its columns, swimlanes and fields, and the conditions that select its work items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from refusal import Refusal
from tools.azure_devops.shared.wiql import quoted

DEFAULT_LANE = ""


@dataclass(frozen=True, slots=True)
class Kanban:
    """A board, as the service returns it."""

    board: Mapping[str, Any]

    @property
    def fields(self) -> dict[str, str]:
        """The reference names of the fields that store a work item's column, swimlane and done status on this board."""
        named = {"column": "columnField", "swimlane": "rowField", "done": "doneField"}
        known = self.board["fields"]
        return {meaning: known[name]["referenceName"] for meaning, name in named.items() if known.get(name)}

    def column(self, name: str) -> Mapping[str, Any]:
        for column in self.board["columns"]:
            if column["name"].lower() == name.lower():
                return dict(column)
        known = ", ".join(column["name"] for column in self.board["columns"])
        raise Refusal(f"Column {name!r} not found. Columns of this board: {known}. get_board_columns shows details.")

    def lane(self, name: str) -> str:
        lanes = [row["name"] or DEFAULT_LANE for row in self.board["rows"]]
        for lane in lanes:
            if lane.lower() == name.lower():
                return lane
        known = ", ".join(filter(None, lanes))
        raise Refusal(
            f"Swimlane {name!r} not found. Swimlanes of this board: {known}. For the default swimlane, pass '.'."
        )

    def placing(self, type: str, column: str, lane: str | None = None, done: bool | None = None) -> dict[str, Any]:
        """Return the field values that move a work item of this type to a column or swimlane."""
        target, fields = self.column(column), self.fields
        states = target["stateMappings"]
        if type not in states:
            raise Refusal(
                f"This board does not show the type {type}. Its types: {', '.join(states)}. get_boards lists other"
                " boards."
            )
        if done and not target.get("isSplit"):
            raise Refusal(f"Column {target['name']} is not split into doing and done: omit `done`.")
        placed = {fields["column"]: target["name"], "System.State": states[type]}
        if lane is not None:
            placed[fields["swimlane"]] = self.lane(lane)
        # Always set the done value in a split column, because otherwise the card keeps the done value from its previous
        # split column.
        return placed | ({fields["done"]: bool(done)} if target.get("isSplit") else {})

    def conditions(self, column: str | None = None, lane: str | None = None) -> list[str]:
        """Return the query conditions for work items on this board, or in one of its columns or swimlanes."""
        columns = (
            [known["name"] for known in self.board["columns"]] if column is None else [self.column(column)["name"]]
        )
        conditions = [
            f"[System.WorkItemType] IN ({_among(_types(self.board['columns']))})",
            f"[System.State] IN ({_among(_states(self.board['allowedMappings']))})",
            f"[{self.fields['column']}] IN ({_among(columns)})",
        ]
        return conditions if lane is None else [*conditions, f"[{self.fields['swimlane']}] = {quoted(self.lane(lane))}"]


def ids_from_the_top(conditions: Iterable[str], areas: Mapping[str, Any], order: str) -> str:
    """Return the query for the ids of a team's work items that match the conditions."""
    where = " AND ".join([f"({' OR '.join(_areas(areas))})", *conditions])
    return " ".join(("SELECT [System.Id] FROM WorkItems WHERE", where, f"ORDER BY [{order}]"))


def _among(values: Iterable[str]) -> str:
    return ", ".join(map(quoted, dict.fromkeys(values)))


def _types(columns: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    return (name for column in columns for name in column["stateMappings"])


def _states(allowed: Mapping[str, Mapping[str, Iterable[str]]]) -> Iterable[str]:
    """Return all states on a board. Queries filter by state, because removed work items keep their last column."""
    return (state for types in allowed.values() for states in types.values() for state in states)


def _areas(areas: Mapping[str, Any]) -> Iterable[str]:
    # On older servers, a field other than the area may determine which work items belong to a team.
    field = areas["field"]["referenceName"]
    for area in areas["values"]:
        yield f"[{field}] {'UNDER' if area['includeChildren'] else '='} {quoted(area['value'])}"
