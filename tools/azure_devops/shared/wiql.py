"""Builds WIQL queries for work items. Every value is quoted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_TYPE: Final = "[System.WorkItemType]"
_STATE: Final = "[System.State]"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItemFilters:
    """Conditions for work items. None and empty values are ignored."""

    project: str | None = None
    types: Sequence[str] | None = None
    states: Sequence[str] | None = None
    # The completed states that are excluded to find open work. The type of a work item
    # determines which states count as completed.
    done: Sequence[tuple[Sequence[str], Sequence[str]]] | None = None
    assigned_to: str | None = None
    area: str | None = None
    iteration: str | None = None
    tags: Sequence[str] | None = None
    words: str | None = None

    def query(self) -> str:
        """Return the query for the ids of all matching work items, most recently changed first."""
        conditions = " AND ".join(self._conditions())
        where = [f"WHERE {conditions}"] if conditions else []
        return " ".join(["SELECT [System.Id] FROM WorkItems", *where, "ORDER BY [System.ChangedDate] DESC"])

    def _conditions(self) -> Iterable[str]:
        yield from _each("[System.TeamProject] = {}", self.project)
        yield from _among(_TYPE, self.types)
        yield from self.by_state()
        if (self.assigned_to or "").lower() == "@me":
            # @Me is not quoted, because a quoted @Me would be an ordinary name.
            yield "[System.AssignedTo] = @Me"
        else:
            yield from _each("[System.AssignedTo] = {}", self.assigned_to)
        yield from _each("[System.AreaPath] UNDER {}", self.area)
        yield from _each("[System.IterationPath] UNDER {}", self.iteration)
        yield from _each("[System.Tags] CONTAINS {}", *(self.tags or ()))
        yield from _each("([System.Title] CONTAINS {0} OR [System.Description] CONTAINS {0})", self.words)

    def by_state(self) -> Iterable[str]:
        """Yield the condition for named states and, if requested, for all states that are not done."""
        named = _among(_STATE, self.states)
        if self.done is None:
            return named
        is_open = [f"({_without(_TYPE, types)} OR {_without(_STATE, states)})" for types, states in self.done]
        return [f"({named[0]} OR ({' AND '.join(is_open)}))"] if named and is_open else is_open


def quoted(value: str) -> str:
    """Quote a value as a WIQL string, with quotes doubled."""
    return "'" + value.replace("'", "''") + "'"


def _each(condition: str, *values: str | None) -> Iterable[str]:
    return (condition.format(quoted(value)) for value in values if value)


def _among(field: str, values: Sequence[str] | None) -> list[str]:
    return [f"{field} IN ({', '.join(map(quoted, values))})"] if values else []


def _without(field: str, values: Sequence[str]) -> str:
    return f"{field} NOT IN ({', '.join(map(quoted, values))})"
