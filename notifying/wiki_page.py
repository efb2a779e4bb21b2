"""Writes a notice as a section of an Azure DevOps wiki page.

A marker identifies the section. Untrusted text cannot contain this marker.
"""

from __future__ import annotations

import json
import re
from typing import Final

from pydantic_core import from_json

from notifying.notification import Notification, NotificationItem, plain

# In a wiki, these characters start HTML, mentions or links to work items. They are replaced with similar characters
# that have no effect.
_TAME: Final = str.maketrans({"<": "\u2039", ">": "\u203a", "@": "\uff20", "#": "\uff03"})
_MARKUP: Final = re.compile(r"[\\`*_{}\[\]()!|~:+\-=$]")
_FIRST_MARKER: Final = re.compile(r"^<!-- notice [\w.-]+ -->$", re.MULTILINE)


def content_in(answer: bytes) -> str | None:
    """The text of the wiki page in a response, or None if the response is not a wiki page."""
    try:
        page = from_json(answer)
    except ValueError:
        return None
    content = page.get("content", "") if isinstance(page, dict) else None
    return content if isinstance(content, str) else None


def body_of_page(content: str) -> bytes:
    return json.dumps({"content": content}).encode()


def with_notice(content: str, notice: Notification) -> str:
    """The text of the page, with the new notice below the introduction and above earlier notices."""
    marker = f"<!-- notice {notice.id} -->"
    if marker in content:
        return content
    section = f"{marker}\n{_section(notice)}\n"
    newest = _FIRST_MARKER.search(content)
    if newest is None:
        return f"{content.rstrip()}\n\n{section}".lstrip()
    return f"{content[: newest.start()]}{section}\n{content[newest.start() :]}"


def _section(notice: Notification) -> str:
    facts = [f"- {name}: {_escape(text)}" for name, text in notice.facts.items() if text]
    link = [f"- [Open the page]({notice.link})"] if notice.link else []
    return "\n".join([f"## {_escape(notice.heading)}", "", *facts, *map(_list_item, notice.items), *link])


def _list_item(item: NotificationItem) -> str:
    title = f"[{_escape(item.title)}]({item.link})" if item.link else _escape(item.title)
    facts = [f"  - {name}: {_escape(text)}" for name, text in item.facts.items() if text]
    return "\n".join([f"- **{title}**", *facts])


def _escape(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", plain(text).translate(_TAME))
