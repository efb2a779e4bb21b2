"""Formats texts with protected spans for each kind of translator, and checks the translations."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from translating.spans import Terms, has_letters, protected

_TAG: Final = re.compile(r"<span[^<>]*\bid=\"?s(\d{1,6})\"?[^<>]*>[^<>]*</span\s*>", re.IGNORECASE)
_MARK: Final = re.compile(r"⟦(\d{1,6})⟧")
_ANY_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
# Markdown characters that a translation must not add.
_MARKUP: Final = "\\`*_[]<|~{}$"


@dataclass(frozen=True, slots=True)
class Segment:
    """A text to translate. `words` are the parts before, between and after the protected spans."""

    words: tuple[str, ...]
    spans: tuple[str, ...]

    @classmethod
    def of(cls, text: str, terms: Terms | None = None) -> Segment:
        spans = protected(text, terms)
        starts = [0, *(span.end for span in spans)]
        ends = [*(span.start for span in spans), len(text)]
        words = tuple(text[start:end] for start, end in zip(starts, ends, strict=True))
        return cls(words, tuple(span.kept for span in spans))

    @property
    def text(self) -> str:
        return self.with_words(self.words)

    @property
    def asks(self) -> bool:
        """Check whether the segment contains words to translate."""
        return any(map(has_letters, self.words))

    @property
    def tagged(self) -> str:
        """The segment as HTML. The Translator service leaves the protected spans unchanged."""
        spans = [
            f'<span class="notranslate" id="s{place}">{_escape(one)}</span>' for place, one in enumerate(self.spans)
        ]
        return _woven([_escape(one) for one in self.words], spans)

    @property
    def marked(self) -> str:
        """The segment as text for a model, with placeholders for the protected spans."""
        return _woven([one.replace("⟦", "[") for one in self.words], [f"⟦{n}⟧" for n in range(len(self.spans))])

    @property
    def pieces(self) -> list[str]:
        """The parts of the segment that contain letters, each as HTML."""
        return [_escape(one.strip()) for one in self.words if has_letters(one)]

    def from_tagged(self, text: str) -> str | None:
        """Parse the translated HTML. Return None if the translator lost, duplicated or moved a protected span."""
        return self._from(_TAG, text, is_html=True)

    def from_marked(self, text: str) -> str | None:
        return self._from(_MARK, text, is_html=False)

    def from_pieces(self, pieces: Sequence[str]) -> str:
        """Rebuild the segment from separately translated parts. This method cannot lose protected spans."""
        remaining = iter(pieces)
        return self.with_words(
            [self._on_one_line(one, _plain(next(remaining))) if has_letters(one) else one for one in self.words]
        )

    def with_words(self, words: Sequence[str]) -> str:
        return _woven(words, self.spans)

    def _from(self, pattern: re.Pattern[str], text: str, *, is_html: bool) -> str | None:
        parts = pattern.split(text)
        if parts[1::2] != [str(place) for place in range(len(self.spans))]:
            return None
        words = [_plain(one) if is_html else one for one in parts[::2]]
        has_same = all(has_letters(new) or not has_letters(old) for old, new in zip(self.words, words, strict=True))
        has_more = any(has_letters(new) and not has_letters(old) for old, new in zip(self.words, words, strict=True))
        has_rest = is_html and any(map(_ANY_TAG.search, parts[::2]))
        if not has_same or has_more or has_rest or (not is_html and any("⟦" in one or "⟧" in one for one in words)):
            return None
        fitted = zip(self.words, words, strict=True)
        return self.with_words([self._on_one_line(old, new) if has_letters(old) else old for old, new in fitted])

    def _on_one_line(self, old: str, new: str) -> str:
        """Put a translated part on one line, surrounded by the whitespace of the original. Escape Markdown characters
        that the original does not contain.
        """
        bare = "".join(_escape_markdown(" ".join(new.split()), old))
        return _leading(old) + bare + _trailing(old)


def _escape_markdown(new: str, old: str) -> Iterator[str]:
    for letter in new:
        yield f"\\{letter}" if letter in _MARKUP and letter not in old else letter


def _escape(text: str) -> str:
    return html.escape(text, quote=False)


def _plain(text: str) -> str:
    return html.unescape(text)


def _leading(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _trailing(text: str) -> str:
    return text[len(text.rstrip()) :]


def _woven(words: Sequence[str], spans: Sequence[str]) -> str:
    return "".join(part for pair in zip(words, (*spans, ""), strict=True) for part in pair)
