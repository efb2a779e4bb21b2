"""Resource Graph: one question about all resources of some subscriptions, answered in rows."""

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
    """A question of ours: one table, and what is done with it step by step. So it can be confined to certain groups.

    What it takes of a caller stands in it as text, by `text_of`, or is one word.
    """
    return _question(subscriptions, "\n| ".join([table, *steps]), is_ready_made=True)


def of_caller(subscriptions: Sequence[str], query: str) -> AzureRequest:
    """A question in the caller's own words."""
    return _question(subscriptions, query, is_ready_made=False)


def _question(subscriptions: Sequence[str], query: str, *, is_ready_made: bool) -> AzureRequest:
    body = {"subscriptions": list(subscriptions), "query": query, "options": {"resultFormat": "objectArray"}}
    return AzureRequest(_LINE, body=body, is_read=True, version=VERSION, is_ready_made=is_ready_made, quota=_QUOTA)


@dataclass(frozen=True, slots=True)
class GraphRows:
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
        return self.total > self.skipped + len(self.items) or self.is_cut


async def rows_of(send: Send, request: AzureRequest, limit: int, skip: int = 0) -> GraphRows:
    """Ask, and read the rows after the first `skip` of them, page by page and `limit` at most.

    It stops where no further question may be asked just now: one page counts as one question.
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
            raise Refusal("Azure gives the same page of this result again and again. Ask for less of it.")
        seen.add(token)
        following = _with(request, {"$top": min(limit - len(items), LARGEST_PAGE), "$skipToken": token})
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
    """The rows, whichever of its two forms Azure gives them in."""
    if isinstance(data, Mapping):
        names = [str(column.get("name")) for column in data.get("columns") or () if isinstance(column, Mapping)]
        return [dict(zip(names, row, strict=False)) for row in data.get("rows") or () if isinstance(row, list)]
    return [row for row in data if isinstance(row, dict)] if isinstance(data, list) else []
