"""How a part of the fake declares what it answers, and what it raises where the real one refuses."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from tests.fakes.azure.people import Principal

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived."""

    method: str
    origin: str  # with which links to this service begin
    path: str  # decoded, with one slash where several were
    query: Mapping[str, str]  # with names in lower case
    headers: Mapping[str, str]
    content: bytes
    caller: Principal | None = None
    tenant: str = ""  # the token's
    places: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> Any:
        try:
            return json.loads(_lenient(self.content)) if self.content.strip() else {}
        except ValueError:
            raise AzureError(
                400, "InvalidRequestContent", "The request content was invalid and could not be deserialized."
            ) from None

    @property
    def version(self) -> str:
        return self.query.get("api-version", "")

    def number(self, name: str, otherwise: int) -> int:
        text = self.query.get(name, str(otherwise))
        if not text.isdecimal():
            raise AzureError(400, "InvalidQueryParameter", f"The value '{text}' of '{name}' is invalid.")
        return int(text)


@dataclass(frozen=True, slots=True)
class Reply:
    document: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    # What is no JSON.
    content: bytes | None = None


class AzureError(Exception):
    """A failure in the form of Resource Manager: `code` is what programs go by."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.more = status, code, message, more or {}
        self.headers = {"x-ms-failure-cause": "gateway", **(headers or {})}

    @property
    def reply(self) -> Reply:
        error = {"code": self.code, "message": self.message, **self.more}
        return Reply({"error": error}, self.status, self.headers)


@dataclass(frozen=True)
class Route:
    """`GET {scope}/providers/Microsoft.Authorization/locks/{name}`, in any case of its letters.

    `{scope}` may be nothing, or have several parts, as `{rest}` has at least one.
    """

    line: str
    answer: Callable[[Asked], Any]
    # Whoever asks need not have signed in.
    is_open: bool = False
    # Whose api-versions it takes; without one, any.
    type: str = ""
    # It is of a data host, which takes none.
    is_of_data: bool = False

    def places(self, asked: Asked) -> dict[str, str] | None:
        """The values of the path, where the route is meant."""
        method, pattern = _parts(self.line)
        found = pattern.fullmatch(asked.path) if asked.method == method else None
        return found.groupdict() if found else None


@cache
def _parts(line: str) -> tuple[str, re.Pattern[str]]:
    """The method, and the pattern of the path."""
    method, _, path = line.partition(" ")
    escaped = re.escape(path).replace(r"\{scope\}", "(?P<scope>(?:/.+)?)").replace(r"\{rest\}", "(?P<rest>.+)")
    return method, re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", escaped), re.IGNORECASE)


def paged(asked: Asked, entries: Sequence[Any], size: int, **more: Any) -> Json:
    """The entries of a list that is read by absolute links to what follows."""
    start = offset_of(asked.query.get("$skiptoken"))
    end = start + min(size, asked.number("$top", size))
    page: Json = {"value": list(entries[start:end]), **more}
    if end < len(entries):
        page["nextLink"] = _following(asked, end)
    return page


def skip_token(offset: int) -> str:
    return urlsafe_b64encode(json.dumps({"offset": offset}).encode()).decode()


def _following(asked: Asked, offset: int) -> str:
    query = {**asked.query, "$skiptoken": skip_token(offset)}
    return f"{asked.origin}{quote(asked.path)}?{urlencode(query)}"


def offset_of(token: str | None) -> int:
    if token is None:
        return 0
    try:
        return int(json.loads(urlsafe_b64decode(token))["offset"])
    except (ValueError, LookupError, TypeError):
        raise AzureError(400, "InvalidSkipToken", "The skip token is invalid.") from None


def _lenient(content: bytes) -> bytes:
    """With quotes around a key that `az` leaves without, and the real service takes."""
    return re.sub(rb"([,{]\s*)template\s*:", rb'\1"template":', content)


def without(document: Json, names: Iterable[str]) -> Json:
    unwanted = set(names)
    return {name: value for name, value in document.items() if name not in unwanted}
