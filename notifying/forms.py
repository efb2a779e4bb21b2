"""How a notice looks where it goes. Texts of others stand where no markup and no mention is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, Final

from notifying.notice import Notification, plain

_OPEN: Final = "Open the page"
# Signs that look alike and do nothing.
_TAME: Final = str.maketrans({"<": "\u2039", ">": "\u203a"})
_UNLINKED: Final = str.maketrans({"@": "\uff20", "#": "\uff03"})


def teams(notice: Notification) -> dict[str, Any]:
    """A card as workflows of Power Automate take it. Text runs know no Markdown, which text blocks and facts do."""
    rows = [_runs(_run(f"{name}: ", weight="Bolder"), _run(text)) for name, text in _facts(notice)]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [_runs(_run(notice.heading, weight="Bolder", size="Large")), *rows],
        "actions": [{"type": "Action.OpenUrl", "title": _OPEN, "url": notice.link}],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def slack(notice: Notification) -> dict[str, Any]:
    """Blocks of plain text, in which Slack reads neither markup nor mentions."""
    told = "\n".join(f"{name}: {text}" for name, text in _facts(notice))
    button = {"type": "button", "text": _plain_text(_OPEN), "url": notice.link}
    return {
        "text": notice.heading,
        "unfurl_links": False,
        "blocks": [
            {"type": "header", "text": _plain_text(notice.heading)},
            {"type": "section", "text": _plain_text(told)},
            {"type": "actions", "elements": [button]},
        ],
    }


def work_item_comment(notice: Notification) -> dict[str, Any]:
    """A comment in HTML. An @ would mention somebody, and a # link a work item."""
    rows = [f"{escape(name)}: {_unlinked(text)}" for name, text in _facts(notice)]
    link = f'<a href="{escape(notice.link)}">{_OPEN}</a>'
    return {"text": "<br>".join([f"<b>{escape(notice.heading)}</b>", *rows, link])}


FORMS: Final[Mapping[str, Callable[[Notification], dict[str, Any]]]] = {
    "teams": teams,
    "slack": slack,
    "azure-devops": work_item_comment,
}


def body_of(form: str, notice: Notification) -> bytes:
    return json.dumps(FORMS[form](notice), ensure_ascii=True).encode()


def _facts(notice: Notification) -> list[tuple[str, str]]:
    # No angle brackets: by them, old clients of Teams read mentions everywhere.
    return [(name, plain(text).translate(_TAME)) for name, text in notice.facts.items() if text]


def _runs(*runs: dict[str, Any]) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": list(runs)}


def _run(text: str, **look: str) -> dict[str, Any]:
    return {"type": "TextRun", "text": text, **look}


def _plain_text(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}


def _unlinked(text: str) -> str:
    return escape(text.translate(_UNLINKED))
