"""The work item types of a project, with their states and the meaning of each state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.failures import DevOpsRefusal
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal
from tools.azure_devops.shared.answers import Json

TYPES: Final = "/{project}/_apis/wit/workitemtypes"
STATE: Final = "System.State"

# Spellings of the value that selects all open states.
_NOT_DONE: Final = re.compile(r"\s*not[\s_-]*done\s*", re.IGNORECASE)
# The categories of completed states.
_DONE: Final = frozenset({"Completed", "Removed"})
_MOST_NAMED: Final = 40


async def work_item_types(devops: AzureDevOps, project: str) -> list[Json]:
    return list((await devops.json(DevOpsRequest(f"GET {TYPES}", {"project": project})))["value"])


async def work_item_type(devops: AzureDevOps, project: str, name: str) -> Json:
    """Return a work item type.

    Raises:
        Refusal: The project has no such type. The message lists the project's types.
    """
    try:
        return await devops.json(DevOpsRequest(f"GET {TYPES}/{{type}}", {"project": project, "type": name}))
    except DevOpsRefusal as refused:
        if refused.status != 404:
            raise
        known = ", ".join(str(kind["name"]) for kind in (await work_item_types(devops, project))[:_MOST_NAMED])
        raise Refusal(f"Type {name!r} not found in {project}. Types: {known}.") from refused


def done_states(kinds: Iterable[Mapping[str, Any]], names: Sequence[str] | None) -> list[tuple[list[str], list[str]]]:
    """Return the completed states of the named types, or of all types. Types with the same completed states are
    grouped.
    """
    by_states: dict[tuple[str, ...], list[str]] = {}
    for kind in _named(kinds, names):
        states = tuple(state["name"] for state in kind["states"] if state["category"] in _DONE)
        by_states.setdefault(states, []).append(kind["name"])
    return [(types, list(states)) for states, types in by_states.items() if states]


def named_states(states: Sequence[str] | None) -> tuple[list[str], bool]:
    """Return the requested states by name, and whether all open states are requested, too."""
    named = [state.strip() for state in states or () if not _NOT_DONE.fullmatch(state)]
    return named, len(named) < len(states or ())


async def state_names(
    devops: AzureDevOps, project: str | None, types: Sequence[str] | None, states: Sequence[str] | None
) -> list[str] | None:
    """Return the names of the given states and, if requested, of all open states of these types."""
    named, with_open = named_states(states)
    if not with_open:
        return named or None
    kinds = _named(await work_item_types(devops, devops.project(project)), types)
    open_in_any = (state["name"] for kind in kinds for state in kind["states"] if state["category"] not in _DONE)
    return list(dict.fromkeys([*named, *open_in_any]))


def _named(kinds: Iterable[Mapping[str, Any]], names: Sequence[str] | None) -> Iterator[Mapping[str, Any]]:
    """Yield the types with these names, or all types if there are no names."""
    lowered = {name.lower() for name in names or ()}
    return (kind for kind in kinds if not lowered or kind["name"].lower() in lowered)


def valid_states(kind: Mapping[str, Any], before: str | None) -> str:
    """Describe the states of a work item, and the states to which it can change from its current state."""
    names = ", ".join(state["name"] for state in kind["states"])
    following = transitions(kind).get(before or "", [])
    ways = f" Valid states after {before}: {', '.join(following)}." if following else ""
    return f"States of type {kind['name']}: {names}.{ways}"


def transitions(kind: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the valid next states of each state. The result is empty if the service lists no transitions."""
    ways: Mapping[str, Any] = kind.get("transitions") or {}
    return {state: [way["to"] for way in ways[state] if way["to"] != state] for state in ways if state}
