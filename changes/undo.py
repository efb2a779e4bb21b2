"""Describes whether and how a change can be undone: with one call, by other means, or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

# The maximum length of a call that undoes a change. Longer calls are not shown, because nobody can read them.
LONGEST_CALL: Final = 4_000


class UndoKind(StrEnum):
    """How a change can be undone. Each member's value is the start of the line that approvers see."""

    WHOLLY = "to undo it"
    PARTLY = "to undo it in part"
    BY_HAND = "no single call undoes it"
    NEVER = "cannot be undone"
    UNKNOWN = "whether it can be undone is not known"


@dataclass(frozen=True, slots=True)
class Undo:
    """How a change can be undone.

    Calling `tool` with `arguments` undoes the change. `words` says what else is necessary, or why no call can undo the
    change. `arguments` and `words` never contain previous values that must stay secret.
    """

    way: UndoKind
    words: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def but(self, words: str) -> Undo:
        """A copy with these words, which say what the call does not undo."""
        return replace(self, way=UndoKind.PARTLY if self.tool else self.way, words=words)

    def with_arguments(self, more: Mapping[str, Any]) -> Undo:
        return replace(self, arguments={**more, **self.arguments}) if self.tool and more else self

    @property
    def is_whole_call(self) -> bool:
        """Whether a single call undoes the whole change."""
        return self.way is UndoKind.WHOLLY and bool(self.tool)

    @property
    def text(self) -> str:
        return "; ".join(filter(None, (self._call, " ".join(self.words.split()).removesuffix("."))))

    @property
    def line(self) -> str:
        """A line of text that says whether and how the change can be undone. Empty if there is no information about
        undoing the change.
        """
        return f"{self.way}: {self.text}" if self.text else ""

    @property
    def bound(self) -> str:
        """The text about undoing the change, in the form that becomes part of an approval.

        Texts stored by earlier versions stay unchanged, so that approvals stay valid.
        """
        return self.line if self.way is not UndoKind.WHOLLY else self.text if self.tool else self.words

    @property
    def document(self) -> dict[str, Any]:
        """The object as a JSON document to store."""
        return {"way": self.way, "words": self.words, "tool": self.tool, "arguments": dict(self.arguments)}

    @classmethod
    def of(cls, kept: Mapping[str, Any] | str) -> Undo:
        """Restore an Undo object from its stored document. Earlier versions stored a sentence instead of a document."""
        if isinstance(kept, str):
            return cls(UndoKind.WHOLLY, kept)
        return cls(UndoKind(kept["way"]), kept["words"], kept["tool"], kept["arguments"])

    @property
    def _call(self) -> str:
        return f"{self.tool}({_written(self.arguments)})" if self.tool else ""


def by_call(tool: str, /, **arguments: Any) -> Undo:
    """A single call to `tool` with these arguments undoes the change. Arguments that are None are omitted."""
    given = {name: value for name, value in arguments.items() if value is not None}
    undo = Undo(UndoKind.WHOLLY, tool=tool, arguments=given)
    if len(undo.text) > LONGEST_CALL:
        return by_hand(f"{tool} with the previous values, which are too long to show in one call")
    return undo


def by_hand(words: str) -> Undo:
    """The change cannot be undone with one call. `words` says how to undo the change."""
    return Undo(UndoKind.BY_HAND, words)


def never(words: str) -> Undo:
    """The change cannot be undone. `words` says why."""
    return Undo(UndoKind.NEVER, words)


def unknown(words: str) -> Undo:
    """It is unknown whether the change can be undone. `words` says why this is unknown."""
    return Undo(UndoKind.UNKNOWN, words)


UNSAID: Final = Undo(UndoKind.WHOLLY)


def _written(arguments: Mapping[str, Any]) -> str:
    """The arguments as a model can send them, on one line and without invisible characters."""
    values = {name: json.dumps(value, ensure_ascii=False) for name, value in arguments.items()}
    return ", ".join(f"{name}={_visible(value)}" for name, value in values.items())


def _visible(text: str) -> str:
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)
