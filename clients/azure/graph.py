"""Runs Resource Graph queries, which read the resources of several subscriptions at once."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clients.azure.messages import AzureAnswer, AzureRequest
from refusal import Refusal

VERSION: Final = "2024-04-01"
LARGEST_PAGE: Final = 1000
_QUOTA: Final = "Resource Graph"
_LINE: Final = "POST /providers/Microsoft.ResourceGraph/resources"
_MOST_PAGES: Final = 20

Send = Callable[[AzureRequest], Awaitable[AzureAnswer]]


def ready_made(subscriptions: Sequence[str], table: str, *steps: str) -> AzureRequest:
    """Build one of this server's own queries from a table and the steps that process the table.

    The query begins with the table, so that the query can be limited to some groups.

    Values from callers must be single words, or must be quoted with `text_of`.
    """
    return _question(subscriptions, "\n| ".join([table, *steps]), is_ready_made=True)


def of_caller(subscriptions: Sequence[str], query: str) -> AzureRequest:
    """Build the request for a query that the caller wrote."""
    return _question(subscriptions, query, is_ready_made=False)


def _question(subscriptions: Sequence[str], query: str, *, is_ready_made: bool) -> AzureRequest:
    body = {"subscriptions": list(subscriptions), "query": query, "options": {"resultFormat": "objectArray"}}
    return AzureRequest(_LINE, body=body, is_read=True, version=VERSION, is_ready_made=is_ready_made, quota=_QUOTA)


@dataclass(frozen=True, slots=True)
class GraphRows:
    """Rows of a query result.

    - `total`: the number of all rows.
    - `skipped`: the number of rows that were left out at the start.
    - `is_cut`: whether Azure truncated the result.
    - `subscriptions_left_out`: whether some subscriptions were left out, because there were too many for one query.
    - `resets_in`: when the quota resets; set only if the quota is used up.
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
        return self.total > self.skipped + len(self.items) or self.is_cut


async def rows_of(send: Send, request: AzureRequest, limit: int, skip: int = 0) -> GraphRows:
    """Run a query, and read up to `limit` rows.

    `skip` is the number of rows to leave out at the start. Reading stops when the quota is used up, because each page
    counts as a query.
    """
    items: list[dict[str, Any]] = []
    following = _with(request, {"$top": min(limit, LARGEST_PAGE), **({"$skip": skip} if skip else {})})
    seen: set[str] = set()
    for _ in range(_MOST_PAGES):
        answer = await send(following)
        document = _object(answer)
        items += _rows(document.get("data"))
        rows = _read(answer, document, items[:limit], limit, skip)
        token = str(document.get("$skipToken") or "")
        if not token or len(items) >= limit or rows.quota_left == 0:
            break
        if token in seen:
            raise Refusal("Azure keeps returning the same page of this result. Request less data.")
        seen.add(token)
        following = _with(request, {"$top": min(limit - len(items), LARGEST_PAGE), "$skipToken": token})
    return rows


def text_of(text: str) -> str:
    """Quote a string for a query. The string cannot break out of its quotes.

    Raises:
        Refusal: The text contains line breaks or control characters.
    """
    if not text.isprintable():
        raise Refusal("Values must not contain line breaks or control characters.")
    # JSON and KQL escape printable text in the same way.
    return json.dumps(text, ensure_ascii=False)


def _with(request: AzureRequest, options: Mapping[str, Any]) -> AzureRequest:
    return replace(request, body={**request.body, "options": {**request.body["options"], **options}})


def _object(answer: AzureAnswer) -> Mapping[str, Any]:
    document = answer.document
    if not isinstance(document, dict):
        raise Refusal("Azure's answer contains no rows. A proxy could be the cause.")
    return document


def _read(
    answer: AzureAnswer, document: Mapping[str, Any], items: list[dict[str, Any]], limit: int, skip: int
) -> GraphRows:
    headers = answer.headers
    left = headers.get("x-ms-user-quota-remaining", "")
    total = document.get("totalRecords")
    return GraphRows(
        items,
        total if isinstance(total, int) else skip + len(items),
        skip,
        str(document.get("resultTruncated")).lower() == "true" and len(items) < limit,
        headers.get("x-ms-tenant-subscription-limit-hit", "").lower() == "true",
        int(left) if left.isdecimal() else None,
        headers.get("x-ms-user-quota-resets-after", ""),
    )


def _rows(data: Any) -> list[dict[str, Any]]:
    """Read the rows of a response in either of Azure's two formats."""
    if isinstance(data, Mapping):
        names = [str(column.get("name")) for column in data.get("columns") or () if isinstance(column, Mapping)]
        return [dict(zip(names, row, strict=False)) for row in data.get("rows") or () if isinstance(row, list)]
    return [row for row in data if isinstance(row, dict)] if isinstance(data, list) else []
