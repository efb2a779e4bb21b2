"""Describes a change to an Azure update: as text for people, and as data for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from notifying.notification import LONGEST_TEXT, NotificationItem
from text.markdown import to_markdown
from updates.changes import ChangeKind, FieldEdit, UpdateChange, Value, excerpts
from updates.history import changelog_document
from updates.keeping.store import LoggedChange
from updates.record import Availability
from watching.news import WatchNews, bounded

if TYPE_CHECKING:
    from updates.searching.search import FoundUpdate

_KINDS: Final = {
    ChangeKind.ADDED: "New",
    ChangeKind.EDITED: "Changed",
    ChangeKind.WITHDRAWN: "Withdrawn from the feed",
    ChangeKind.RESTORED: "Back in the feed",
}
# The visible fields of an update. Edits to other fields are not news.
_FIELDS: Final = {
    "title": "Title",
    "description": "Text",
    "status": "Status",
    "tags": "Tags",
    "product_categories": "Categories",
    "products": "Products",
    "availabilities": "Dates",
}
_NOTHING: Final = "nothing"


def news_of(logged: LoggedChange, found: FoundUpdate) -> WatchNews | None:
    """Describe a change to an update, or return None if no visible field changed. `found` is the update in its current
    state.
    """
    change = logged.change
    edits = _in_words(change)
    if change.kind is ChangeKind.EDITED and not edits:
        return None
    facts = {"What": _KINDS[change.kind], **(edits or _about(found))}
    (document,) = changelog_document([_visible(change)])
    item = NotificationItem(change.title[:LONGEST_TEXT], facts, found.url)
    alike = f"{edits}" if change.kind is ChangeKind.EDITED else ""
    return WatchNews(item, bounded({"key": logged.key, **document, "url": found.url}), alike)


def _visible(change: UpdateChange) -> UpdateChange:
    shown = tuple(edit for edit in change.edits if edit.field in _FIELDS)
    return UpdateChange(change.id, change.title, change.kind, change.seen, shown)


def _about(found: FoundUpdate) -> dict[str, str]:
    about = {"Dates": _text(found.availabilities), "Status": _text(found.status), "Products": _text(found.products)}
    return {name: text[:LONGEST_TEXT] for name, text in about.items() if text != _NOTHING}


def _in_words(change: UpdateChange) -> dict[str, str]:
    facts: dict[str, str] = {}
    for edit in _visible(change).edits:
        before, after = _sides(edit)
        if before != after:
            facts |= _fact(_FIELDS[edit.field], before, f"{after}{_slip(edit)}")
    return facts


def _fact(name: str, before: str, after: str) -> dict[str, str]:
    """Return the old and the new value on one line or, if the line would be too long, on two lines."""
    if len(line := f"{before} → {after}") <= LONGEST_TEXT:
        return {name: line}
    return {f"{name} before": before[:LONGEST_TEXT], f"{name} after": after[:LONGEST_TEXT]}


def _sides(edit: FieldEdit) -> tuple[str, str]:
    """Return the old and new text without markup. If the texts are long, return only the part that differs."""
    before, after = _text(edit.before), _text(edit.after)
    if edit.field == "description":
        before, after = to_markdown(before), to_markdown(after)
    return excerpts(before, after) if before != after else (before, after)


def _text(value: Value) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or _NOTHING
    return value or _NOTHING


def _slip(edit: FieldEdit) -> str:
    """If exactly one date moved, return the number of months by which it moved, as text."""
    before, after = _months(edit.before), _months(edit.after)
    moves = [after[ring] - before[ring] for ring in before.keys() & after.keys() if before[ring] != after[ring]]
    if len(moves) != 1:
        return ""
    months = abs(moves[0])
    return f" ({months} month{'s' * (months != 1)} {'later' if moves[0] > 0 else 'earlier'})"


def _months(value: Value) -> dict[str, int]:
    dates = [one for one in value or () if isinstance(one, Availability)]
    return {one.ring: 12 * one.year + one.month for one in dates if one.year and one.month}
