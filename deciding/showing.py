"""Prepares a change for the templates of the approval pages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from browsing.comparing import ComparedEdit, Comparing, text_of
from browsing.texts import with_plain_ends
from changes.approval_request import ApprovalRequest, ApprovalState, RequiredApprover, Who
from changes.ledger import ShownPlan
from changes.plan import Plan, digest_of, not_kept
from changes.preview import Place, Preview, names_of
from changes.rule import TAG
from changes.summary import Summary, SummaryHeading, SummarySection
from identity.access import Access
from identity.caller import Acting
from refusal import Refusal

EXPIRED: Final = "expired"
# States that can change without an action by the user. In these states, the page reloads itself.
_UNDER_WAY: Final = {ApprovalState.WAITING, ApprovalState.APPROVED, ApprovalState.APPLYING}
# Values with more characters or line breaks than this are collapsed.
_LONG, _MANY_LINES = 600, 12
_LONGEST_BUTTON: Final = 60
_TAMPERED: Final = (
    "The stored change does not match the request, so the change is not shown and nobody can decide on it."
)


def standing(change: ApprovalRequest, now: float) -> str:
    """The state of a change as the page shows it.

    A change that was not decided or applied in time counts as expired.
    """
    is_over = change.state in {ApprovalState.WAITING, ApprovalState.APPROVED} and not change.is_open(now)
    return EXPIRED if is_over else change.state.value


@dataclass(frozen=True, slots=True)
class ShownField:
    """A name and its value on a page. Long values are collapsed."""

    name: str
    value: str

    @property
    def is_long(self) -> bool:
        return len(self.value) > _LONG or self.value.count("\n") > _MANY_LINES

    @property
    def has_lines(self) -> bool:
        return "\n" in self.value


@dataclass(frozen=True, slots=True)
class ListedChange:
    """A change as an entry in the list of changes."""

    change: ApprovalRequest
    standing: str

    @property
    def deciders(self) -> str:
        return deciders_of(self.change)


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """A heading of the summary, with the sentences, edits and facts below it."""

    heading: SummaryHeading
    sentences: Sequence[str]
    edits: Sequence[ComparedEdit]
    facts: Sequence[ShownField]

    @classmethod
    def of(cls, section: SummarySection, preview: Preview, comparing: Comparing) -> SummaryPart:
        return cls(
            section.heading,
            [line.full or line.text for line in section.lines if line.edit is None and not line.fact],
            [comparing.compared(line.edit) for line in section.lines if line.edit],
            _fields({line.fact: preview.facts[line.fact] for line in section.lines if line.fact}),
        )

    @property
    def is_caution(self) -> bool:
        return self.heading in {SummaryHeading.NEW, SummaryHeading.CAUTION}

    @property
    def is_folded(self) -> bool:
        return self.heading is SummaryHeading.DEFAULTS


@dataclass(frozen=True)
class ShownChange:
    """A change, and all the data that its page shows about it."""

    change: ApprovalRequest
    standing: str
    preview: Preview
    parts: Sequence[SummaryPart]
    places: Sequence[ShownField]
    arguments: Sequence[ShownField]
    destroys: bool = field(default=False)

    @classmethod
    def of(cls, change: ApprovalRequest, shown: ShownPlan, now: float, earlier: Preview | None = None) -> ShownChange:
        """Prepare a change for its page. If this change replaced an earlier request, `earlier` is the preview of that
        request.

        Raises:
            Refusal: The stored preview does not match the request.
        """
        if not _is_untouched(change, shown):
            raise Refusal(_TAMPERED)
        preview, comparing = shown.preview, Comparing()
        return cls(
            change,
            standing(change, now),
            preview,
            [SummaryPart.of(section, preview, comparing) for section in Summary(preview, earlier).sections],
            [ShownField(_label(name), _place(place)) for name, place in preview.places.items() if place != []],
            [ShownField(name, _argument(value)) for name, value in shown.arguments.items() if value is not None],
            change.access == Access.DESTROY.label and preview.destroys,
        )

    @property
    def headline(self) -> str:
        """A sentence from the stored preview that says what the change does."""
        return self.preview.headline(self.change.tool.replace("_", " ").capitalize())

    @property
    def approving(self) -> str:
        """The label of the approve button. For destructive changes, the label says what is destroyed."""
        if not self.destroys:
            return "Approve"
        return _cut(self.headline)

    @property
    def is_under_way(self) -> bool:
        return self.standing in _UNDER_WAY

    @property
    def deciders(self) -> str:
        words = deciders_of(self.change)
        return f"{words[0].upper()}{words[1:]}"


def deciders_of(change: ApprovalRequest) -> str:
    """A phrase that says who can approve or deny the change."""
    if change.asks is RequiredApprover.CALLER:
        return "the requester"
    return (
        f"another person with the role {' or '.join(change.of)}"
        if change.of
        else "another person who can make the same change"
    )


def _cut(text: str) -> str:
    """Shorten a text to fit on a button, at a space if possible."""
    if len(text) <= _LONGEST_BUTTON:
        return text
    words = text[:_LONGEST_BUTTON].rpartition(" ")[0]
    return f"{words if len(words) > _LONGEST_BUTTON // 2 else text[:_LONGEST_BUTTON]}…"


def _is_untouched(change: ApprovalRequest, shown: ShownPlan) -> bool:
    """Whether the stored preview and arguments match the digest of the request.

    Arguments that are too long to store cannot be checked.
    """
    plan = Plan(change.toolset, change.tool, change.access, shown.arguments, shown.preview)
    is_of_the_call = plan.call == change.call or shown.arguments == not_kept(shown.arguments)
    return is_of_the_call and digest_of(change.call, change.access, shown.preview) == change.digest


def who_acts(who: Who) -> str:
    """A phrase that says whether the requester is a person, an agent or an application."""
    return _ACTORS.get(who.kind, "somebody")


def is_for_itself(who: Who) -> bool:
    """Whether a program made the request on its own behalf."""
    return who.kind in {Acting.AGENT, Acting.APPLICATION}


_ACTORS: Final[Mapping[str, str]] = {
    Acting.ANONYMOUS: "someone on this machine",
    Acting.KEY: "anyone who has a key to this server",
    Acting.PERSON: "a person",
    Acting.FOR_A_PERSON: "through an agent on their behalf",
    Acting.AGENT: "an agent, for itself",
    Acting.APPLICATION: "an application, for itself",
}


def _fields(facts: Mapping[str, Any]) -> list[ShownField]:
    return [ShownField(name, with_plain_ends(text)) for name, value in facts.items() if (text := text_of(value))]


def _place(place: Place) -> str:
    if place is None:
        return "unknown"
    return "\n".join(names[0] for names in names_of(place))


def _label(name: str) -> str:
    """The label of a place, for example "Subscription" or "Tag env"."""
    return f"Tag {name.removeprefix(TAG)}" if name.startswith(TAG) else name.replace("-", " ").capitalize()


def _argument(value: Any) -> str:
    return with_plain_ends(value) if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def lines_of(changes: Iterable[ApprovalRequest], now: float) -> list[ListedChange]:
    return [ListedChange(change, standing(change, now)) for change in changes]
