"""Words and terms of a team, by the languages for which they hold."""

from __future__ import annotations

from dataclasses import dataclass

from translating.spans import Terms


@dataclass(frozen=True, slots=True)
class Glossary:
    """Words that stay in every language, and terms by the languages from and to which they are translated."""

    stay: frozenset[str] = frozenset()
    terms: tuple[tuple[str, str, str, str], ...] = ()

    def of(self, source: str, target: str) -> Terms:
        """What holds from one language into another."""
        held = {word: word for word in self.stay}
        pair = (source.lower(), target.lower())
        return Terms(held | {term: meant for one, other, term, meant in self.terms if (one, other) == pair})
