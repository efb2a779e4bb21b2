"""How a part of the fake declares what it answers, and what it raises where the real one refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import unquote

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived."""

    method: str
    host: str
    path: str  # as it was sent, still encoded, without the organization
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes
    places: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> Any:
        return json.loads(self.content)

    def number(self, name: str, otherwise: int) -> int:
        return int(self.query.get(name, otherwise))


@dataclass(frozen=True, slots=True)
class Reply:
    document: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | Iterable[bytes] | None = None


# What is sent by another method than GET, and only reads.
READS = (
    "/_apis/wit/workitemsbatch",
    "/_apis/wit/wiql",
    "/_apis/identities",
    "/pagesbatch",
    "/permissionevaluationbatch",
)


def changing(asked: Iterable[Asked]) -> list[str]:
    """What was asked for that does more than to read."""
    return [f"{one.method} {one.path}" for one in asked if one.method != "GET" and not one.path.endswith(READS)]


class TroubleError(Exception):
    """A failure in the form of the service: `typeKey` is what programs go by."""

    def __init__(self, status: int, key: str, message: str) -> None:
        super().__init__(message)
        self.status, self.key, self.message = status, key, message

    @property
    def document(self) -> Json:
        name = f"Contoso.{self.key}, Contoso"
        return {
            "$id": "1",
            "innerException": None,
            "message": self.message,
            "typeName": name,
            "typeKey": self.key,
            "errorCode": 0,
            "eventId": 3000,
        }


@dataclass(frozen=True)
class Route:
    """`GET /[project]/_apis/wit/workitems/{id}`: what is in square brackets may be missing.

    Whatever a request has beyond what is declared here is refused, which the real service does not do.
    """

    line: str
    answer: Callable[[Asked], Any]
    query: frozenset[str] = frozenset()
    content_type: str | None = None
    host: str = ""
    version: str = "7.1"

    def places(self, asked: Asked) -> dict[str, str] | None:
        """The values of the path, where the route is meant."""
        method, _, path = self.line.partition(" ")
        found = _pattern(path).fullmatch(asked.path) if asked.method == method else None
        return {name: unquote(value) for name, value in found.groupdict().items() if value} if found else None


@cache
def _pattern(path: str) -> re.Pattern[str]:
    escaped = re.sub(r"/\\\[(\w+)\\\]", r"(?:/(?P<\1>(?!_apis)[^/]+))?", re.escape(path))
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", escaped), re.IGNORECASE)


def route(line: str, answer: Callable[[Asked], Any], query: str = "", **rules: Any) -> Route:
    """Declare a route, with the names of its query separated by spaces."""
    return Route(line, answer, frozenset(query.split()), **rules)


def listed(entries: list[Any]) -> Json:
    return {"count": len(entries), "value": entries}


def skipped(asked: Asked, entries: list[Any], top: str = "$top", skip: str = "$skip") -> Json:
    """The entries of a list that is read by skipping."""
    start = asked.number(skip, 0)
    return listed(entries[start : start + asked.number(top, 100)])


def continued(asked: Asked, entries: list[Any], size: int = 100) -> Reply:
    """The entries of a list that is read by tokens, with the token for those that follow."""
    start = asked.number("continuationToken", 0)
    end = start + min(size, asked.number("$top", size))
    headers = {"x-ms-continuationtoken": str(end)} if end < len(entries) else {}
    return Reply(listed(entries[start:end]), headers=headers)
