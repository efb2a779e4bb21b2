"""The tags, categories, products, statuses and rings that occur in updates, with their common names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property

from kept_index.tokenizing import spellings
from refusal import Refusal
from updates.record import Update
from updates.searching.aliases import ALSO_CALLED

# The kinds have the same names as the search filters.
TAGS, CATEGORIES, PRODUCTS, STATUS, RING = "tags", "productCategories", "products", "status", "availabilityRing"
KINDS = (TAGS, CATEGORIES, PRODUCTS, STATUS, RING)
_NOUNS = {TAGS: "tag", CATEGORIES: "product category", PRODUCTS: "product", STATUS: "status", RING: "availability ring"}

_NEAREST = 5
_LEAST_SIMILARITY = 0.6
_LONGEST_COMPARED = 80
_LONGEST_NAME = 200
_FEW = 8  # up to this many values, a message lists all of them
_FEWEST_INITIALS = 3  # two initials are ambiguous, or are a word such as AS
_MAKERS = ("azure", "microsoft")
_PARENTHESIS = re.compile(r"\(([^()]*)\)")
_AND = re.compile(r"[&+]")

Values = tuple[str, ...]


def values_of(update: Update, kind: str) -> Values:
    """Return an update's distinct values of one kind, for example its products."""
    if kind == RING:
        return tuple(dict.fromkeys(availability.ring for availability in update.availabilities))
    if kind == STATUS:
        return (update.status,) if update.status else ()
    return {TAGS: update.tags, CATEGORIES: update.product_categories, PRODUCTS: update.products}[kind]


class ValueCounter:
    """Counts the updates with each value, separately for each kind of value."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}

    def add(self, update: Update) -> None:
        for kind, counts in self._counts.items():
            counts.update(values_of(update, kind))

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        return {kind: dict(sorted(counts.items())) for kind, counts in self._counts.items()}


@cache
def initials(name: str) -> frozenset[str]:
    """Return abbreviations of a name: its initials, with and without the vendor's name."""
    words = [word for word in _PARENTHESIS.sub(" ", name).split() if word[0].isupper()]
    makers = 1 if words and words[0].lower() in _MAKERS else 0
    named = [some for some in (words, words[makers:]) if len(some) >= _FEWEST_INITIALS]
    return frozenset("".join(word[0] for word in some) for some in named)


@cache
def other_names(value: str) -> frozenset[str]:
    """Return other names of a value: names in parentheses, and known names that cannot be derived by a rule."""
    given = {inner.removeprefix("formerly ") for inner in _PARENTHESIS.findall(value)}
    of_last_words = {name for name in given for whole in initials(value) if whole.endswith(name) and whole != name}
    called = {name for names in ALSO_CALLED if value in names for name in names}
    return frozenset((given - of_last_words | called) - {value})


class UpdateVocabulary:
    """Numbers the values of each kind for the index, starting at 1."""

    def __init__(self, counts: dict[str, dict[str, int]]) -> None:
        self.counts = counts
        self._values = [(kind, value) for kind, values in counts.items() for value in values]
        self._numbers = {kind_and_value: number for number, kind_and_value in enumerate(self._values, 1)}

    def __len__(self) -> int:
        return len(self._values)

    def number(self, kind: str, value: str) -> int:
        return self._numbers[kind, value]

    def find(self, kind: str, value: str) -> int | None:
        """Return the index number of a value, or None if only withdrawn updates have this value."""
        return self._numbers.get((kind, value))

    def kind_and_value(self, number: int) -> tuple[str, str]:
        return self._values[number - 1]

    def resolve(self, kind: str, asked: str) -> tuple[str, ...]:
        """Return the values that a name refers to. Some values occur in the feed in several spellings.

        Raises:
            Refusal: The value does not exist or is ambiguous.
        """
        values = self._values_of(kind, asked) if len(asked) <= _LONGEST_NAME else ()
        if not values:
            raise Refusal(self._unknown(kind, asked[:_LONGEST_NAME]))
        return values

    def complete(self, kind: str, beginning: str, limit: int) -> list[str]:
        """Return values with a word that starts with this text, most frequent first."""
        wanted = f" {beginning.strip().casefold()}"
        by_count = sorted(self.counts[kind], key=lambda value: (-self.counts[kind][value], value))
        return [value for value in by_count if wanted in f" {value.casefold()}"][:limit]

    def _values_of(self, kind: str, asked: str) -> Values:
        names, key = self._names[kind], _key(asked)
        initialled = names.initialled.get(_squeezed(asked), ())
        return names.named.get(key) or names.called.get(key) or (initialled if len(initialled) == 1 else ())

    @cached_property
    def _names(self) -> dict[str, _Names]:
        return {kind: _Names.of(values) for kind, values in self.counts.items()}

    def _unknown(self, kind: str, asked: str) -> str:
        others = [
            f"However, the {_NOUNS[other]} {value!r} exists."
            for other in KINDS
            if other != kind
            for value in self._values_of(other, asked)
        ]
        return " ".join([f"No {_NOUNS[kind]} is called {asked[:80]!r}.", self._proposed(kind, asked), *others])

    def _proposed(self, kind: str, asked: str) -> str:
        frequent = self.complete(kind, "", _FEW)
        if len(self.counts[kind]) <= _FEW:
            return f"The values are: {_listed(frequent)}."
        if nearest := self._nearest(kind, asked):
            return f"Similar values: {_listed(nearest)}."
        return f"Frequent values: {_listed(frequent)}."

    def _nearest(self, kind: str, asked: str) -> list[str]:
        names, words = self._names[kind], set(_words(asked))
        initialled = names.initialled.get(_squeezed(asked), ())
        containing = [value for value in self.counts[kind] if words and words <= set(_words(value))]
        keys = {**names.called, **names.named}
        similar = get_close_matches(_key(asked)[:_LONGEST_COMPARED], keys, _NEAREST, _LEAST_SIMILARITY)
        spelled = dict.fromkeys(value for key in similar for value in keys[key])
        return list(initialled or containing or spelled)[:_NEAREST]


@dataclass(frozen=True, slots=True)
class _Names:
    """Finds the values of one kind by their normalized names."""

    named: dict[str, Values]
    called: dict[str, Values]
    initialled: dict[str, Values]

    @classmethod
    def of(cls, values: Iterable[str]) -> _Names:
        named = _grouped((_key(value), value) for value in values)
        called = [(_key(name), value) for value in values for name in other_names(value)]
        for keys in _also_called():
            called += [(key, value) for present in keys for value in named.get(present, ()) for key in keys]
        return cls(named, _grouped(called), _grouped((_squeezed(name), v) for v in values for name in initials(v)))


@cache
def _also_called() -> list[list[str]]:
    return [sorted(map(_key, names)) for names in ALSO_CALLED]


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, Values]:
    found: dict[str, dict[str, None]] = {}
    for key, value in pairs:
        found.setdefault(key, {})[value] = None
    return {key: tuple(values) for key, values in found.items()}


def _key(name: str) -> str:
    """Normalize a name: ignore case, punctuation, plurals, the vendor's name, and text in parentheses."""
    key = "".join(_words(_PARENTHESIS.sub(" ", name)) or _words(name))
    while maker := next((maker for maker in _MAKERS if key.startswith(maker) and key != maker), None):
        key = key.removeprefix(maker)
    return key


def _squeezed(name: str) -> str:
    return "".join(spellings(name))


def _words(name: str) -> list[str]:
    return [_singular(word) for word in spellings(_AND.sub(" and ", name))]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _listed(values: Iterable[str]) -> str:
    return ", ".join(map(repr, values))
