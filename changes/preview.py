"""What a change would do, as the service tells it before anything is done."""

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
# Where a change happens. Of several places each, of a place with several names all of them in a sequence of its own;
# nothing, where that could not be found out.
Place = str | Sequence[str | Sequence[str]] | None

MOST_EDITS: Final = 500
LONGEST_TEXT: Final = 20_000
LONGEST_HEADLINE: Final = 500


@dataclass(frozen=True, slots=True)
class Edit:
    """One setting, field or text: what it is, and what it would be. Nothing stands for what is not there.

    `stated` is how important its tool knows it to be, where the path alone does not tell.
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
    """What somebody agrees to. Whatever is in it was read from the service and belongs to the agreement: when it
    differs at the time of applying, nothing happens. Only the `notes`, the `doubt` and the `cost` are just shown.

    `what` names what goes or changes, by its title and not only by a number. `places` is what rules go by.
    `affected` are the people whom it concerns. `grave` says why another person has to agree, where one has to.
    `effects` are known side effects, a short sentence each: "Restarts the app, about 30 s of downtime". `undo` says
    whether and how it can be undone.
    """

    what: str
    # What it does in one sentence that begins with its verb, "Delete the rule AllowSsh of nsg-prod"; without one, it is
    # the title of the tool and `what`.
    sentence: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    edits: Sequence[Edit] = ()
    affected: Sequence[str] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
    grave: str = ""
    # Whether anything is destroyed, where only some calls of a tool do that and its arguments alone do not tell; or
    # where a tool asks as one that destroys does, and this call only makes something.
    destroys: bool = True
    # Whether users of a running system notice it, where only some calls of a tool that `interrupts` do that.
    interrupts: bool = True
    # How many resources it changes.
    touches: int = 1
    effects: Sequence[str] = ()
    undo: Undo = UNSAID
    # What could not be found out. Then nobody can tell what is agreed to, and another person has to look at it.
    missing: Sequence[str] = ()
    notes: Sequence[str] = ()
    # Why nobody can tell whether the caller may do it at all.
    doubt: str = ""
    # What it costs a month, in a sentence, where that is known.
    cost: str = ""
    # Arguments by which the tool holds the service to what was seen, where it could change after this last look.
    pins: Mapping[str, Any] = field(default_factory=dict)
    # A cheap second look right before it is sent, where finding all this out took long: whether what it touches is
    # still as it was when that began. It is for this call alone, and never kept.
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
        """It with no more edits, and no longer texts, than somebody can look through; what is left out is missing.

        Of what is left out a digest stays, because what is agreed to is still the whole.
        """
        ranked = sorted(self.edits, key=lambda edit: edit.importance.rank)
        kept = [replace(edit, before=_cut(edit.before), after=_cut(edit.after)) for edit in ranked[:MOST_EDITS]]
        is_cut = kept != ranked[:MOST_EDITS]
        missing = [
            *self.missing,
            *([f"further edits: {_kinds(more)} ({_mark(self.bound)})"] if (more := ranked[MOST_EDITS:]) else []),
            *([f"texts beyond {LONGEST_TEXT} letters"] if is_cut else []),
        ]
        return replace(self, edits=kept, missing=missing) if missing != list(self.missing) else self

    @property
    def bound(self) -> bytes:
        """All that is agreed to, in one form whatever the order in which it was found out."""
        # By their texts, because values of one path may be of several kinds, which have no order.
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
                # Left out where there are none, so that what was agreed to before an upgrade still counts.
                *([] if is_plain else consequences),
            ]
        )

    @property
    def document(self) -> dict[str, Any]:
        """It as it is kept and shown."""
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
            # Kept, because what is applied a few minutes later is held to what was seen then.
            "pins": dict(self.pins),
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Preview:
        """It as it was kept."""
        edits, undo = [_edit(*edit) for edit in document["edits"]], Undo.of(document.get("undo", ""))
        return cls(**{**document, "edits": edits, "undo": undo})


def _verb_and_object(title: str, what: str) -> str:
    """The title of a tool and what it is about, without the noun that both say: "Delete work item 7"."""
    verb, _, noun = title.partition(" ")
    if noun and what.lower().startswith(f"{noun.lower()} "):
        return f"{verb} {what[:1].lower()}{what[1:]}"
    return title if what in {"", title} else f"{title}: {what}"


def _kinds(edits: Sequence[Edit]) -> str:
    """What kinds of edits these are, the most important first."""
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
    """Each of several places, by all names that it has."""
    many = [place] if isinstance(place, str) else place or ()
    return [(one,) if isinstance(one, str) else one for one in many]
