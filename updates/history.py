"""Formats the history of an update for users: the changed fields with old and new values, and the time
of each change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from updates.changes import FieldEdit, PastChange, UpdateChange, Value, excerpts
from updates.record import Availability


def history_document(history: Iterable[PastChange]) -> list[dict[str, Any]]:
    return [_document(change) for change in history]


def changelog_document(changes: Iterable[UpdateChange]) -> list[dict[str, Any]]:
    return [{"id": change.id, "title": change.title, **_document(change)} for change in changes]


def _document(change: PastChange | UpdateChange) -> dict[str, Any]:
    document: dict[str, Any] = {"change": change.kind.value, "seen": f"{change.seen:%Y-%m-%dT%H:%M:%SZ}"}
    return document | ({"edits": [_edit(edit) for edit in change.edits]} if change.edits else {})


def _edit(edit: FieldEdit) -> dict[str, Any]:
    before, after = edit.before, edit.after
    if isinstance(before, str) and isinstance(after, str):
        before, after = excerpts(before, after)
    return {"field": _CALLED.get(edit.field, edit.field), "before": _shown(before), "after": _shown(after)}


_CALLED = {"product_categories": "productCategories"}


def _shown(value: Value) -> Any:
    if isinstance(value, tuple):
        return [str(entry) if isinstance(entry, Availability) else entry for entry in value]
    return value
