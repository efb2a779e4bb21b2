"""A team's glossary for each pair of languages."""

from __future__ import annotations

from dataclasses import dataclass

from translating.spans import Terms


@dataclass(frozen=True, slots=True)
class Glossary:
    """Words that stay unchanged in every language, and fixed translations of terms for each pair of languages."""

    stay: frozenset[str] = frozenset()
    terms: tuple[tuple[str, str, str, str], ...] = ()

    def of(self, source: str, target: str) -> Terms:
        """Return the glossary terms for a pair of languages."""
        unchanged = {word: word for word in self.stay}
        pair = (source.lower(), target.lower())
        return Terms(
            unchanged | {term: translation for one, other, term, translation in self.terms if (one, other) == pair}
        )
