"""Resource Graph: one query over all resources of some subscriptions, answered in rows."""

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
    """Our own query: one table and steps, so that it can be confined to certain groups.

    Callers' values are quoted by `text_of`, or are single words.
    """
    return _question(subscriptions, "\n| ".join([table, *steps]), is_ready_made=True)


def of_caller(subscriptions: Sequence[str], query: str) -> AzureRequest:
    """The caller's own query."""
    return _question(subscriptions, query, is_ready_made=False)


def _question(subscriptions: Sequence[str], query: str, *, is_ready_made: bool) -> AzureRequest:
    body = {"subscriptions": list(subscriptions), "query": query, "options": {"resultFormat": "objectArray"}}
    return AzureRequest(_LINE, body=body, is_read=True, version=VERSION, is_ready_made=is_ready_made, quota=_QUOTA)


@dataclass(frozen=True, slots=True)
class GraphRows:
    """The result of a query: those of `total` rows after the first `skipped`.

    `is_cut` means that Azure truncated the result, `subscriptions_left_out` that there are more subscriptions than it
    queries at once. If the quota is used up, `resets_in` says when it resets.
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
    """Run a query, and read up to `limit` rows after the first `skip`, page by page.

    It stops when the quota is used up: each page counts as one query.
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
    """A quoted text that cannot break out of its quotes.

    Raises:
        Refusal: It has characters that names cannot have.
    """
    if not text.isprintable():
        raise Refusal("Values must not contain line breaks or control characters.")
    # For printable text, KQL escapes are those of JSON.
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
    """The rows, from either of Azure's two formats."""
    if isinstance(data, Mapping):
        names = [str(column.get("name")) for column in data.get("columns") or () if isinstance(column, Mapping)]
        return [dict(zip(names, row, strict=False)) for row in data.get("rows") or () if isinstance(row, list)]
    return [row for row in data if isinstance(row, dict)] if isinstance(data, list) else []
