"""A team's glossary by language."""

from __future__ import annotations

from dataclasses import dataclass

from translating.spans import Terms


@dataclass(frozen=True, slots=True)
class Glossary:
    """Words to keep in every language, and translations of terms per language pair."""

    stay: frozenset[str] = frozenset()
    terms: tuple[tuple[str, str, str, str], ...] = ()

    def of(self, source: str, target: str) -> Terms:
        """The glossary for a language pair."""
        held = {word: word for word in self.stay}
        pair = (source.lower(), target.lower())
        return Terms(held | {term: meant for one, other, term, meant in self.terms if (one, other) == pair})
