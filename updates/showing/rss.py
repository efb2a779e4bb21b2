"""Exports search results as an RSS feed, newest first or in the requested order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Final

from text.xml_text import element, writable
from updates.searching.search import FoundUpdate
from updates.showing.invented import FileHeading, title_of

MEDIA_TYPE: Final = "application/rss+xml; charset=utf-8"
_WHAT: Final = (
    "This is an RSS feed. Add the URL to a feed reader, to Outlook (RSS Feeds, Add a New RSS Feed) or to a chat"
    " channel to see each new update."
)


def beginning(heading: FileHeading) -> str:
    mark = "INVENTED SAMPLE: " if heading.is_sample else ""
    about = f"{heading.notice} " if heading.notice else ""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<!-- {_in_a_comment(about)}{_WHAT} -->\n<rss version="2.0"><channel>'
        f"{element('title', f'{mark}Azure updates')}{element('link', 'https://azure.microsoft.com/updates')}"
        f"{element('description', f'{about}Azure updates that match the filters in the URL of this feed. {_WHAT}')}\n"
    )


def entry(found: FoundUpdate, _body: Callable[[], str]) -> str:
    modified = datetime.fromisoformat(found.modified)
    published = modified.astimezone(UTC) if modified.tzinfo else modified.replace(tzinfo=UTC)
    categories = (*found.tags, *found.product_categories, *found.products)
    parts = (
        element("title", title_of(found)),
        element("link", found.url),
        element("guid", found.id, isPermaLink="false"),
        element("pubDate", format_datetime(published, usegmt=True)),
        element("description", found.description),
        *(element("category", name) for name in categories),
    )
    return f"<item>{''.join(parts)}</item>\n"


def ending() -> str:
    return "</channel></rss>\n"


def _in_a_comment(text: str) -> str:
    """Escape text for an XML comment: two hyphens would end the comment."""
    return writable(text).replace("--", "- ")
