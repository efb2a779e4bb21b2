"""Where notices can go, as an operator names it. An address is a secret: whoever has it can post there."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from clients.public_fetch import checked_public
from notifying.forms import FORMS
from refusal import Refusal

MOST: Final = 10
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
_WORK_ITEM: Final = re.compile(r"(https://[^?#]+)/_workitems/edit/(\d+)/?")
_COMMENTS: Final = "{}/_apis/wit/workItems/{}/comments?api-version=7.1-preview.4"


@dataclass(frozen=True, slots=True)
class NotificationTarget:
    """`token` is what Azure DevOps takes for a sign-in; other places know who may post by their address."""

    name: str
    form: str
    url: str = field(repr=False)
    token: str = field(default="", repr=False)


def places_in(text: str, hosts: Collection[str]) -> Mapping[str, NotificationTarget]:
    """The places that a text names, one in each line: a name, a form, an address on one of the hosts, and a token.

    Raises:
        Refusal: A line names none. Nothing of it is repeated but its number.
    """
    lines = [line.split() for line in re.split(r"[\n;]", text) if line.strip()]
    if len(lines) > MOST:
        raise Refusal(f"there are more than {MOST} places")
    found = [_place(number, words, hosts) for number, words in enumerate(lines, 1)]
    if len(places := {place.name: place for place in found}) < len(found):
        raise Refusal("two places have one name")
    return places


def _place(number: int, words: list[str], hosts: Collection[str]) -> NotificationTarget:
    expected = f"place {number} has to be a name, one of {', '.join(FORMS)}, and an address"
    if len(words) not in {3, 4} or not _NAME.fullmatch(words[0]) or words[1] not in FORMS:
        raise Refusal(expected)
    name, form, url, token = *words[:3], "".join(words[3:])
    if form == "azure-devops":
        url = _comments_of(url, expected)
    if bool(token) is not (form == "azure-devops"):
        raise Refusal(f"place {number}: a token stands with azure-devops, and only there")
    try:
        checked_public(url, hosts)
    except Refusal:
        raise Refusal(f"the address of place {number} is not https, or its host is none of NOTIFY_HOSTS") from None
    return NotificationTarget(name, form, url, token)


def _comments_of(url: str, expected: str) -> str:
    meant = _WORK_ITEM.fullmatch(url)
    if meant is None:
        raise Refusal(f"{expected} of a work item, such as https://dev.azure.com/acme/Shop/_workitems/edit/42")
    return _COMMENTS.format(*meant.groups())
