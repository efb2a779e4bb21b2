"""Resource Graph: one question about all resources of some subscriptions, answered in rows."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from clients.azure.messages import Answer, Request
from refusal import Refusal

VERSION: Final = "2024-04-01"
LARGEST_PAGE: Final = 1000
_LINE: Final = "POST /providers/Microsoft.ResourceGraph/resources"
_MOST_PAGES: Final = 20

Send = Callable[[Request], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class GraphRequest(Request):
    """A question to Resource Graph.

    One that `is_ready_made` is ours and not the caller's: its first line is one table and nothing else, no other
    table is in it, and so `within` can confine it. What it takes of a caller stands in it as text (`text_of`).
    """

    is_ready_made: bool = field(default=False, kw_only=True)

    @classmethod
    def ready_made(cls, subscriptions: Sequence[str], table: str, *steps: str) -> Self:
        """A question of ours: a table, and what is done with it step by step."""
        return cls._of(subscriptions, "\n| ".join([table, *steps]), is_ready_made=True)

    @classmethod
    def of_caller(cls, subscriptions: Sequence[str], query: str) -> Self:
        """A question in the caller's own words."""
        return cls._of(subscriptions, query, is_ready_made=False)

    @classmethod
    def _of(cls, subscriptions: Sequence[str], query: str, *, is_ready_made: bool) -> Self:
        body = {"subscriptions": list(subscriptions), "query": query, "options": {"resultFormat": "objectArray"}}
        return cls(_LINE, body=body, is_read=True, version=VERSION, is_ready_made=is_ready_made)

    @property
    def subscriptions(self) -> list[str]:
        return list(self.body["subscriptions"])

    def with_options(self, **options: Any) -> Self:
        return replace(self, body={**self.body, "options": {**self.body["options"], **options}})

    def within(self, groups: Iterable[tuple[str, str]]) -> Self:
        """The same question, of certain groups alone: each is given by the id of its subscription and its name.

        Raises:
            ValueError: It is a question of the caller's, which cannot be confined.
        """
        if not self.is_ready_made:
            raise ValueError("what a caller wrote may look anywhere")
        places = [f"subscriptionId =~ {text_of(one)} and resourceGroup =~ {text_of(name)}" for one, name in groups]
        test = " or ".join(f"({place})" for place in places) or "false"
        table, _, steps = self.body["query"].partition("\n")
        return replace(self, body={**self.body, "query": f"{table}\n| where {test}\n{steps}".rstrip("\n")})


@dataclass(frozen=True, slots=True)
class Rows:
    """What a question found: of `total` rows those after the first `skipped`.

    `is_cut` says that Azure itself left some out, `subscriptions_left_out` that there are more subscriptions than it
    looks into at once. Where no further question may be asked just now, `resets_in` tells when it may.
    """

    items: list[dict[str, Any]]
    total: int
    skipped: int = 0
    is_cut: bool = False
    subscriptions_left_out: bool = False
    quota_left: int | None = None
    resets_in: str = ""

    @property
    def has_more(self) -> bool:
        return self.total > self.skipped + len(self.items)


async def rows_of(send: Send, request: GraphRequest, limit: int, skip: int = 0) -> Rows:
    """Ask, and read the rows after the first `skip` of them, page by page and `limit` at most.

    It stops where no further question may be asked just now: one page counts as one question.
    """
    items: list[dict[str, Any]] = []
    following = request.with_options(**{"$top": min(limit, LARGEST_PAGE)}, **({"$skip": skip} if skip else {}))
    seen: set[str] = set()
    for _ in range(_MOST_PAGES):
        answer = await send(following)
        document = _object(answer)
        items += _rows(document.get("data"))
        rows = _read(answer, document, items[:limit], skip)
        token = str(document.get("$skipToken") or "")
        if not token or len(items) >= limit or rows.quota_left == 0:
            break
        if token in seen:
            raise Refusal("Azure gives the same page of this result again and again. Ask for less of it.")
        seen.add(token)
        following = request.with_options(**{"$top": min(limit - len(items), LARGEST_PAGE), "$skipToken": token})
    return rows


def text_of(text: str) -> str:
    """A text as a query has it: nothing in it can end it.

    Raises:
        Refusal: It has characters that no name has.
    """
    if not text.isprintable():
        raise Refusal("A value holds line breaks or other characters that no name has.")
    # The escapes of the query language are those of JSON, as far as printable text needs any.
    return json.dumps(text, ensure_ascii=False)


def _object(answer: Answer) -> Mapping[str, Any]:
    document = answer.document
    if not isinstance(document, dict):
        raise Refusal("Azure answered with something else than rows; a proxy in between may be why.")
    return document


def _read(answer: Answer, document: Mapping[str, Any], items: list[dict[str, Any]], skip: int) -> Rows:
    headers = answer.headers
    left = headers.get("x-ms-user-quota-remaining", "")
    total = document.get("totalRecords")
    return Rows(
        items,
        total if isinstance(total, int) else skip + len(items),
        skip,
        str(document.get("resultTruncated")).lower() == "true",
        headers.get("x-ms-tenant-subscription-limit-hit", "").lower() == "true",
        int(left) if left.isdecimal() else None,
        headers.get("x-ms-user-quota-resets-after", ""),
    )


def _rows(data: Any) -> list[dict[str, Any]]:
    """The rows, whichever of its two forms Azure gives them in."""
    if isinstance(data, Mapping):
        names = [str(column.get("name")) for column in data.get("columns") or () if isinstance(column, Mapping)]
        return [dict(zip(names, row, strict=False)) for row in data.get("rows") or () if isinstance(row, list)]
    return [row for row in data if isinstance(row, dict)] if isinstance(data, list) else []
