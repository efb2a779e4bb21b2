"""Publishes the news of a watch as an Atom feed, in plain text that feed readers do not parse as markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final

from notifying.notification import NotificationItem, plain
from text.xml_text import element, empty_element
from watching.delivery import WatchDelivery
from watching.watch import Watch
from watching.wording import heading_of, notification_of, text_of

MEDIA_TYPE: Final = "application/atom+xml; charset=utf-8"
MOST_NOTICES: Final = 50
_TOKEN_BYTES: Final = 32


def new_token() -> str:
    """Create the secret token in the URL of a feed. Everyone with the token can read the feed."""
    return token_urlsafe(_TOKEN_BYTES)


def mark_of(token: str) -> str:
    """Hash a feed's token for storage. The URL cannot be derived from the hash."""
    return sha256(token.encode(errors="replace")).hexdigest()


def feed_of(watch: Watch, deliveries: Sequence[WatchDelivery]) -> bytes:
    """Write the newest notices of a watch as a feed."""
    updated = deliveries[0].created if deliveries else watch.created
    head = [
        element("id", f"urn:watch:{watch.id}"),
        element("title", f"Azure updates, watch {watch.name}"),
        element("updated", _moment(updated)),
        f"<author>{element('name', 'Azure Team MCP')}</author>",
    ]
    entries = [entry for delivery in deliveries for entry in _entries(delivery, watch)]
    body = "".join([*head, *entries])
    return f'<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">{body}</feed>\n'.encode()


def _entries(delivery: WatchDelivery, watch: Watch) -> Iterator[str]:
    items = [entry.item for entry in delivery.entries]
    if not items:
        items = [NotificationItem(heading_of(delivery, watch), notification_of(delivery, watch).facts)]
    for number, item in enumerate(items, 1):
        yield _entry(f"urn:watch:{delivery.id}:{number}", item, delivery.created)


def _entry(name: str, item: NotificationItem, created: float) -> str:
    link = empty_element("link", href=item.link) if item.link else ""
    parts = (
        element("id", name),
        element("title", plain(item.title), type="text"),
        element("updated", _moment(created)),
        link,
        element("content", text_of(item), type="text"),
    )
    return f"<entry>{''.join(parts)}</entry>\n"


def _moment(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}"
