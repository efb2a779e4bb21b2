"""Writes the text of a notice, for people and for programs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from notifying.notification import Notification, NotificationItem, plain
from watching.delivery import NoticeOccasion, WatchDelivery
from watching.watch import DAYS, Watch

_HEADINGS: Final = {
    NoticeOccasion.EXPIRING: "{} expires soon",
    NoticeOccasion.TROUBLE: "{} has stopped working",
    NoticeOccasion.TEST: "A test of {}",
}


def notification_of(delivery: WatchDelivery, watch: Watch) -> Notification:
    return Notification(
        id=delivery.id,
        heading=heading_of(delivery, watch),
        facts=_facts(delivery, watch),
        items=[entry.item for entry in delivery.entries],
        kind=f"watch.{delivery.occasion}",
        data=_data(delivery, watch),
    )


def heading_of(delivery: WatchDelivery, watch: Watch) -> str:
    name = f"{'What retires here' if watch.scopes else 'Azure updates'}, watch {watch.name}"
    if delivery.occasion is not NoticeOccasion.NEWS:
        return _HEADINGS[delivery.occasion].format(f"Watch {watch.name}")
    count = f"{delivery.changes} change{'s' * (delivery.changes != 1)}"
    return f"{name}: {count}{f' (part {delivery.part} of {delivery.parts})' if delivery.parts > 1 else ''}"


def day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"


def _facts(delivery: WatchDelivery, watch: Watch) -> dict[str, str]:
    match delivery.occasion:
        case NoticeOccasion.EXPIRING:
            renewal = f"renew_watch with the name {watch.name} keeps the watch for {DAYS} more days"
            return {"Expires": day(watch.expires), "Owner": watch.owner, "To keep it": renewal}
        case NoticeOccasion.TROUBLE:
            return {"Why": watch.trouble, "Owner": watch.owner, "To fix it": "update_watch changes the search"}
        case NoticeOccasion.TEST:
            return {"Meaning": "Notices from this watch will arrive here."}
        case _:
            return {}


def _data(delivery: WatchDelivery, watch: Watch) -> dict[str, Any]:
    data: dict[str, Any] = {"watch": watch.name, "created": _moment(delivery.created)}
    if delivery.occasion is NoticeOccasion.NEWS:
        documents = [document for entry in delivery.entries for document in entry.documents]
        return {**data, "part": delivery.part, "parts": delivery.parts, "changes": documents}
    return {**data, **{name.lower().replace(" ", "_"): text for name, text in _facts(delivery, watch).items()}}


def _moment(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}"


def text_of(item: NotificationItem) -> str:
    """Return an item of a notice as lines of text."""
    return "\n".join(f"{name}: {plain(text)}" for name, text in item.facts.items() if text)
