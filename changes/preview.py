"""What a change would do, determined from the service beforehand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

from pydantic_core import to_json

from changes.importance import Importance, importance_of
from changes.undo import UNSAID, Undo

Fact = str | int | float | bool | None | Sequence[str]
# Where a change happens. Several places form a sequence; a place with several names is a sequence of its own; None if
# unknown.
Place = str | Sequence[str | Sequence[str]] | None

MOST_EDITS: Final = 500
LONGEST_TEXT: Final = 20_000
LONGEST_HEADLINE: Final = 500


@dataclass(frozen=True, slots=True)
class Edit:
    """One setting, field or text: its value before and after. None means absent.

    `stated` is the importance known to its tool, if the path alone does not reveal it.
    """

    path: str
    before: Fact = None
    after: Fact = None
    stated: Importance | None = None

    @property
    def importance(self) -> Importance:
        is_removed = self.after is None and self.before is not None
        return self.stated or importance_of(self.path, is_removed=is_removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What people approve. Everything in it was read from the service and is part of the approval: if it differs when
    the change is applied, nothing is done. Only `notes`, `doubt` and `cost` are merely shown.

    `what` names what is deleted or changed, by title and not only by number. Rules match `places`. `affected` are the
    people concerned. `grave` says why another person must approve, if so. `effects` are known side effects, a short
    sentence each: "Restarts the app, about 30 s of downtime". `undo` says whether and how it can be undone.
    """

    what: str
    # What it does, in one sentence that begins with a verb: "Delete the rule AllowSsh of nsg-prod". Default: the tool's
    # title and `what`.
    sentence: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    edits: Sequence[Edit] = ()
    affected: Sequence[str] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
    grave: str = ""
    # Whether anything is destroyed, if that depends on the call and its arguments alone do not show it, or if a
    # destructive tool only creates something in this call.
    destroys: bool = True
    # Whether users of a running system notice it, if only some calls of a tool that `interrupts` do.
    interrupts: bool = True
    # How many resources it changes.
    touches: int = 1
    effects: Sequence[str] = ()
    undo: Undo = UNSAID
    # What could not be determined. The approval is then incomplete, so another person must check.
    missing: Sequence[str] = ()
    notes: Sequence[str] = ()
    # Why it is unknown whether the caller may do it at all.
    doubt: str = ""
    # The monthly cost, as a sentence, if known.
    cost: str = ""
    # Arguments with which the tool makes the service reject the change if the state differs from what was seen.
    pins: Mapping[str, Any] = field(default_factory=dict)
    # A cheap check right before sending, if the preview took long: whether everything it touches is unchanged since.
    # Only for this call, and never stored.
    is_unchanged: Callable[[], Awaitable[bool]] | None = field(default=None, compare=False)

    def headline(self, title: str) -> str:
        """What it does, in one sentence on one line."""
        words = " ".join((self.sentence or _verb_and_object(title, self.what)).split())
        return words if len(words) <= LONGEST_HEADLINE else f"{words[:LONGEST_HEADLINE]}…"

    @property
    def can_be_undone(self) -> bool:
        """Whether it names the exact call that undoes all of it."""
        return self.undo.is_whole_call

    @property
    def is_complete(self) -> bool:
        return not self.missing

    @property
    def fitting(self) -> Preview:
        """The preview limited to as many edits and as much text as a person can review; the rest counts as missing.

        A digest of the omitted part stays, because the approval still covers everything.
        """
        ranked = sorted(self.edits, key=lambda edit: edit.importance.rank)
        kept = [replace(edit, before=_cut(edit.before), after=_cut(edit.after)) for edit in ranked[:MOST_EDITS]]
        is_cut = kept != ranked[:MOST_EDITS]
        missing = [
            *self.missing,
            *([f"other edits: {_kinds(more)} ({_mark(self.bound)})"] if (more := ranked[MOST_EDITS:]) else []),
            *([f"text beyond {LONGEST_TEXT} characters"] if is_cut else []),
        ]
        return replace(self, edits=kept, missing=missing) if missing != list(self.missing) else self

    @property
    def bound(self) -> bytes:
        """Everything that is approved, in a form independent of order."""
        # By their texts, because values of one path may have several types, which have no order.
        edits = sorted(([edit.path, _plain(edit.before), _plain(edit.after)] for edit in self.edits), key=to_json)
        facts = {name: _plain(value) for name, value in sorted(self.facts.items())}
        places = {name: _plain(value) for name, value in sorted(self.places.items())}
        consequences = [self.sentence, sorted(self.effects), self.undo.bound, self.interrupts, self.touches]
        is_plain = consequences == ["", [], "", True, 1]
        return to_json(
            [
                self.what,
                facts,
                edits,
                sorted(self.affected),
                places,
                self.grave,
                self.destroys,
                list(self.missing),
                # Omitted if empty, so that approvals from before an upgrade stay valid.
                *([] if is_plain else consequences),
            ]
        )

    @property
    def document(self) -> dict[str, Any]:
        """Its stored and shown form."""
        return {
            "what": self.what,
            "sentence": self.sentence,
            "facts": {name: _plain(value) for name, value in self.facts.items()},
            "edits": [[edit.path, _plain(edit.before), _plain(edit.after), edit.stated] for edit in self.edits],
            "affected": list(self.affected),
            "places": {name: _plain(value) for name, value in self.places.items()},
            "grave": self.grave,
            "destroys": self.destroys,
            "interrupts": self.interrupts,
            "touches": self.touches,
            "effects": list(self.effects),
            "undo": self.undo.document,
            "missing": list(self.missing),
            "notes": list(self.notes),
            "doubt": self.doubt,
            "cost": self.cost,
            # Stored, because applying it some minutes later requires the state seen now.
            "pins": dict(self.pins),
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Preview:
        """The preview from its stored form."""
        edits, undo = [_edit(*edit) for edit in document["edits"]], Undo.of(document.get("undo", ""))
        return cls(**{**document, "edits": edits, "undo": undo})


def _verb_and_object(title: str, what: str) -> str:
    """A tool's title and its subject, without repeating a noun: "Delete work item 7"."""
    verb, _, noun = title.partition(" ")
    if noun and what.lower().startswith(f"{noun.lower()} "):
        return f"{verb} {what[:1].lower()}{what[1:]}"
    return title if what in {"", title} else f"{title}: {what}"


def _kinds(edits: Sequence[Edit]) -> str:
    """The kinds of these edits, most important first."""
    counts = Counter(edit.importance for edit in edits)
    return ", ".join(f"{counts[kind]} of {kind}" for kind in sorted(counts, key=lambda kind: kind.rank))


def _edit(path: str, before: Fact, after: Fact, stated: str | None = None) -> Edit:
    return Edit(path, before, after, Importance(stated) if stated else None)


def _cut(value: Fact) -> Fact:
    if not isinstance(value, str) or len(value) <= LONGEST_TEXT:
        return value
    return f"{value[:LONGEST_TEXT]}… ({_mark(value.encode(errors='replace'))})"


def _mark(content: bytes) -> str:
    return sha256(content).hexdigest()[:8]


def _plain(value: Fact | Place) -> Any:
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def names_of(place: Place) -> list[Sequence[str]]:
    """Each of several places, with all its names."""
    many = [place] if isinstance(place, str) else place or ()
    return [(one,) if isinstance(one, str) else one for one in many]
