"""The preview of a change: what the change would do. The tool reads the preview data from the service before the
change.
"""

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
# Where a change happens, for example a resource group. A change may affect several places, and a place may have several
# names. None means that the place is unknown.
Place = str | Sequence[str | Sequence[str]] | None

MOST_EDITS: Final = 500
LONGEST_TEXT: Final = 20_000
LONGEST_HEADLINE: Final = 500


@dataclass(frozen=True, slots=True)
class Edit:
    """The value of one setting, field or text before and after a change.

    A value of None means that the setting, field or text does not exist. `stated` is the importance that the
    tool assigned to the edit. If the tool assigned none, the importance is derived from the path of the edit.
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
    """The preview that approvers see: what a change would do.

    Everything in a preview was read from the service. An approval covers the whole preview except `notes`, `doubt` and
    `cost`: if anything else differs when the change is about to be applied, the server does not apply the change.

    - `what` describes the object that is deleted or changed, with its title and not only its number.
    - `places` says where the change happens, for comparison with the approval rules.
    - `affected` lists the people whom the change affects.
    - `grave` says why another person must approve; empty if that is not necessary.
    - `effects` lists known side effects, each as a short sentence: "Restarts the app, about 30 s of downtime".
    - `undo` says whether and how the change can be undone.
    """

    what: str
    # A sentence that describes the change and begins with a verb, such as "Delete the rule AllowSsh of nsg-prod". By
    # default, the sentence consists of the tool's title and `what`.
    sentence: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    edits: Sequence[Edit] = ()
    affected: Sequence[str] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
    grave: str = ""
    # Whether the change destroys anything. Tools set this field if only some of their calls destroy something, and the
    # arguments do not show which calls.
    destroys: bool = True
    # Whether users of a running system notice the change. Tools set this field if only some of their calls interrupt
    # users.
    interrupts: bool = True
    # The number of resources that the change affects.
    touches: int = 1
    effects: Sequence[str] = ()
    undo: Undo = UNSAID
    # The information that the tool could not determine. If anything is missing, the preview is incomplete, so another
    # person must approve the change.
    missing: Sequence[str] = ()
    notes: Sequence[str] = ()
    # Why the server could not check the caller's permission for the change. Empty if the permission was checked.
    doubt: str = ""
    # A sentence about the monthly cost, if known.
    cost: str = ""
    # Arguments, such as ETags, that make the service reject the change if the service's state no longer matches the
    # preview.
    pins: Mapping[str, Any] = field(default_factory=dict)
    # For slow previews: a function that returns whether the service is unchanged since the preview. This function is
    # never stored, and is called just before the change is applied.
    is_unchanged: Callable[[], Awaitable[bool]] | None = None

    def headline(self, title: str) -> str:
        """A sentence about the change, without line breaks."""
        words = " ".join((self.sentence or _verb_and_object(title, self.what)).split())
        return words if len(words) <= LONGEST_HEADLINE else f"{words[:LONGEST_HEADLINE]}…"

    @property
    def can_be_undone(self) -> bool:
        """Whether the preview names a call that undoes the whole change."""
        return self.undo.is_whole_call

    @property
    def is_complete(self) -> bool:
        return not self.missing

    @property
    def fitting(self) -> Preview:
        """The preview, shortened if it is too long for a person to review. `missing` says what was omitted."""
        # The shortened preview contains a digest of the omitted part, because an approval also covers that part.
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
        """The content that an approval covers. Parts whose order does not matter are sorted."""
        # Sort the edits as JSON, because values of different types cannot be compared.
        edits = sorted(([edit.path, edit.before, edit.after] for edit in self.edits), key=to_json)
        facts, places = dict(sorted(self.facts.items())), dict(sorted(self.places.items()))
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
                # Omit these fields if all of them have default values, so that approvals from earlier versions of the
                # server stay valid.
                *([] if is_plain else consequences),
            ]
        )

    @property
    def document(self) -> dict[str, Any]:
        """The preview as a JSON document for storage and display."""
        return {
            "what": self.what,
            "sentence": self.sentence,
            "facts": dict(self.facts),
            "edits": [[edit.path, edit.before, edit.after, edit.stated] for edit in self.edits],
            "affected": list(self.affected),
            "places": dict(self.places),
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
            # The change may be applied minutes later. These arguments make the service reject the change if the
            # service's state no longer matches the preview.
            "pins": dict(self.pins),
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Preview:
        """Restore a preview from its stored document."""
        edits, undo = [_edit(*edit) for edit in document["edits"]], Undo.of(document.get("undo", ""))
        return cls(**{**document, "edits": edits, "undo": undo})


def _verb_and_object(title: str, what: str) -> str:
    """Combine a tool's title with the name of its object without repeating a noun, for example "Delete work item 7"."""
    verb, _, noun = title.partition(" ")
    if noun and what.lower().startswith(f"{noun.lower()} "):
        return f"{verb} {what[:1].lower()}{what[1:]}"
    return title if what in {"", title} else f"{title}: {what}"


def _kinds(edits: Sequence[Edit]) -> str:
    """Return the number of edits of each importance, most important first, for example "2 of tags and sizes"."""
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


def names_of(place: Place) -> list[Sequence[str]]:
    """A list of the places that a change affects, each with all of its names."""
    many = [place] if isinstance(place, str) else place or ()
    return [(one,) if isinstance(one, str) else one for one in many]
