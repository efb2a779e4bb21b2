"""Validates documents and patches from callers: size, depth, exact numbers, and protected paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json

from clients.cosmos_data.documents import OF_THE_SERVICE, own
from refusal import Refusal

_LARGEST: Final = 1_000_000
_DEEPEST: Final = 30
_LARGEST_NUMBER: Final = 2**53
_ID: Final = re.compile(r"[^/\\?#\x00-\x1f]{1,255}")
_POINTER: Final = re.compile(r"(?:/[^/]{1,200}){1,30}")
_TAKES_NO_VALUE: Final = ("remove", "move")

Document = Annotated[dict[str, Any], Field(description="Without the tenant; the server adds it")]


# Any JSON value. The schema lists the possible types, because clients expect a type.
_ELEMENTS: Final[Any] = {"anyOf": [{"type": name} for name in ("string", "number", "boolean", "object")]}
_TYPES: Final = [*_ELEMENTS["anyOf"], {"type": "array", "items": _ELEMENTS}, {"type": "null"}]
Value = Annotated[Any, Field(json_schema_extra={"anyOf": _TYPES})]


class PatchStep(BaseModel):
    """One step of a patch."""

    model_config = ConfigDict(extra="forbid", strict=True)

    op: Literal["add", "set", "replace", "remove", "incr", "move"]
    path: Annotated[str, Field(max_length=1000, description="E.g. /address/city")]
    value: Value = None
    from_: Annotated[str | None, Field(alias="from", max_length=1000)] = None


def checked(document: Mapping[str, Any]) -> dict[str, Any]:
    """Validate a document, and return it without the fields that Cosmos DB itself writes.

    Raises:
        Refusal: The document is too large or too deep, or contains a value that Cosmos DB cannot store exactly.
    """
    kept = own(document)
    _check(kept, "the document")
    return kept


def checked_id(name: object) -> str:
    if not isinstance(name, str) or not _ID.fullmatch(name) or name != name.strip() or name in {".", ".."}:
        raise Refusal(
            "An id must be a string of 1 to 255 characters without / \\ ? # and without leading or trailing spaces."
        )
    return name


def steps_of(patch: Sequence[PatchStep], kept: Sequence[str]) -> list[dict[str, Any]]:
    """Validate a patch, and return it in the format of Cosmos DB. `kept` contains the protected paths.

    Raises:
        Refusal: A step is invalid or changes a protected path.
    """
    protected = [tuple(path[1:].split("/")) for path in kept] + [("id",), *((name,) for name in OF_THE_SERVICE)]
    return [_step(step, protected) for step in patch]


def _step(step: PatchStep, protected: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    made: dict[str, Any] = {"op": step.op, "path": _pointer(step.path, protected)}
    if (step.op == "move") != (step.from_ is not None):
        raise Refusal("`from` is required for `move` and invalid for other operations.")
    if step.from_ is not None:
        made["from"] = _pointer(step.from_, protected)
    if step.op not in _TAKES_NO_VALUE:
        _check(step.value, step.path)
        made["value"] = step.value
    if step.op == "incr" and (isinstance(step.value, bool) or not isinstance(step.value, int | float)):
        raise Refusal("The `value` of `incr` must be a number.")
    return made


def _pointer(path: str, protected: Sequence[tuple[str, ...]]) -> str:
    if not _POINTER.fullmatch(path):
        raise Refusal("A patch path must start with / and have 1 to 30 segments, for example /address/city.")
    names = tuple(name.strip("\"' ") for name in names_in(path))
    for kept in protected:
        if all(one == other for one, other in zip(names, kept, strict=False)):
            raise Refusal(f"/{'/'.join(kept)} identifies the record or its tenant and cannot be changed.")
    return path


def names_in(path: str) -> tuple[str, ...]:
    """Return the field names in a JSON Pointer, unescaped as defined in RFC 6901."""
    return tuple(name.replace("~1", "/").replace("~0", "~") for name in path[1:].split("/"))


def _check(value: Any, where: str) -> None:
    for problem in _problems(value, 0):
        raise Refusal(f"Invalid value in {where}: {problem}.")
    if (size := len(to_json(value))) > _LARGEST:
        raise Refusal(f"{where} is {size} bytes long; the maximum is {_LARGEST}.")


def _problems(value: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        yield f"more than {_DEEPEST} levels"
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _problems(name, depth)
            yield from _problems(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _problems(inner, depth + 1)
    else:
        yield from _problems_alone(value)


def _problems_alone(value: Any) -> Iterator[str]:
    if isinstance(value, float) and not isfinite(value):
        yield "NaN and infinity are not valid JSON"
    elif isinstance(value, int) and abs(value) > _LARGEST_NUMBER:
        yield f"Cosmos DB rounds integers beyond {_LARGEST_NUMBER}; send the number as a string"
    elif isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        yield "an unpaired surrogate"
