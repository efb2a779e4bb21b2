"""Formats notices for each kind of destination. Untrusted text goes only into fields in which the destination does not
parse markup or mentions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from notifying.notification import Notification, NotificationItem, plain

_OPEN: Final = "Open the page"
_READ: Final = "Read it"
# Replaces angle brackets with similar characters, so that a text cannot contain mentions.
_TAME: Final = str.maketrans({"<": "\u2039", ">": "\u203a"})
_UNLINKED: Final = str.maketrans({"@": "\uff20", "#": "\uff03"})
# The maximum length of a text. Slack rejects the whole message if one text is longer.
_LONGEST_SECTION: Final = 2900


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeForm:
    """A form of notices. Messages, descriptions of tools and the documentation list the forms from these records.

    - `label` names the destination for people. `url` describes the URL of a destination, and `arrives` describes what
      arrives there, both as Markdown.
    - `body` formats a notice as JSON. It is None for wiki pages, which `wiki_page.py` formats, because an existing page
      must be read before it is rewritten.
    - If `is_for_users` is true, users can enter URLs for their own watches. Only operators can enter other URLs.
    - `permission` says what the destination's token must be allowed to do. It is empty if the destination has no token.
    - If `tells_repeats` is true, the destination shows a notice only once, even if the notice is sent twice.
    """

    label: str
    url: str
    arrives: str
    body: Callable[[Notification], dict[str, Any]] | None
    is_for_users: bool = False
    permission: str = ""
    tells_repeats: bool = False


def teams(notice: Notification) -> dict[str, Any]:
    """A message with a card, for a Power Automate workflow in Teams."""
    attachment = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": _card(notice),
    }
    return {"type": "message", "attachments": [attachment]}


def _card(notice: Notification) -> dict[str, Any]:
    """An adaptive card. Untrusted texts are in text runs, because Teams does not parse Markdown in text runs."""
    return {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            _runs(_run(notice.heading, weight="Bolder", size="Large")),
            *_fact_rows(notice.facts),
            *(_card_item(item) for item in notice.items),
        ],
        "actions": [_opening(_OPEN, notice.link)] if notice.link else [],
    }


def slack(notice: Notification) -> dict[str, Any]:
    """A Slack message that consists of plain text blocks, in which Slack does not parse markup or mentions."""
    facts = "\n".join(f"{name}: {text}" for name, text in _facts(notice.facts))
    button = {"type": "button", "text": _plain_text(_OPEN), "url": notice.link}
    return {
        "text": notice.heading,
        "unfurl_links": False,
        "blocks": [
            {"type": "header", "text": _plain_text(notice.heading)},
            *([{"type": "section", "text": _plain_text(facts)}] if facts else []),
            *(_slack_item(item) for item in notice.items),
            *([{"type": "actions", "elements": [button]}] if notice.link else []),
        ],
    }


def work_item_comment(notice: Notification) -> dict[str, Any]:
    """A comment in HTML, in which @ and # are escaped: @ would mention a person, and # would link a work item."""
    parts = [f"<b>{escape(notice.heading)}</b>", *_html_rows(notice.facts)]
    if notice.items:
        parts.append(f"<ul>{''.join(f'<li>{_html_item(item)}</li>' for item in notice.items)}</ul>")
    if notice.link:
        parts.append(_html_link(notice.link, _OPEN))
    # The comment contains the ID of the notice, so that a later search shows whether the comment has arrived.
    return {"text": "<br>".join([*parts, f"<small>{escape(notice.id)}</small>"] if notice.items else parts)}


def webhook(notice: Notification) -> dict[str, Any]:
    """The notice as JSON for programs. Programs must escape the texts before showing them to people."""
    return {
        "type": notice.kind,
        "id": notice.id,
        "heading": notice.heading,
        "data": notice.data or _default_data(notice),
    }


WEBHOOK: Final = "webhook"
WORK_ITEM: Final = "azure-devops"
WIKI: Final = "azure-devops-wiki"
FORMS: Final[Mapping[str, NoticeForm]] = {
    WEBHOOK: NoticeForm(
        label="Webhook",
        url="your own program, which must [verify the signature](watches.md#verify-the-signature)",
        arrives="signed JSON",
        body=webhook,
        is_for_users=True,
        tells_repeats=True,
    ),
    "teams": NoticeForm(
        label="Teams",
        url="a Power Automate workflow that starts with *When a Teams webhook request is received*",
        arrives="an Adaptive Card",
        body=teams,
        is_for_users=True,
    ),
    "slack": NoticeForm(
        label="Slack",
        url="an incoming webhook",
        arrives="a message",
        body=slack,
        is_for_users=True,
    ),
    WORK_ITEM: NoticeForm(
        label="Azure DevOps work item",
        url="a work item, `https://dev.azure.com/acme/Shop/_workitems/edit/42`",
        arrives="a comment",
        body=work_item_comment,
        permission="write work items",
        tells_repeats=True,
    ),
    WIKI: NoticeForm(
        label="Azure DevOps wiki",
        url="a page in a project wiki, `https://dev.azure.com/acme/Shop/_wiki/wikis/Shop.wiki?pagePath=/Approvals`",
        arrives="a section of the page; the first notice creates the page",
        body=None,
        permission="read and write the wiki",
        tells_repeats=True,
    ),
}
# The forms of the destinations that users can enter for their own watches.
CHANNELS: Final[Mapping[str, NoticeForm]] = {name: form for name, form in FORMS.items() if form.is_for_users}


def body_of(form: str, notice: Notification) -> bytes | None:
    """The body of a request that sends the notice, or None if the notice is written on a wiki page."""
    formatted = FORMS[form].body
    return json.dumps(formatted(notice), ensure_ascii=True).encode() if formatted else None


def _default_data(notice: Notification) -> dict[str, Any]:
    return {"facts": dict(_facts(notice.facts)), "link": notice.link}


def _facts(facts: Mapping[str, str]) -> list[tuple[str, str]]:
    # Angle brackets are replaced, because old Teams clients parse them as mentions everywhere.
    return [(name, _tame(text)) for name, text in facts.items() if text]


def _tame(text: str) -> str:
    return plain(text).translate(_TAME)


def _fact_rows(facts: Mapping[str, str]) -> list[dict[str, Any]]:
    return [_runs(_run(f"{name}: ", weight="Bolder"), _run(text)) for name, text in _facts(facts)]


def _card_item(item: NotificationItem) -> dict[str, Any]:
    rows = [_runs(_run(_tame(item.title), weight="Bolder")), *_fact_rows(item.facts)]
    look = {"selectAction": _opening(_READ, item.link)} if item.link else {}
    return {"type": "Container", "separator": True, "items": rows, **look}


def _slack_item(item: NotificationItem) -> dict[str, Any]:
    lines = [_tame(item.title), *(f"{name}: {text}" for name, text in _facts(item.facts))]
    section: dict[str, Any] = {"type": "section", "text": _plain_text("\n".join(lines)[:_LONGEST_SECTION])}
    if item.link:
        section["accessory"] = {"type": "button", "text": _plain_text(_READ), "url": item.link}
    return section


def _html_item(item: NotificationItem) -> str:
    title = _html_link(item.link, _tame(item.title)) if item.link else _unlinked(_tame(item.title))
    return "<br>".join([title, *_html_rows(item.facts)])


def _html_rows(facts: Mapping[str, str]) -> Iterable[str]:
    return [f"{escape(name)}: {_unlinked(text)}" for name, text in _facts(facts)]


def _html_link(address: str, text: str) -> str:
    return f'<a href="{escape(address)}">{_unlinked(text)}</a>'


def _opening(title: str, address: str) -> dict[str, Any]:
    return {"type": "Action.OpenUrl", "title": title, "url": address}


def _runs(*runs: dict[str, Any]) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": list(runs)}


def _run(text: str, **look: str) -> dict[str, Any]:
    return {"type": "TextRun", "text": text, **look}


def _plain_text(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}


def _unlinked(text: str) -> str:
    return escape(text.translate(_UNLINKED))
