"""Checks each property that expects a resource ID: the value must be the ID of a resource of the right type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from bicep_checker.facts import facts
from bicep_checker.known import Asked, Id, Mixed, Thing, Unknown, Value, ways
from bicep_checker.reached import Place
from bicep_checker.services import Problems
from bicep_checker.walking import values

# Patterns that determine the kind of a value from the end of its name. The first matching pattern counts.
_SORTS: Final = (
    ("client id", re.compile(r"client_?id$|appid$", re.IGNORECASE)),
    ("principal id", re.compile(r"(principal|object)_?id$", re.IGNORECASE)),
    ("tenant id", re.compile(r"tenant_?id$", re.IGNORECASE)),
    ("customer id", re.compile(r"customer_?id$", re.IGNORECASE)),
    ("resource id", re.compile(r"id$", re.IGNORECASE)),
    ("name", re.compile(r"[a-z]name$|^name$", re.IGNORECASE)),
    ("address", re.compile(r"(uri|url|endpoint|hostname)$", re.IGNORECASE)),
    ("secret", re.compile(r"connectionstring$", re.IGNORECASE)),
)
# The kinds of values that certain properties accept.
_TAKEN: Final = (
    ("principal id", re.compile(r"(^|\.)(principalId|subject)$")),
    ("client id", re.compile(r"(^|[._])(AZURE_CLIENT_ID|appId|clientId|AzureWebJobsStorage__clientId)$")),
    ("name", re.compile(r"AzureWebJobsStorage__accountName$")),
    ("word", re.compile(r"(^|\.)(type|principalType|kind|category|operator)$")),
)


def check(thing: Thing) -> Problems:
    for path, found in values(thing):
        wanted = _wanted(thing, path)
        if text := _wrong_id(found.value, wanted) if wanted is not None else _wrong_sort(found.value, path):
            yield found.line, "id", f"{thing.kind}.{path} takes {text}"


def outputs(place: Place) -> Iterator[tuple[int, str, str]]:
    """Yield outputs that return a different kind of value than their names suggest."""
    for name, declared in place.template.of_kind("output").items():
        wanted = next((sort for sort, pattern in _SORTS if pattern.search(name)), "")
        for value in ways(place.partly.of(declared.value)) if declared.value and wanted else ():
            sort = "text" if wanted == "resource id" and _no_id(value) else sort_of(value)
            if sort and sort != wanted and not (wanted == "resource id" and isinstance(value, Asked)):
                yield declared.line, "id", f"the name of output {name} says {wanted}, but the value is a {sort}"


def _wrong_id(value: Value, wanted: str) -> str:
    sort = sort_of(value)
    if isinstance(value, Id):
        other = wanted and value.kind.lower() != wanted.lower()
        return f"the id of a {wanted}, but gets the id of a {value.kind}" if other else ""
    if sort not in {"", "resource id"}:
        return f"the id of a resource, but gets a {sort}"
    return f"the id of a resource, but gets {value}" if _no_id(value) else ""


def _no_id(value: Value) -> bool:
    first = value.parts[0] if isinstance(value, Mixed) else value
    return isinstance(first, str) and first != "" and not first.startswith("/")


def _wrong_sort(value: Value, path: str) -> str:
    sort = sort_of(value)
    wanted = next((name for name, pattern in _TAKEN if pattern.search(path)), "")
    return f"a {wanted}, but gets a {sort}" if wanted and sort and sort != wanted else ""


def _wanted(thing: Thing, path: str) -> str | None:
    """Return the resource type whose IDs a property accepts. An empty text means all resource types, and None means
    that the property is not known to accept IDs.
    """
    ids: Mapping[str, str] = facts()["ids"]
    steps = path.split(".")
    own = f"{thing.kind.rpartition('/')[2]}.{steps[-1]}"
    ends = (own, ".".join(steps[-2:]), steps[-1])
    known = (ids[end] for end in ends if end in ids)
    return next(known, None) if steps[0] == "properties" else None


def sort_of(value: Value) -> str:
    """Return "resource id" for the id of a resource. For another value, return the kind that its name suggests."""
    if isinstance(value, Id):
        return "resource id"
    if isinstance(value, Unknown) and re.fullmatch(r"[\w/\[\]-]*\.[\w.]+", value.name):
        name = value.name.rpartition(".")[2]
        return next((sort for sort, pattern in _SORTS if pattern.search(name)), "")
    return ""


def of_kind(value: Value) -> str:
    """Return the type of the resource that returned this value."""
    return value.kind.lower() if isinstance(value, Asked) else ""
