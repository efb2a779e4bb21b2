"""What is asked of Azure DevOps and what it answers, as plain values that know nothing of how they travel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, Protocol, Self

from clients.azure_devops.organization import Host
from clients.azure_devops.records import Outcome, Record
from clients.decoding import decoded

VERSION: Final = "7.1"
JSON: Final = "application/json"
JSON_PATCH: Final = "application/json-patch+json"
OCTETS: Final = "application/octet-stream"
TEXT: Final = "text/plain"

Place = Literal["query", "body"]


@dataclass(frozen=True, slots=True)
class Request:
    """One request, written as the documentation writes it: `GET /{project}/_apis/build/builds/{buildId}`.

    Each value fills exactly one segment of the path, and one that is None leaves its segment out. A body becomes JSON,
    bytes go as they are. Only reading is repeated after a failure; `is_read` says so of what reads by POST.
    """

    line: str
    values: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    content_type: str = JSON
    accept: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    host: Host = Host.CORE
    version: str = VERSION
    is_read: bool = False

    @property
    def method(self) -> str:
        return self.line.partition(" ")[0]

    @property
    def is_repeatable(self) -> bool:
        return self.is_read or self.method == "GET"

    @property
    def present_line(self) -> str:
        """The line without the segments that have no value."""
        line = self.line
        for name, value in self.values.items():
            line = line.replace(f"/{{{name}}}", "") if value is None else line
        return line

    @property
    def present_values(self) -> dict[str, str | int]:
        return {name: value for name, value in self.values.items() if value is not None}

    def asking(self, place: Place, **parameters: str | int) -> Self:
        """The same request with other parameters in its query, or in its body."""
        if place == "query":
            return replace(self, query={**self.query, **parameters})
        return replace(self, body={**self.body, **parameters})


@dataclass(frozen=True)
class Answer:
    """What came back. `is_cut` says that there was more of it than was read; a change is what is not only read."""

    status: int
    headers: Mapping[str, str]
    content: bytes = b""
    is_cut: bool = False
    is_of_change: bool = False
    # How many entries of a list it had besides, which are out of reach.
    left_out: int = 0

    @property
    def content_type(self) -> str:
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        # Some answers begin with a byte order mark, which JSON does not allow.
        return self.content.decode("utf-8-sig", errors="replace")

    @cached_property
    def document(self) -> Any:
        """The JSON it holds: an object, without anything in it where the answer is empty.

        Raises:
            ValueError: It holds something else.
        """
        kind = Outcome if self.is_of_change else Record
        found = decoded(self.text, kind) if self.content else None
        if isinstance(found, list):
            found = kind(count=len(found), value=found)
        # Where an entry is gone, or may not be seen, some lists have a null.
        if isinstance(found, dict) and isinstance(found.get("value"), list):
            found["value"] = [entry for entry in found["value"] if entry is not None]
        return kind() if found is None else found


class Exchange(Protocol):
    """Carries requests to Azure DevOps."""

    async def send(self, base_url: str, request: Request, authorization: str, largest: int | None = None) -> Answer:
        """Send a request, and read at most `largest` bytes of the answer.

        Raises:
            Refusal: Nothing answers there, or a value cannot be a segment of the path.
        """
