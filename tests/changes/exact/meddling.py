"""What somebody else changes of a thing that was read, and whether a write that is held to the old state notices it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from tests.tools.golden import Sent

Json = Any
Way = tuple[str | int, ...]

# Names of values that tell one version of a thing from the next.
_VERSIONS: Final = frozenset(
    "etag _etag rev revision version objectid oldobjectid commitid changecount lastmodified lockrevision".split()
)
_CONDITIONS: Final = ("if-match", "if-unmodified-since", "if-none-match")
# What is a thing's own name in the service never changes.
_LASTING: Final = frozenset("id url _links href vsid uniqueid $id _rid _self primaryendpoints vaulturi".split())
_LASTING_IN_AZURE: Final = _LASTING | {"name", "type"}
_NAMES: Final = frozenset("id name displayname".split())
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Meddling:
    """`line` is the request that reads the thing, and `place` is where in the answer it is changed: of one without a
    document, its tag alone is another. What `grows` is a list, which gets one more entry.
    """

    line: str
    place: Way
    grows: bool = False

    def changed(self, exchange: Mapping[str, Any]) -> dict[str, Any]:
        """What is answered afterwards."""
        reply = deepcopy(exchange.get("reply"))
        for way in self._touched(reply):
            holder = at(reply, way[:-1])
            holder[way[-1]] = _other(holder[way[-1]])
        if self.grows:
            at(reply, self.place).append(self.added(reply))
        headers = {
            name: _other(value) if name.lower() == "etag" else value
            for name, value in exchange.get("reply_headers", {}).items()
        }
        return {**exchange, "reply": reply, "reply_headers": headers}

    def added(self, reply: Json) -> Json:
        """What a list has more: much like the last of its entries."""
        return _renamed(at(reply, self.place)[-1]) if self.grows else None

    def _touched(self, reply: Json) -> set[Way]:
        """The value itself, and the versions of all that it is a part of."""
        if not self.grows and self.place not in set(places_in(reply)):
            return set()
        touched = set() if self.grows else {self.place}
        for end in range(len(self.place)):
            holder = at(reply, self.place[:end])
            if isinstance(holder, dict):
                touched |= {(*self.place[:end], name) for name in holder if _is_version(name, holder[name])}
        return touched

    def changes_version(self, told: Mapping[str, Any]) -> bool:
        """Whether the thing has versions, which tell that it was changed."""
        is_tagged = any(name.lower() == "etag" for name in told.get("reply_headers", {}))
        return is_tagged or any(
            _is_version(way[-1], at(told.get("reply"), way)) for way in self._touched(told.get("reply"))
        )

    def is_noticed(self, sent: Sent, told: Mapping[str, Any]) -> bool:
        """Whether a write names a version that is not that of the thing any more."""
        reply = told.get("reply")
        versions = {str(at(reply, way)) for way in self._touched(reply) if _is_version(way[-1], at(reply, way))}
        tags = {value for name, value in told.get("reply_headers", {}).items() if name.lower() == "etag"}
        return bool((versions | tags) & set(_conditions_of(sent)))

    def explains(self, now: Json, before: Json, told: Mapping[str, Any]) -> bool:
        """Whether what is written differs from what was only in that it keeps what somebody else has changed."""
        old, new = told.get("reply"), self.changed(told)["reply"]
        kept = [(str(at(new, way)), str(at(old, way))) for way in self._touched(old)]
        return _alike(now, before, kept, self.added(old))


def _alike(now: Json, before: Json, kept: Sequence[tuple[str, str]], added: Json) -> bool:
    if isinstance(now, dict) and isinstance(before, dict):
        return now.keys() == before.keys() and all(_alike(now[name], before[name], kept, added) for name in now)
    if isinstance(now, list) and isinstance(before, list):
        own = list(now)
        if len(own) > len(before) and added in own:
            own.remove(added)
        return len(own) == len(before) and all(_alike(*pair, kept, added) for pair in zip(own, before, strict=True))
    return now == before or any(str(now).replace(new, old) == str(before) for new, old in kept)


def places_in(document: Json, way: Way = ()) -> Iterator[Way]:
    """The way to each value of a document that may change."""
    if isinstance(document, dict):
        lasting = _LASTING_IN_AZURE if str(document.get("id")).startswith("/subscriptions/") else _LASTING
        for name, value in document.items():
            if str(name).lower() not in lasting:
                yield from places_in(value, (*way, name))
    elif isinstance(document, list):
        for number, value in enumerate(document):
            yield from places_in(value, (*way, number))
    elif document is not None and way:
        yield way


def lists_in(document: Json, way: Way = ()) -> Iterator[Way]:
    """The way to each list of records."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield from lists_in(value, (*way, name))
    elif isinstance(document, list) and document and way:
        if isinstance(document[-1], dict):
            yield way
        for number, value in enumerate(document):
            yield from lists_in(value, (*way, number))


def texts_of(arguments: Json, way: Way = ()) -> Iterator[Way]:
    """The way to each text of what a caller gives."""
    if isinstance(arguments, dict):
        for name, value in arguments.items():
            yield from texts_of(value, (*way, name))
    elif isinstance(arguments, list):
        for number, value in enumerate(arguments):
            yield from texts_of(value, (*way, number))
    elif isinstance(arguments, str):
        yield way


def _conditions_of(sent: Sent) -> Iterator[str]:
    yield from (sent.headers[name] for name in _CONDITIONS if name in sent.headers)
    yield from (value for name, value in sent.query.items() if _is_version(name, value))
    yield from _in_body(sent.body if sent.content_type and "json" in sent.content_type else None)


def _in_body(body: Json) -> Iterator[str]:
    if isinstance(body, list):
        for one in body:
            yield from _in_body(one)
    elif isinstance(body, dict):
        if body.get("op") == "test":
            yield str(body.get("value"))
        for name, value in body.items():
            if _is_version(name, value):
                yield str(value)
            yield from _in_body(value)


def _is_version(name: str | int, value: Json) -> bool:
    return str(name).lower() in _VERSIONS and isinstance(value, str | int)


def at(document: Json, way: Sequence[str | int]) -> Json:
    for step in way:
        document = document[step]
    return document


def _renamed(record: Json) -> Json:
    """Another record of its kind: what names it is another, and all else as it was."""
    renamed = {name: _other(value) for name, value in record.items() if str(name).lower() in _NAMES}
    return {**deepcopy(record), **renamed}


def _other(value: Json) -> Json:
    """Another value of its kind."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str() if _COMMIT.fullmatch(value):
            return value[1:] + ("0" if value[0] != "0" else "1")
        case str():
            return f"{value} 2"
    return value
