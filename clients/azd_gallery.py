"""The public gallery of azd templates, which azd itself lists: https://azure.github.io/awesome-azd."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from clients.decoding import decoded
from refusal import Refusal

# Where https://aka.ms/awesome-azd/templates.json leads to, at which azd asks.
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
    """`repository` is what `azd init --template` takes."""

    name: str
    repository: str
    description: str
    services: Sequence[str]
    languages: Sequence[str]
    tags: Sequence[str]

    @classmethod
    def of(cls, record: Any) -> GalleryTemplate | None:
        """A template of the gallery; none of what azd does not list, or could not be got from where it says."""
        if not isinstance(record, Mapping) or record.get("templateType"):
            return None
        found = _REPOSITORY.fullmatch(str(record.get("source") or ""))
        title = _text(record.get("title"))
        if not found or not title:
            return None
        return cls(title, found[1], _text(record.get("description")), *(_texts(record.get(name)) for name in _LABELS))

    def matched(self, words: Sequence[str]) -> int:
        """How many words stand in it."""
        text = " ".join((self.name, self.repository, self.description, *self.services, *self.languages, *self.tags))
        return sum(word in text.lower() for word in words)

    def named(self, words: Sequence[str]) -> int:
        """How many words stand in what it is called by."""
        text = " ".join((self.name, *self.services, *self.languages)).lower()
        return sum(word in text for word in words)


@dataclass
class Gallery:
    """What there is, read anew at most once an hour; where that fails, what was read before."""

    fetch: Fetch
    clock: Callable[[], float] = monotonic
    _templates: Sequence[GalleryTemplate] = field(default=(), init=False)
    _read_at: float | None = field(default=None, init=False)

    async def templates(self) -> tuple[Sequence[GalleryTemplate], str]:
        """All templates, and what is wrong with them if they are old.

        Raises:
            Refusal: The gallery is away, and was never read.
        """
        if self._read_at is not None and self.clock() - self._read_at < _SECONDS_KEPT:
            return self._templates, ""
        try:
            self._templates = list(_read(await self.fetch()))
        except Refusal as refusal:
            if self._read_at is None:
                raise Refusal(f"The public gallery of azd templates cannot be read now: {refusal}") from refusal
            return self._templates, f"The gallery is away now; this was read before: {refusal}"
        self._read_at = self.clock()
        return self._templates, ""


def _read(content: bytes) -> Iterator[GalleryTemplate]:
    try:
        found = decoded(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise Refusal("It answered with something else than a list of templates.")
    yield from (template for one in found[:_MOST] if (template := GalleryTemplate.of(one)))


def _text(value: Any) -> str:
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""


def _texts(value: Any) -> Sequence[str]:
    return [_text(one) for one in value[:50] if isinstance(one, str)] if isinstance(value, list) else []
