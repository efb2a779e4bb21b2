"""The types of work items that a project has: which states each can have, and what these mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.failures import DevOpsRefusal
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal
from tools.azure_devops.shared.answers import Json

TYPES: Final = "/{project}/_apis/wit/workitemtypes"
STATE: Final = "System.State"

# What stands among states for all that are not done, however it is spelt.
_NOT_DONE: Final = re.compile(r"\s*not[\s_-]*done\s*", re.IGNORECASE)
# The categories of the states in which nothing is left to do.
_DONE: Final = frozenset({"Completed", "Removed"})
_MOST_NAMED: Final = 40


async def work_item_types(devops: AzureDevOps, project: str) -> list[Json]:
    return list((await devops.json(DevOpsRequest(f"GET {TYPES}", {"project": project})))["value"])


async def work_item_type(devops: AzureDevOps, project: str, name: str) -> Json:
    """One type.

    Raises:
        Refusal: The project has no such type; it names those that it has.
    """
    try:
        return await devops.json(DevOpsRequest(f"GET {TYPES}/{{type}}", {"project": project, "type": name}))
    except DevOpsRefusal as refused:
        if refused.status != 404:
            raise
        known = ", ".join(str(kind["name"]) for kind in (await work_item_types(devops, project))[:_MOST_NAMED])
        raise Refusal(f"{project} has no type {name!r}. It has: {known}.") from refused


def done_states(kinds: Iterable[Mapping[str, Any]], names: Sequence[str] | None) -> list[tuple[list[str], list[str]]]:
    """Which states are done, with the types of which that holds; of the named types alone, where any are named."""
    wanted = {name.lower() for name in names or ()}
    by_states: dict[tuple[str, ...], list[str]] = {}
    for kind in kinds:
        if not wanted or kind["name"].lower() in wanted:
            states = tuple(state["name"] for state in kind["states"] if state["category"] in _DONE)
            by_states.setdefault(states, []).append(kind["name"])
    return [(types, list(states)) for states, types in by_states.items() if states]


def named_states(states: Sequence[str] | None) -> tuple[list[str], bool]:
    """The states that are named, and whether all that are not done are meant as well."""
    named = [state.strip() for state in states or () if not _NOT_DONE.fullmatch(state)]
    return named, len(named) < len(states or ())


async def state_names(
    devops: AzureDevOps, project: str | None, types: Sequence[str] | None, states: Sequence[str] | None
) -> list[str] | None:
    """The names of some states, and of those that are open in any of some types where that is asked for."""
    named, with_open = named_states(states)
    if not with_open:
        return named or None
    wanted = {name.lower() for name in types or ()}
    kinds = await work_item_types(devops, devops.project(project))
    open_in_any = (
        state["name"]
        for kind in kinds
        if not wanted or kind["name"].lower() in wanted
        for state in kind["states"]
        if state["category"] not in _DONE
    )
    return list(dict.fromkeys([*named, *open_in_any]))


def valid_states(kind: Mapping[str, Any], before: str | None) -> str:
    """Which states a work item can have, and which of them it can get to from the one that it has."""
    names = ", ".join(state["name"] for state in kind["states"])
    following = transitions(kind).get(before or "", [])
    ways = f" From {before} it can go to: {', '.join(following)}." if following else ""
    return f"The states of a {kind['name']} are: {names}.{ways}"


def transitions(kind: Mapping[str, Any]) -> dict[str, list[str]]:
    """To which states a work item can get from each, as far as the service tells."""
    ways: Mapping[str, Any] = kind.get("transitions") or {}
    return {state: [way["to"] for way in ways[state] if way["to"] != state] for state in ways if state}
