"""Writes and reads the text of a work item about a retirement. The text is the only stored state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape, unescape
from typing import Final

from retirements.announcements import Announcement
from retirements.retiring import Affected, RetirementHere

TAG: Final = "azure-retirement"
MOST_LISTED: Final = 200
LONGEST_TITLE: Final = 255
_LONGEST_NAME: Final = 160
_NO_DATE: Final = "unknown"
_MARK: Final = re.compile(
    rf"{TAG} (?P<marker>[0-9a-f]{{16}}) of (?P<key>[A-Za-z0-9._-]+), due (?P<due>[0-9-]+|{_NO_DATE}),"
    r" text (?P<text>[0-9a-f]{8}), (?P<number>\d{1,6}) affected(?P<withdrawn>, withdrawn)?"
)
_TAGS: Final = re.compile(r"<[^<>]*>")
_RESOURCE: Final = re.compile(r"<li[^<>]*>((?:(?!<li).)*?)</li>", re.DOTALL | re.IGNORECASE)
_KEPT: Final = (
    "This server keeps the description up to date and overwrites edits. Write comments instead, or close the work item."
)


@dataclass(frozen=True, slots=True)
class ItemMark:
    """A line in a work item's description that identifies the work item. The line records the state of the retirement
    at the time when the server last wrote the description.
    """

    marker: str
    key: str
    due: str
    text: str
    # The number of affected resources. The description lists only the first resources if there are many.
    number: int = 0
    is_withdrawn: bool = False

    @property
    def line(self) -> str:
        withdrawn = ", withdrawn" if self.is_withdrawn else ""
        when = f"due {self.due or _NO_DATE}, text {self.text}"
        return f"{TAG} {self.marker} of {self.key}, {when}, {self.number} affected{withdrawn}"


@dataclass(frozen=True, slots=True)
class ItemText:
    """The title and description of a work item. `resources` maps each resource ID to its line in the description."""

    mark: ItemMark
    owner: str
    name: str
    do: str = ""
    but: str = ""
    links: tuple[tuple[str, str], ...] = ()
    resources: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        when = f" {self.mark.due}" if self.mark.due else ""
        return f"Retirement{when}: {self.name[:_LONGEST_NAME]} ({self.owner or 'no owner'})"[:LONGEST_TITLE]

    @property
    def html(self) -> str:
        announced = ", ".join(f'<a href="{escape(url)}">{escape(update)}</a>' for update, url in self.links)
        shown = list(self.resources.values())
        more = len(shown) - MOST_LISTED
        return "".join(
            [
                f"<p>{escape(self.name)}</p>",
                f"<p>Date: <b>{escape(self.mark.due or _NO_DATE)}</b></p>",
                f"<p>To do: {escape(self.do)}</p>" if self.do else "",
                f"<p>Unknown: {escape(self.but)}</p>" if self.but else "",
                f"<p>Announced: {announced}</p>" if announced else "",
                f"<p>Owner: {escape(self.owner)}</p>" if self.owner else "",
                f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in shown[:MOST_LISTED])}</ul>" if shown else "",
                f"<p>and {more} more</p>" if more > 0 else "",
                f"<p><i>{_KEPT}</i></p><p><i>{escape(self.mark.line)}</i></p>",
            ]
        )


def marker_of(key: str, owner: str) -> str:
    """Return an id for the combination of a retirement and an owner.

    The case of the owner's name is ignored.
    """
    return sha256(f"{key}\0{owner.casefold()}".encode()).hexdigest()[:16]


def mark_in(html: str) -> ItemMark | None:
    """Find the mark in a description, which people may have edited."""
    found = _MARK.search(_plain(html))
    if found is None:
        return None
    due = "" if found["due"] == _NO_DATE else found["due"]
    return ItemMark(found["marker"], found["key"], due, found["text"], int(found["number"]), bool(found["withdrawn"]))


def resources_in(html: str) -> dict[str, str]:
    """Map each lowercase resource ID in a description to its line."""
    lines = (_plain(one) for one in _RESOURCE.findall(html))
    return {line.split(" ", 1)[0].lower(): line for line in lines if line.lower().startswith("/subscriptions/")}


def edited(html: str, mark: ItemMark, unchanged: Mapping[str, str]) -> str:
    """Replace the mark in a description, and remove resources that are not in `unchanged`. Everything
    else stays unchanged.
    """

    def line(found: re.Match[str]) -> str:
        text = _plain(found[1])
        is_gone = text.lower().startswith("/subscriptions/") and text.split(" ", 1)[0].lower() not in unchanged
        return "" if is_gone else found[0]

    before = mark_in(html)
    shorter = _RESOURCE.sub(line, html)
    return shorter.replace(escape(before.line), escape(mark.line)) if before else shorter


def line_of(one: Affected) -> str:
    return f"{one.resource} ({one.confidence.value}: {one.why})"


def text_of(
    retirement: RetirementHere, owner: str, affected: Iterable[Affected], unchanged: Mapping[str, str]
) -> ItemText:
    """Write the text about a retirement for one owner. `unchanged` contains existing lines that stay unchanged."""
    listed = {one.key: line_of(one) for one in affected}
    announcements = sorted(retirement.announcements, key=lambda one: one.update)
    lines = {**unchanged, **listed}
    marker, digest = marker_of(retirement.key, owner), digest_of(announcements)
    mark = ItemMark(marker, retirement.key, retirement.due, digest, len(lines))
    return ItemText(
        mark,
        owner,
        retirement.name,
        retirement.do,
        retirement.but,
        tuple((one.update, one.url) for one in announcements),
        dict(sorted(lines.items())),
    )


def digest_of(announcements: Sequence[Announcement]) -> str:
    """Return a digest of announcements. The digest changes when Microsoft edits the text of an announcement."""
    texts = "\0".join(f"{one.title}\0{one.text}" for one in announcements)
    return sha256(texts.encode()).hexdigest()[:8]


def _plain(html: str) -> str:
    return " ".join(unescape(_TAGS.sub(" ", html)).replace("\xa0", " ").split())
