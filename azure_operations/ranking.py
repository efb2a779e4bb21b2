"""Which of the operations that have the words of a question is meant.

Azure has an operation for everything below everything, whose words all contain those of what is above. So a type goes
first whose words were asked for, each of them, and reading goes before changing where nothing else was asked.
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
# What nobody asks for by words of others: the state of what runs, registrations, and what stands below everything.
_PLUMBING: Final = ("operationresults", "operationstatuses", "operations", "register", "unregister", "checkname")
_ASKED, _OTHER, _PLUMBING_WEIGHT, _DATA_WEIGHT = 1.6, 0.5, 0.4, 0.6
# How far a word that was not asked for takes an operation back: of its own type, and of one above.
_OWN_WORDS, _WORDS_ABOVE = 0.8, 0.3
# How far each type takes it forward that was asked for wholly.
_WHOLLY_ASKED = 1.25


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question, and which of them come more than once."""

    words: frozenset[str]
    repeated: frozenset[str]


def rank(scored: Iterable[tuple[float, Operation]], question: Sequence[str]) -> list[Operation]:
    """The operations in the order in which the words of this question likely mean them."""
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
    """How much of the question it has the words for, be it under another name."""
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
        left -= used - asked.repeated  # the `key` of a key vault does not ask for its keys
        shares.append(share)
    if not shares:
        return _OTHER
    own = 1 - _OWN_WORDS * (1 - shares[-1])
    return own * prod(1 - _WORDS_ABOVE * (1 - share) for share in shares[:-1]) * _WHOLLY_ASKED ** shares.count(1.0)
