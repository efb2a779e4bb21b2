"""Requests to a service and its responses, as plain values independent of transport."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Self

JSON: Final = "application/json"
OCTETS: Final = "application/octet-stream"
TEXT: Final = "text/plain"

Place = Literal["query", "body"]


@dataclass(frozen=True, slots=True)
class Request:
    """One request, as service documentation writes it: `GET /{project}/_apis/build/builds/{buildId}`.

    Each value fills exactly one path segment; None omits the segment. A body becomes JSON, and bytes are sent as they
    are. Only reads are retried after a failure; `is_read` marks a POST that reads.
    """

    line: str
    values: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    content_type: str = JSON
    accept: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    is_read: bool = field(default=False, kw_only=True)
    # The timeout of an unusually slow response. Such a request is not retried.
    seconds: float | None = field(default=None, kw_only=True)
    # The request's own quota at the service, if any: other requests need not wait when it is used up.
    quota: str = field(default="", kw_only=True)

    @property
    def method(self) -> str:
        return self.line.partition(" ")[0]

    @property
    def is_repeatable(self) -> bool:
        return self.is_read or self.method == "GET"

    @property
    def present_line(self) -> str:
        """The line without segments that have no value."""
        line = self.line
        for name, value in self.values.items():
            line = line.replace(f"/{{{name}}}", "") if value is None else line
        return line

    @property
    def present_values(self) -> dict[str, str | int]:
        return {name: value for name, value in self.values.items() if value is not None}

    @property
    def present_headers(self) -> dict[str, str]:
        """The content headers and its own headers."""
        content = {} if self.body is None else {"Content-Type": self.content_type}
        return {"Accept": self.accept, **content, **self.headers}

    def asking(self, place: Place, **parameters: str | int) -> Self:
        """The same request with other query or body parameters."""
        if place == "query":
            return replace(self, query={**self.query, **parameters})
        return replace(self, body={**self.body, **parameters})


@dataclass(frozen=True)
class Answer:
    """A response. `is_cut`: it was longer than what was read. `is_of_change`: the request was not a read."""

    status: int
    headers: Mapping[str, str]
    content: bytes = b""
    is_cut: bool = False
    is_of_change: bool = False
    # How many entries of a list were removed as out of scope.
    left_out: int = 0

    @property
    def content_type(self) -> str:
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        # Some responses start with a byte order mark, which JSON does not allow.
        return self.content.decode("utf-8-sig", errors="replace")


@dataclass(frozen=True, slots=True)
class ListPage:
    """The first entries of a list, whether there are more, and how many are out of scope or have no readable id."""

    items: list[Any]
    has_more: bool = False
    left_out: int = 0
    unreadable: int = 0
