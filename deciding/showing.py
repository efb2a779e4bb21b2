"""What a reviewer is shown of a change, made ready for the templates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from changes.change import Asks, Change, State, Who
from changes.ledger import Shown
from changes.plan import Plan, digest_of, not_kept
from changes.preview import Place, Preview, names_of
from deciding.comparing import Compared, Comparing, text_of
from deciding.texts import with_plain_ends
from identity.access import Access
from identity.caller import Acting
from refusal import Refusal

EXPIRED: Final = "expired"
# States from which it goes on by itself, so that looking again may show something else.
_UNDER_WAY: Final = {State.WAITING, State.APPROVED, State.APPLYING}
# Longer values are folded.
_LONG, _MANY_LINES = 600, 12
_TAMPERED: Final = "What is kept of this change is not what was asked for, so it is not shown and cannot be decided."


def standing(change: Change, now: float) -> str:
    """The state of it, in which what was not applied in time has one of its own."""
    is_over = change.state in {State.WAITING, State.APPROVED} and not change.is_open(now)
    return EXPIRED if is_over else change.state.value


@dataclass(frozen=True, slots=True)
class Field:
    """A name and its value; one that is long is folded."""

    name: str
    value: str

    @property
    def is_long(self) -> bool:
        return len(self.value) > _LONG or self.value.count("\n") > _MANY_LINES

    @property
    def has_lines(self) -> bool:
        return "\n" in self.value


@dataclass(frozen=True, slots=True)
class Line:
    """A change in a list."""

    change: Change
    standing: str


@dataclass(frozen=True)
class Sight:
    """A change with all that is shown of it."""

    change: Change
    standing: str
    preview: Preview
    edits: Sequence[Compared]
    facts: Sequence[Field]
    places: Sequence[Field]
    arguments: Sequence[Field]
    destroys: bool = field(default=False)

    @classmethod
    def of(cls, change: Change, shown: Shown, now: float) -> Sight:
        """Raises:
        Refusal: What is kept is not what somebody asked for.
        """
        if not _is_untouched(change, shown):
            raise Refusal(_TAMPERED)
        preview, comparing = shown.preview, Comparing()
        return cls(
            change,
            standing(change, now),
            preview,
            [comparing.compared(edit) for edit in preview.edits],
            _fields(preview.facts),
            [Field(name, _place(place)) for name, place in preview.places.items()],
            [Field(name, _argument(value)) for name, value in shown.arguments.items()],
            change.access == Access.DESTROY.label and preview.destroys,
        )

    @property
    def is_under_way(self) -> bool:
        return self.standing in _UNDER_WAY

    @property
    def deciders(self) -> str:
        """Who decides it, in words."""
        if self.change.asks is Asks.CALLER:
            return "The person who asked for it"
        of = self.change.of
        return f"Another person with the role {' or '.join(of)}" if of else "Another person who may call it as well"


def _is_untouched(change: Change, shown: Shown) -> bool:
    """Whether this is what was asked for; of arguments that were too long to be kept, that cannot be told."""
    plan = Plan(change.toolset, change.tool, change.access, shown.arguments, shown.preview)
    is_of_the_call = plan.call == change.call or shown.arguments == not_kept(shown.arguments)
    return is_of_the_call and digest_of(change.call, change.access, shown.preview) == change.digest


def who_acts(who: Who) -> str:
    """Whether a person asked, or what else did."""
    return _ACTORS.get(who.kind, "somebody")


_ACTORS: Final[Mapping[str, str]] = {
    Acting.ANONYMOUS: "somebody at this machine",
    Acting.KEY: "whoever holds a key of this server",
    Acting.PERSON: "a person",
    Acting.FOR_A_PERSON: "through an agent that acts for them",
    Acting.AGENT: "an agent, for itself",
    Acting.APPLICATION: "an application, for itself",
}


def _fields(facts: Mapping[str, Any]) -> list[Field]:
    return [Field(name, with_plain_ends(text)) for name, value in facts.items() if (text := text_of(value))]


def _place(place: Place) -> str:
    if place is None:
        return "could not be found out"
    return "\n".join(" or ".join(names) for names in names_of(place))


def _argument(value: Any) -> str:
    return with_plain_ends(value) if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def lines_of(changes: Iterable[Change], now: float) -> list[Line]:
    return [Line(change, standing(change, now)) for change in changes]
