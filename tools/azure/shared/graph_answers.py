"""Formats Resource Graph results for models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from clients.azure.client import Subscription
from clients.azure.graph import GraphRows
from clients.azure.resource_scopes import names_of
from tools.azure.shared.answers import Json, answer, present
from tools.azure.shared.compact import compact, shortened

NARROW: Final = "raise max_results, or narrow the request"
_LITTLE_QUOTA: Final = 3


def rows_told(rows: GraphRows, asked: Sequence[Subscription], *ids: str, advice: str = NARROW, **more: Any) -> Json:
    """Return the rows, the queried subscriptions, and why the result may be incomplete.

    Ids are shortened in the columns that `ids` names or, by default, in every column that contains only ids.
    """
    found = [present(row) for row in rows.items]
    return {
        **answer(asked=names_of(asked), quota=_quota(rows)),
        "count": len(rows.items),
        **present({"total": rows.total if rows.total != len(rows.items) else None, "more": unseen(rows, advice)}),
        **present(more),
        **(shortened(found, *ids) if ids else compact(found)),
    }


def unseen(rows: GraphRows, advice: str = NARROW) -> str | None:
    """Return why the result may be incomplete. The rows themselves do not show whether other rows are missing."""
    return " ".join(_gaps(rows, advice)) or None


def _gaps(rows: GraphRows, advice: str) -> Iterator[str]:
    if rows.is_cut:
        yield "Azure truncated the result. Either narrow the query, or keep `id` in it and remove `take` and `limit`."
    elif rows.has_more:
        yield f"There are more results: {advice}."
    if rows.subscriptions_left_out:
        yield "Azure cannot query this many subscriptions at once. Pass fewer subscriptions."


def _quota(rows: GraphRows) -> str | None:
    if rows.quota_left is None or rows.quota_left > _LITTLE_QUOTA:
        return None
    after = f"; the limit resets in {rows.resets_in} (hours, minutes, seconds)" if rows.resets_in else ""
    return f"{rows.quota_left} Resource Graph queries left{after}."
