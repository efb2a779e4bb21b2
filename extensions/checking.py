"""Validates tool arguments against an untrusted JSON schema in bounded time.

Common validators have no time limit: they evaluate all patterns, references and alternatives in a schema. This
validator counts its comparisons and stops at a limit. The validator skips patterns, because an untrusted pattern could
block the process forever. Unknown keywords are ignored, because the extension's server validates its arguments itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_MOST_STEPS: Final = 20_000
_DEEPEST: Final = 40
_MOST_PROBLEMS: Final = 10
_REFERENCE: Final = "$ref"
_LIMITS: Final[Mapping[str, tuple[type | tuple[type, ...], str]]] = {
    "minimum": ((int, float), "must be at least {}"),
    "maximum": ((int, float), "must be at most {}"),
    "minLength": (str, "must have at least {} characters"),
    "maxLength": (str, "must have at most {} characters"),
    "minItems": (list, "must have at least {} entries"),
    "maxItems": (list, "must have at most {} entries"),
}

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "number": (int, float),
}


class _UncheckableError(Exception):
    """The schema is invalid, or too expensive to check."""


def problems_with(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """Return an error message for each invalid argument, without the argument's value. Return no messages if the schema
    is unusable.
    """
    try:
        found = _Check(schema).problems(arguments, schema, "", 0)
        return [problem for problem, _ in zip(found, range(_MOST_PROBLEMS), strict=False)]
    except (_UncheckableError, TypeError, AttributeError, KeyError, IndexError):
        return []


class _Check:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._steps = 0
        self._choices: dict[int, _Choices] = {}

    def _count(self, steps: int) -> None:
        self._steps += steps
        if self._steps > _MOST_STEPS:
            raise _UncheckableError

    def problems(self, value: Any, schema: Any, where: str, depth: int) -> Iterator[str]:
        self._count(1)
        if depth > _DEEPEST:
            raise _UncheckableError
        if schema is True:
            return
        if schema is False:
            yield f"{_named(where)}: is not allowed."
            return
        if _REFERENCE in schema:
            yield from self.problems(value, self._resolve(schema[_REFERENCE]), where, depth + 1)
        yield from self._of_itself(value, schema, where)
        yield from self._of_choices(value, schema, where, depth)
        if isinstance(value, Mapping):
            yield from self._of_names(value, schema, where, depth)
        if isinstance(value, list) and "items" in schema and "prefixItems" not in schema:
            for place, entry in enumerate(value):
                yield from self.problems(entry, schema["items"], f"{where}.{place}", depth + 1)

    def _resolve(self, reference: str) -> Any:
        node: Any = self._root
        head, *path = reference.split("/")
        if head != "#":
            raise _UncheckableError
        self._count(len(path))
        for part in path:
            node = node[part.replace("~1", "/").replace("~0", "~")]
        return node

    def _of_itself(self, value: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
        kinds = schema.get("type")
        kinds = [kinds] if isinstance(kinds, str) else kinds
        self._count(len(kinds or ()))
        if kinds is not None and not any(_is(value, kind) for kind in kinds):
            yield f"{_named(where)}: must be {' or '.join(str(kind)[:20] for kind in kinds[:8])}."
            return
        if "enum" in schema and not self._is_among(value, schema["enum"]):
            yield f"{_named(where)}: must be one of {', '.join(map(_shown, schema['enum'][:20]))}."
        if "const" in schema and not self._same(value, schema["const"]):
            yield f"{_named(where)}: must be {_shown(schema['const'])}."
        yield from _of_limits(value, schema, where)

    def _is_among(self, value: Any, enum: list[Any]) -> bool:
        choices = self._choices.get(id(enum))
        if choices is None:
            self._count(len(enum))
            choices = self._choices[id(enum)] = _Choices(enum)
        return choices.has(value) or any(self._same(value, one) for one in choices.composed)

    def _same(self, value: Any, other: Any) -> bool:
        """Check whether two values are equal in JSON, where true is not equal to 1."""
        self._count(1)
        if isinstance(value, list) and isinstance(other, list):
            return len(value) == len(other) and all(map(self._same, value, other))
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            return value.keys() == other.keys() and all(self._same(value[name], other[name]) for name in value)
        return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)

    def _of_choices(self, value: Any, schema: Mapping[str, Any], where: str, depth: int) -> Iterator[str]:
        for one in schema.get("allOf", ()):
            yield from self.problems(value, one, where, depth + 1)
        for name in ("anyOf", "oneOf"):
            if name in schema and not any(self._fits(value, one, where, depth) for one in schema[name]):
                yield f"{_named(where)}: matches none of the allowed forms."

    def _fits(self, value: Any, schema: Any, where: str, depth: int) -> bool:
        return next(self.problems(value, schema, where, depth + 1), None) is None

    def _of_names(self, value: Mapping[str, Any], schema: Mapping[str, Any], where: str, depth: int) -> Iterator[str]:
        known: Mapping[str, Any] = schema.get("properties", {})
        yield from self._of_missing(value, schema.get("required", ()), where)
        more = schema.get("additionalProperties", True)
        for name, inner in value.items():
            if name in known:
                yield from self.problems(inner, known[name], f"{where}.{name}", depth + 1)
            elif more is False and "patternProperties" not in schema:
                yield f"{_named(f'{where}.{name}')}: unknown parameter."
            elif isinstance(more, Mapping) and "patternProperties" not in schema:
                yield from self.problems(inner, more, f"{where}.{name}", depth + 1)

    def _of_missing(self, value: Mapping[str, Any], required: Sequence[str], where: str) -> Iterator[str]:
        self._count(len(required))
        for name in required:
            if name not in value:
                yield f"{_named(f'{where}.{name}')}: is required."


def _of_limits(value: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    for name, (kind, words) in _LIMITS.items():
        if name in schema and isinstance(value, kind) and not isinstance(value, bool):
            size: Any = value if kind == (int, float) else len(value)  # type: ignore[arg-type]  # it has a length
            if size < schema[name] if name.startswith("min") else size > schema[name]:
                yield f"{_named(where)}: {words.format(schema[name])}."


def _named(where: str) -> str:
    return where.removeprefix(".")[:200] or "arguments"


def _is(value: Any, kind: str) -> bool:
    if kind in _KINDS:
        return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if kind == "integer":
        return not isinstance(value, bool) and (isinstance(value, int) or _is_whole(value))
    raise _UncheckableError


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def _shown(value: Any) -> str:
    """Return a value from the schema as text, truncated to a few characters."""
    if isinstance(value, Mapping | list):
        return "an object" if isinstance(value, Mapping) else "a list"
    return value[:60] if isinstance(value, str) else str(value)[:60]


class _Choices:
    """The values of an `enum`. Simple values are looked up; only lists and objects are compared one by one."""

    def __init__(self, enum: list[Any]) -> None:
        self.composed = [one for one in enum if isinstance(one, Mapping | list)]
        self._simple = {(isinstance(one, bool), one) for one in enum if not isinstance(one, Mapping | list)}

    def has(self, value: Any) -> bool:
        return not isinstance(value, Mapping | list) and (isinstance(value, bool), value) in self._simple
