"""Finds the value at a path in an evaluated template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bicep_checker.known import Fields, Thing, Value, ways


class Found(NamedTuple):
    """A value and its line number. `given` is false if the template does not set the property."""

    value: Value
    line: int
    given: bool = True


def at(thing: Thing, path: str) -> Iterator[Found]:
    """Yield all possible values at a path such as `a.b[].c`. `*` matches any name."""
    return _down(thing.body, path.replace("[]", ".[]").split("."), thing.line)


def _down(value: Value, path: list[str], line: int) -> Iterator[Found]:
    for way in ways(value):
        if not path:
            yield Found(way, line)
        elif path[0] == "[]":
            for item in way if isinstance(way, list) else ():
                yield from _down(item, path[1:], line)
        elif isinstance(way, dict):
            yield from _into(way, path, line)


def _into(value: dict[str, Value], path: list[str], line: int) -> Iterator[Found]:
    lines = value.lines if isinstance(value, Fields) else {}
    for name in value if path[0] == "*" else [path[0]]:
        if name in value:
            yield from _down(value[name], path[1:], lines.get(name, line))
        elif len(path) == 1:
            yield Found(None, min(lines.values(), default=line), given=False)


def values(thing: Thing) -> Iterator[tuple[str, Found]]:
    """Yield every scalar value with its path."""
    return _every(thing.body, "", thing.line)


def _every(value: Value, path: str, line: int) -> Iterator[tuple[str, Found]]:
    for way in ways(value):
        if isinstance(way, dict):
            lines = way.lines if isinstance(way, Fields) else {}
            for name, inner in way.items():
                yield from _every(inner, f"{path}.{name}" if path else name, lines.get(name, line))
        elif isinstance(way, list):
            for item in way:
                yield from _every(item, f"{path}[]", line)
        else:
            yield path, Found(way, line)
