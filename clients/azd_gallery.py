"""The public gallery of azd templates: https://azure.github.io/awesome-azd."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from clients.decoding import decoded
from refusal import Refusal

# azd reads https://aka.ms/awesome-azd/templates.json, which redirects to this URL.
ADDRESS: Final = "https://raw.githubusercontent.com/Azure/awesome-azd/main/website/static/templates.json"
HOST: Final = "raw.githubusercontent.com"
LARGEST: Final = 4 * 1024 * 1024
SECONDS: Final = 10.0
_SECONDS_KEPT: Final = 3600.0
_MOST: Final = 5000
_LONGEST: Final = 400
_REPOSITORY: Final = re.compile(
    r"https://github\.com/([\w.-]{1,100}/[\w.-]{1,100}?)(?:\.git)?(?:/tree/[\w./-]{1,100})?/?"
)
_LABELS: Final = ("azureServices", "languages", "tags")

Fetch = Callable[[], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class GalleryTemplate:
    """A template in the gallery. `repository` is the value for `azd init --template`."""

    name: str
    repository: str
    description: str
    services: Sequence[str]
    languages: Sequence[str]
    tags: Sequence[str]

    @classmethod
    def of(cls, record: Any) -> GalleryTemplate | None:
        """Parse a template; None if azd does not list the template, or if the source of the template is invalid."""
        if not isinstance(record, Mapping) or record.get("templateType"):
            return None
        found = _REPOSITORY.fullmatch(str(record.get("source") or ""))
        title = _text(record.get("title"))
        if not found or not title:
            return None
        return cls(title, found[1], _text(record.get("description")), *(_texts(record.get(name)) for name in _LABELS))

    def matched(self, words: Sequence[str]) -> int:
        """Count the search words that occur in at least one of the template's texts."""
        text = " ".join((self.name, self.repository, self.description, *self.services, *self.languages, *self.tags))
        return sum(word in text.lower() for word in words)

    def named(self, words: Sequence[str]) -> int:
        """Count the search words that occur in the template's name, services or languages."""
        text = " ".join((self.name, *self.services, *self.languages)).lower()
        return sum(word in text for word in words)


@dataclass
class Gallery:
    """The templates of the gallery.

    The gallery is read at most once an hour. If the gallery cannot be read, the previously read templates stay in use.
    """

    fetch: Fetch
    clock: Callable[[], float] = monotonic
    _templates: Sequence[GalleryTemplate] = field(default=(), init=False)
    _read_at: float | None = field(default=None, init=False)

    async def templates(self) -> tuple[Sequence[GalleryTemplate], str]:
        """All templates, and a warning if they may be outdated. Raises Refusal if the gallery has never been read."""
        if self._read_at is not None and self.clock() - self._read_at < _SECONDS_KEPT:
            return self._templates, ""
        try:
            self._templates = list(_read(await self.fetch()))
        except Refusal as refusal:
            if self._read_at is None:
                raise Refusal(f"Cannot read the public gallery of azd templates: {refusal}") from refusal
            return self._templates, f"The gallery is unavailable, so this list may be outdated: {refusal}"
        self._read_at = self.clock()
        return self._templates, ""


def _read(content: bytes) -> Iterator[GalleryTemplate]:
    try:
        found = decoded(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise Refusal("The response is not a list of templates.")
    yield from (template for one in found[:_MOST] if (template := GalleryTemplate.of(one)))


def _text(value: Any) -> str:
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""


def _texts(value: Any) -> Sequence[str]:
    return [_text(one) for one in value[:50] if isinstance(one, str)] if isinstance(value, list) else []
