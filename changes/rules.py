"""Determines who must approve a change, according to the rules in the roles file and the presets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from changes.approval_request import RequiredApprover
from changes.effects import Effect, effects_of
from changes.plan import Plan
from changes.presets import CAREFUL
from changes.preview import Place, Preview, names_of
from changes.rule import ANYWHERE, NAMED_BY_PARAMETERS, TAG, Rule
from identity.access import Access
from identity.toolset_names import is_or_holds

_INCOMPLETE: Final = "The preview is incomplete."


@dataclass(frozen=True, slots=True)
class ApprovalNeed:
    """Who must approve a change, which roles the approver needs, and why.

    `fresh` is the maximum time in minutes since the approver signed in. `notify` lists the channels for approvers.
    """

    asks: RequiredApprover
    of: tuple[str, ...] = ()
    because: str = ""
    fresh: int = 0
    notify: tuple[str, ...] = ()


NOT_NEEDED: Final = ApprovalNeed(RequiredApprover.NOBODY)


@dataclass(frozen=True, slots=True)
class Rules:
    """The approval rules.

    The first matching rule decides who must approve. If no rule matches, the preset `careful` decides.

    `waived` lists the toolsets for which an operator has waived approval, so presets do not apply to these toolsets.
    """

    rules: Sequence[Rule] = ()
    waived: Collection[str] = ()

    def may_concern(self, toolset: str, tool: str, access: Access, effects: frozenset[Effect]) -> bool:
        """Whether a call with these effects might require approval.

        If none of these rules can require approval, the server skips the preview of the call.
        """
        rules = (rule for rule in self._about(toolset) if rule.may_concern(toolset, tool, access, effects))
        return any(rule.asks is not RequiredApprover.NOBODY for rule in _until_one_fits_all(rules))

    def ask_alike(self, one: tuple[str, str], other: tuple[str, str], access: Access) -> bool:
        """Whether two tools, each given by toolset and name, always require the same approval."""
        effects = frozenset(Effect)
        of_one, of_other = ([rule.may_concern(*tool, access, effects) for rule in self.rules] for tool in (one, other))
        return of_one == of_other and self._waives(one[0]) is self._waives(other[0])

    def _waives(self, toolset: str) -> bool:
        return any(is_or_holds(name, toolset) for name in self.waived)

    def _about(self, toolset: str) -> Iterator[Rule]:
        waives = self._waives(toolset)
        return (rule for rule in chain(self.rules, CAREFUL) if not (waives and rule.is_preset))

    def need(self, plan: Plan, access: Access, *, interrupts: bool = False) -> ApprovalNeed:
        effects = effects_of(access, plan.preview, interrupts=interrupts)
        for rule in self._about(plan.toolset):
            if rule.may_concern(plan.toolset, plan.tool, access, effects) and rule.fits(plan.preview):
                return ApprovalNeed(rule.asks, rule.of, _because(rule, plan.preview), rule.fresh, rule.notify)
        return NOT_NEEDED


def _until_one_fits_all(rules: Iterable[Rule]) -> Iterator[Rule]:
    for rule in rules:
        yield rule
        if rule.fits_all:
            return


def _because(rule: Rule, preview: Preview) -> str:
    if rule.asks is not RequiredApprover.ANOTHER:
        return ""
    return preview.grave if Effect.GRAVE in rule.effects else _reason(rule, preview)


def _reason(rule: Rule, preview: Preview) -> str:
    where = ", ".join(_text(name, preview.places.get(name)) for name in rule.places)
    return f"An approval rule requires this approval{f' ({where})' if where else ''}."


def _text(name: str, place: Place) -> str:
    return f"{name}: {', '.join(' or '.join(names) for names in names_of(place)) or 'unknown'}"


def incomplete(need: ApprovalNeed, preview: Preview) -> ApprovalNeed:
    """Require another person's approval if the preview is incomplete.

    That person must look up the missing data in the service.
    """
    if need.asks is not RequiredApprover.CALLER or preview.is_complete:
        return need
    return replace(need, asks=RequiredApprover.ANOTHER, because=_INCOMPLETE)


def unknown_places(parameters: Iterable[str]) -> dict[str, Place]:
    """The places that a call without a preview may affect.

    The kinds of these places are derived from the names of the call's parameters.
    """
    named = " ".join(parameters).lower().replace("_", "-")
    found = [*ANYWHERE, *(place for place in NAMED_BY_PARAMETERS if place in named)]
    # A call for a subscription may affect resources with any tag. The entry `tag:` means any tag.
    return dict.fromkeys([*found, TAG] if "subscription" in found else found)
