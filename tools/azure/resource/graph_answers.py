"""What Resource Graph found, as a model gets to see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from clients.azure.client import Subscription
from clients.azure.graph import Rows
from tools.azure.resource.places import shortened, told
from tools.azure.shared.answers import Json, answer, present

_LITTLE_QUOTA: Final = 3


def rows_told(rows: Rows, asked: Sequence[Subscription], *ids: str, **more: Any) -> Json:
    """Rows, which subscriptions were asked, and whatever makes them less than everything.

    Ids in the columns that `ids` names are shortened.
    """
    short = shortened((present(row) for row in rows.items), *ids)
    return {
        **answer(asked=told(asked), incomplete=incomplete(rows), quota=_quota(rows)),
        "count": len(rows.items),
        **present({"total": rows.total if rows.total != len(rows.items) else None, "more": _more(rows)}),
        **present(more),
        **present({"idsBeginWith": short.get("idsBeginWith")}),
        "items": short["items"],
    }


def incomplete(rows: Rows) -> str | None:
    """Why there may be more than Azure looked at or gave, which nobody sees in the rows."""
    return " ".join(_gaps(rows)) or None


def _gaps(rows: Rows) -> Iterator[str]:
    if rows.is_cut:
        yield "Azure cut the result. Keep `id` in it and leave out take and limit, or narrow it."
    if rows.subscriptions_left_out:
        yield "There are more subscriptions than Azure looks into at once: name some."


def _more(rows: Rows) -> str | None:
    if not rows.has_more:
        return None
    return "There are more: raise max_results, narrow the request, or skip these."


def _quota(rows: Rows) -> str | None:
    if rows.quota_left is None or rows.quota_left > _LITTLE_QUOTA:
        return None
    after = f" for {rows.resets_in} (hours, minutes, seconds)" if rows.resets_in else ""
    return f"You may ask Resource Graph {rows.quota_left} more questions{after}."
