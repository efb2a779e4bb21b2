"""Requests to a service, and the responses. Requests and responses do not depend on the HTTP library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Self

JSON: Final = "application/json"
OCTETS: Final = "application/octet-stream"
TEXT: Final = "text/plain"

Place = Literal["query", "body"]


@dataclass(frozen=True, slots=True)
class Request:
    """A request, written as in the documentation of services: `GET /{project}/_apis/build/builds/{buildId}`.

    - Each value becomes exactly one path segment. A value that is None removes its segment.
    - A body is sent as JSON, unless it is bytes.
    - Only requests that change nothing are retried. `is_read` marks a POST request that only reads.
    """

    line: str
    values: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    content_type: str = JSON
    accept: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    is_read: bool = field(default=False, kw_only=True)
    # The timeout in seconds for requests that take unusually long. These requests are not retried.
    seconds: float | None = field(default=None, kw_only=True)
    # The name of the service's quota that applies to this request. Requests with other quotas do not wait when this
    # quota is used up.
    quota: str = field(default="", kw_only=True)

    @property
    def method(self) -> str:
        return self.line.partition(" ")[0]

    @property
    def is_repeatable(self) -> bool:
        return self.is_read or self.method == "GET"

    @property
    def present_line(self) -> str:
        """The request line. If the value of a variable is None, the path segment of this variable is omitted."""
        line = self.line
        for name, value in self.values.items():
            line = line.replace(f"/{{{name}}}", "") if value is None else line
        return line

    @property
    def present_values(self) -> dict[str, str | int]:
        return {name: value for name, value in self.values.items() if value is not None}

    @property
    def present_headers(self) -> dict[str, str]:
        """The headers of the request, including those for its content."""
        content = {} if self.body is None else {"Content-Type": self.content_type}
        return {"Accept": self.accept, **content, **self.headers}

    def asking(self, place: Place, **parameters: str | int) -> Self:
        """A copy of the request with additional query or body parameters."""
        if place == "query":
            return replace(self, query={**self.query, **parameters})
        return replace(self, body={**self.body, **parameters})


@dataclass(frozen=True)
class Answer:
    """A response. `is_cut`: only the start of the response was read. `is_of_change`: the request changed something."""

    status: int
    headers: Mapping[str, str]
    content: bytes = b""
    is_cut: bool = False
    is_of_change: bool = False
    # The number of list entries that were removed because they are outside the allowed scope.
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
    """The first entries of a list, and whether the list has more entries.

    Entries may be left out because they are out of scope or have an invalid ID.
    """

    items: list[Any]
    has_more: bool = False
    left_out: int = 0
    unreadable: int = 0


def combined(pages: Iterable[ListPage]) -> ListPage:
    """Join several lists into one list, and keep the order of the entries."""
    listed = list(pages)
    return ListPage(
        [item for page in listed for item in page.items],
        any(page.has_more for page in listed),
        sum(page.left_out for page in listed),
        sum(page.unreadable for page in listed),
    )
