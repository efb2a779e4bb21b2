"""What a change would do, as the service tells it before anything is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import accumulate
from typing import Any, Final

from pydantic_core import to_json

Fact = str | int | float | bool | None | Sequence[str]
# Where a change happens. Of several places each, of a place with several names all of them in a sequence of its own;
# nothing, where that could not be found out.
Place = str | Sequence[str | Sequence[str]] | None

MOST_EDITS: Final = 500
LONGEST_TEXT: Final = 20_000
# Of a form, or of an answer, and of a single value in it.
_LONGEST_SHORT, _LONGEST_VALUE = 600, 120


@dataclass(frozen=True, slots=True)
class Edit:
    """One setting, field or text: what it is, and what it would be. Nothing stands for what is not there."""

    path: str
    before: Fact = None
    after: Fact = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What somebody agrees to. Whatever is in it was read from the service and belongs to the agreement: when it
    differs at the time of applying, nothing happens. Only the `notes` are just shown.

    `what` names what goes or changes, by its title and not only by a number. `places` is what rules go by.
    `affected` are the people whom it concerns. `grave` says why another person has to agree, where one has to.
    """

    what: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    edits: Sequence[Edit] = ()
    affected: Sequence[str] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
    grave: str = ""
    # Whether anything is destroyed, where only some calls of a tool do that and its arguments alone do not tell; or
    # where a tool asks as one that destroys does, and this call only makes something.
    destroys: bool = True
    # What could not be found out. Then nobody can tell what is agreed to, and another person has to look at it.
    missing: Sequence[str] = ()
    notes: Sequence[str] = ()
    # Arguments by which the tool holds the service to what was seen, where it could change after this last look.
    pins: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        return not self.missing

    @property
    def fitting(self) -> Preview:
        """It with no more edits, and no longer texts, than somebody can look through; what is left out is missing.

        Of what is left out a digest stays, because what is agreed to is still the whole.
        """
        kept = [Edit(edit.path, _cut(edit.before), _cut(edit.after)) for edit in self.edits[:MOST_EDITS]]
        more = len(self.edits) - len(kept)
        is_cut = kept != list(self.edits[:MOST_EDITS])
        missing = [
            *self.missing,
            *([f"{more} further edits ({_mark(self.bound)})"] if more else []),
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
        return to_json(
            [self.what, facts, edits, sorted(self.affected), places, self.grave, self.destroys, list(self.missing)]
        )

    @property
    def document(self) -> dict[str, Any]:
        """It as it is kept and shown."""
        return {
            "what": self.what,
            "facts": {name: _plain(value) for name, value in self.facts.items()},
            "edits": [[edit.path, _plain(edit.before), _plain(edit.after)] for edit in self.edits],
            "affected": list(self.affected),
            "places": {name: _plain(value) for name, value in self.places.items()},
            "grave": self.grave,
            "destroys": self.destroys,
            "missing": list(self.missing),
            "notes": list(self.notes),
            # Kept, because what is applied a few minutes later is held to what was seen then.
            "pins": dict(self.pins),
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Preview:
        """It as it was kept."""
        return cls(**{**document, "edits": [Edit(*edit) for edit in document["edits"]]})

    @property
    def in_short(self) -> str:
        """It in a few lines, for a form or a model: of long values the beginning, and how much more there is."""
        told = list(_told(self))
        sizes = accumulate(len(one) for one in told)
        fitting = told[: sum(size <= _LONGEST_SHORT for size in sizes)]
        rest = len(told) - len(fitting)
        return "; ".join(fitting) + (f"; and {rest} more, which are not shown here" if rest else "")


def _told(preview: Preview) -> Iterator[str]:
    """What it says, with what is grave before all that could be long."""
    yield _text(preview.what)
    if preview.grave:
        yield _text(preview.grave.removesuffix("."))
    for lacking in preview.missing:
        yield f"not found out: {_text(lacking)}"
    for name, value in preview.facts.items():
        if value not in (None, "", [], ()):
            yield f"{_text(name)}: {_text(value)}"
    for edit in preview.edits:
        yield f"{_text(edit.path)}: {_text(edit.before)} → {_text(edit.after)}"
    if preview.affected:
        yield f"concerns {_text(preview.affected)}"


def _cut(value: Fact) -> Fact:
    if not isinstance(value, str) or len(value) <= LONGEST_TEXT:
        return value
    return f"{value[:LONGEST_TEXT]}… ({_mark(value.encode(errors='replace'))})"


def _mark(content: bytes) -> str:
    return sha256(content).hexdigest()[:8]


def _text(value: Fact) -> str:
    if value is None:
        return "nothing"
    text = ", ".join(value) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _plain(value: Fact | Place) -> Any:
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def names_of(place: Place) -> list[Sequence[str]]:
    """Each of several places, by all names that it has."""
    many = [place] if isinstance(place, str) else place or ()
    return [(one,) if isinstance(one, str) else one for one in many]
