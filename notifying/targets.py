"""The destinations of notices. The URL of a destination is a secret, because anyone with the URL can post there."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote

from clients.public_fetch import checked_public
from notifying.forms import FORMS, WIKI, WORK_ITEM
from refusal import Refusal

MOST: Final = 10
_WITH_TOKEN: Final = [name for name, form in FORMS.items() if form.permission]
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
_WORK_ITEM: Final = re.compile(r"(https://[^?#]+)/_workitems/edit/(\d+)/?")
_COMMENTS: Final = "{}/_apis/wit/workItems/{}/comments?api-version=7.1-preview.4"
_WIKI_PAGE: Final = re.compile(r"(https://[^?#]+)/_wiki/wikis/([^/?#]+)/?\?pagePath=([^&#]+)")
_PAGE: Final = "{}/_apis/wiki/wikis/{}/pages?path={}&api-version=7.1"


@dataclass(frozen=True, slots=True)
class NotificationTarget:
    """A destination of notices.

    The server uses `token` to sign in to Azure DevOps. All other destinations are protected only by their secret URL.
    If `key` is set, requests are signed with this key instead of the server's own key.
    """

    name: str
    form: str
    url: str = field(repr=False)
    token: str = field(default="", repr=False)
    key: bytes = field(default=b"", repr=False)

    @property
    def tells_repeats(self) -> bool:
        """Whether a notice that may already have arrived can be sent again without appearing twice."""
        return FORMS[self.form].tells_repeats


def places_in(text: str, hosts: Collection[str]) -> Mapping[str, NotificationTarget]:
    """Parse destinations. Because URLs are secret, error messages contain only the number of an entry."""
    lines = [line.split() for line in re.split(r"[\n;]", text) if line.strip()]
    if len(lines) > MOST:
        raise Refusal(f"there are more than {MOST} places")
    found = [_place(number, words, hosts) for number, words in enumerate(lines, 1)]
    if len(places := {place.name: place for place in found}) < len(found):
        raise Refusal("two places have the same name")
    return places


def _place(number: int, words: list[str], hosts: Collection[str]) -> NotificationTarget:
    expected = f"place {number} must have a name, a kind ({', '.join(FORMS)}) and a URL"
    if len(words) not in {3, 4} or not _NAME.fullmatch(words[0]) or words[1] not in FORMS:
        raise Refusal(expected)
    name, form, url, token = *words[:3], "".join(words[3:])
    if form == WORK_ITEM:
        url = _comments_of(url, expected)
    if form == WIKI:
        url = _page_of(url, expected)
    if bool(token) is not (form in _WITH_TOKEN):
        required = " and ".join(_WITH_TOKEN)
        raise Refusal(f"place {number}: {required} require a token; other kinds cannot have a token")
    _check_url(number, url, hosts)
    return NotificationTarget(name, form, url, token)


def _check_url(number: int, url: str, hosts: Collection[str]) -> None:
    try:
        checked_public(url, hosts)
    except Refusal:
        raise Refusal(f"the URL of place {number} is not https, or its host is not in NOTIFY_HOSTS") from None


def _comments_of(url: str, expected: str) -> str:
    match = _WORK_ITEM.fullmatch(url)
    if match is None:
        raise Refusal(f"{expected} of a work item, for example https://dev.azure.com/acme/Shop/_workitems/edit/42")
    return _COMMENTS.format(*match.groups())


def _page_of(url: str, expected: str) -> str:
    match = _WIKI_PAGE.fullmatch(url)
    if match is None:
        example = "https://dev.azure.com/acme/Shop/_wiki/wikis/Shop.wiki?pagePath=/Azure%20updates"
        raise Refusal(f"{expected} of a page in a wiki, for example {example}")
    project, wiki, page = match.groups()
    return _PAGE.format(project, wiki, quote(unquote(page), safe=""))
