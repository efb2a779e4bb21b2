"""Ranks the Azure operations that match a query.

The words of a child type include the words of all its parent types. A type ranks higher if the query contains all of
its words. Read operations rank above changes unless the query asks for a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from azure_operations.naming import TypeWord, segments_of, words_of
from azure_operations.record import Kind, Operation
from kept_index.tokenizing import stems

_VERBS: Final[Mapping[Kind, frozenset[str]]] = {
    "write": frozenset(stems("create add new update change modify edit write put rename")),
    "delete": frozenset(stems("delete remove destroy drop purge")),
}
# Operations that users rarely search for: operation status, registration, and name checks.
_PLUMBING: Final = ("operationresults", "operationstatuses", "operations", "register", "unregister", "checkname")
_ASKED, _OTHER, _PLUMBING_WEIGHT, _DATA_WEIGHT = 1.6, 0.5, 0.4, 0.6
# The penalties if the query contains none of a type's words: for the operation's own type, and for each parent type. A
# penalty is lower if the query contains some of the words.
_OWN_WORDS, _WORDS_ABOVE = 0.8, 0.3
# The bonus for each part of a type if the query contains all words of this part.
_WHOLLY_ASKED = 1.25


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a query, and the words that occur in it more than once."""

    words: frozenset[str]
    repeated: frozenset[str]


def rank(scored: Iterable[tuple[float, Operation]], question: Sequence[str]) -> list[Operation]:
    """Sort operations by the likelihood that the query asks for them."""
    asked = QuestionWords(frozenset(question), frozenset(word for word in question if question.count(word) > 1))
    weighed = [(-score * _weight(operation, asked), operation.name.lower(), operation) for score, operation in scored]
    return [operation for _, _, operation in sorted(weighed, key=lambda entry: entry[:2])]


def _weight(operation: Operation, asked: QuestionWords) -> float:
    words = operation.name.lower().split("/")
    is_plumbing = "providers" in words or any(word.startswith(_PLUMBING) for word in words)
    return prod(
        (
            _coverage(operation, asked.words) ** 2,
            _of_kind(operation, asked.words),
            _of_type(segments_of(operation.type), asked),
            _PLUMBING_WEIGHT if is_plumbing else 1.0,
            _DATA_WEIGHT if operation.is_data else 1.0,
        )
    )


def _coverage(operation: Operation, asked: frozenset[str]) -> float:
    """Return the share of query words that occur in the operation or in the common names of its type."""
    its = frozenset(
        stems(" ".join([words_of(operation.name), operation.resource, operation.title, operation.description]))
    )
    called = (name for segment in segments_of(operation.type) for name in segment.names)
    return len(asked & its.union(*called)) / len(asked)


def _of_kind(operation: Operation, asked: frozenset[str]) -> float:
    kind = operation.kind
    if kind == "action":
        done = stems(words_of(operation.name.split("/")[-2]))
        return _ASKED if asked.issuperset(done) else _OTHER
    wanted = next((other for other, verbs in _VERBS.items() if verbs & asked), "read")
    return _ASKED if kind == wanted else _OTHER


def _of_type(segments: tuple[TypeWord, ...], asked: QuestionWords) -> float:
    shares, left = [], asked.words
    for segment in segments:
        share, used = segment.share_in(left)
        left -= used - asked.repeated  # "key" in "key vault" must not also match `keys`
        shares.append(share)
    if not shares:
        return _OTHER
    own = 1 - _OWN_WORDS * (1 - shares[-1])
    return own * prod(1 - _WORDS_ABOVE * (1 - share) for share in shares[:-1]) * _WHOLLY_ASKED ** shares.count(1.0)
