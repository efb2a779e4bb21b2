"""Determines who must approve changes on this server, and stores the decisions of approvers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from changes.approval_request import ApprovalRequest, ApprovalState, By, Decision, RequiredApprover, Who
from changes.effects import Effect
from changes.ledger import Ledger
from changes.plan import Plan
from changes.preview import Preview
from changes.rules import NOT_NEEDED, ApprovalNeed, Rules, incomplete
from identity.access import Access
from identity.caller import Acting, Caller
from identity.grants import Grants
from refusal import Refusal

_SIGNED_IN_NOBODY_KNOWS_WHEN: Final = (
    "This change requires a recent sign-in, but your token does not say when you signed in. Sign in again. If this"
    " message appears again, ask an operator to add the optional claim auth_time to the access tokens of the app"
    " registration."
)
_NOTHING_KEPT: Final = "This server does not store changes, so nobody can approve them."
_NO_SIGN_IN: Final = "This server has no sign-in, so it cannot check that the approver is another person."


def _acts_for_a_person(caller: Caller) -> bool:
    return caller.acts is Acting.FOR_A_PERSON


@dataclass(frozen=True)
class Approvals:
    """Decides who must approve a change, and stores the decisions.

    - `page` builds the URL of an approval page from the origin and a path. Users must sign in on this page. If `page`
      is missing, `lacking` says which setting is required.
    - `by_argument` lets a model state that the user approved a change, by repeating the code from the preview. A model
      can do this only if the caller cannot use a page, and only if the change can be undone.
    - On a laptop without sign-in, the caller's own approval is sufficient, unless `laptop_keeps_rules` is set.
    """

    rules: Rules = field(default_factory=Rules)
    ledger: Ledger | None = None
    page: Callable[[str, str], str] | None = None
    lacking: str = _NOTHING_KEPT
    by_argument: bool = False
    is_laptop: bool = False
    laptop_keeps_rules: bool = False
    grants_of: Callable[[Caller], Grants] | None = None
    # Returns whether the caller is an agent that needs the approval of the person for whom the agent acts.
    has_to_ask: Callable[[Caller], bool] = _acts_for_a_person
    # If the matching rule lists no channels for approvers, these channels are used.
    notify: tuple[str, ...] = ()

    def address(self, origin: str, path: str) -> str:
        """The URL of an approval page, or only its path if users cannot sign in to pages."""
        return self.page(origin, path) if self.page else path

    def may_concern(self, caller: Caller, toolset: str, tool: str, access: Access, effects: frozenset[Effect]) -> bool:
        """Whether this caller might need approval for a call to this tool."""
        return self.has_to_ask(caller) or self.rules.may_concern(toolset, tool, access, effects)

    def need(self, caller: Caller, plan: Plan, access: Access, *, interrupts: bool = False) -> ApprovalNeed:
        """Determine who must approve this plan."""
        need = self.rules.need(plan, access, interrupts=interrupts)
        if need.asks is RequiredApprover.NOBODY and self.has_to_ask(caller):
            need = ApprovalNeed(RequiredApprover.CALLER)
        if need.asks is RequiredApprover.NOBODY:
            return NOT_NEEDED
        if self.is_laptop and not self.laptop_keeps_rules:
            return replace(need, asks=RequiredApprover.CALLER, fresh=0, notify=())
        by_people = self._by_people(caller, incomplete(need, plan.preview), plan.preview)
        is_told_of = by_people.asks is RequiredApprover.ANOTHER and not by_people.notify
        return replace(by_people, notify=self.notify) if is_told_of else by_people

    def _by_people(self, caller: Caller, need: ApprovalNeed, preview: Preview) -> ApprovalNeed:
        """Require another person's approval for a change that a program requests.

        However, a setting can let programs confirm changes that can be undone.
        """
        is_program = caller.acts in {Acting.AGENT, Acting.APPLICATION}
        if need.asks is RequiredApprover.CALLER and is_program and not (self.by_argument and preview.can_be_undone):
            return replace(
                need,
                asks=RequiredApprover.ANOTHER,
                because="A program requested this change, so a person must approve it.",
            )
        return need

    def kept(self) -> Ledger:
        """The storage of changes.

        Raises:
            Refusal: This server does not store changes.
        """
        if self.ledger is None:
            raise Refusal(_NOTHING_KEPT)
        return self.ledger

    def refusal_of(self, approver: Caller, change: ApprovalRequest) -> str:
        """Return the reason why the caller cannot decide on this change, or an empty string if the caller can."""
        return self._no_decider(approver, change) or self.staleness(approver, change)

    def waits_for(self, viewer: Caller, change: ApprovalRequest) -> bool:
        """Whether the change is open and the caller may decide on it, perhaps only after signing in again."""
        is_waiting = change.state is ApprovalState.WAITING and change.is_open(self.kept().clock())
        return is_waiting and not self._no_decider(viewer, change)

    def staleness(self, approver: Caller, change: ApprovalRequest) -> str:
        """Return an error if this change requires a more recent sign-in by the caller, otherwise an empty string."""
        if not change.fresh:
            return ""
        if not approver.signed_in_at:
            return _SIGNED_IN_NOBODY_KNOWS_WHEN
        if self.kept().clock() - approver.signed_in_at < change.fresh * 60:
            return ""
        return (
            f"This change requires a sign-in within the last {change.fresh} minutes. Sign in again to decide on"
            " this change."
        )

    def _no_decider(self, approver: Caller, change: ApprovalRequest) -> str:
        """Return why the caller cannot decide on this change even after signing in again, or an empty string."""
        if self.is_laptop:
            is_enough = change.asks is RequiredApprover.CALLER or not self.laptop_keeps_rules
            return "" if is_enough else _NO_SIGN_IN
        if not approver.is_person:
            return "Only a person can decide on this change, not an application or an agent's account."
        is_the_caller = change.asked_by.is_same_person(Who.of(approver))
        if change.asks is RequiredApprover.CALLER:
            return "" if is_the_caller else "Only the requester can decide on this change."
        if is_the_caller:
            return "This change was requested on your behalf, so another person must decide on it."
        return "" if self._may_decide(approver, change) else self._who(change)

    def _may_decide(self, approver: Caller, change: ApprovalRequest) -> bool:
        if change.of:
            return bool(approver.roles & set(change.of))
        if self.grants_of is None:
            return False
        return self.grants_of(approver).allow(change.toolset, change.tool, _ACCESS[change.access])

    def _who(self, change: ApprovalRequest) -> str:
        if change.of:
            return f"The approver must have the role {' or '.join(change.of)}."
        return f"The approver must also be allowed to call {change.tool}."

    def may_see(self, viewer: Caller, change: ApprovalRequest) -> bool:
        """Whether the caller may see the change. The requester and everyone who may approve the change can see it."""
        if self.is_laptop:
            return True
        return change.asked_by.is_same_person(Who.of(viewer)) or not self._no_decider(viewer, change)

    async def decide(
        self, approver: Caller, change: ApprovalRequest, *, is_yes: bool, by: By, why: str = ""
    ) -> ApprovalRequest:
        """Store the caller's decision. Raises Refusal if the caller cannot decide, or if the change is closed."""
        ledger = self.kept()
        if change.state is not ApprovalState.WAITING or not change.is_open(ledger.clock()):
            raise Refusal("This change is no longer waiting for a decision.")
        if no := self._refusal(approver, change, by):
            raise Refusal(no)
        return await ledger.decide(change, Decision(ledger.clock(), Who.of(approver), by, is_yes, why))

    def _refusal(self, approver: Caller, change: ApprovalRequest, by: By) -> str:
        if by in {By.PAGE, By.LAPTOP}:
            return self.refusal_of(approver, change)
        # The answer in a form or argument arrives within the caller's own call, so it counts as the caller's decision.
        is_the_callers = (
            change.asks is RequiredApprover.CALLER and not change.fresh and change.asked_by == Who.of(approver)
        )
        is_taken = self.takes_form(approver) if by is By.FORM else self.takes_argument(approver)
        return "" if is_the_callers and is_taken else self._who(change)

    def takes_form(self, caller: Caller) -> bool:
        """Whether this caller may approve a change in a form that the caller's client shows."""
        return caller.can_agree

    def takes_argument(self, caller: Caller) -> bool:
        """Whether a model can state, in an argument, that this caller approved a change.

        A model can do this only for callers who cannot use a page.
        """
        is_for_a_person = caller.acts is Acting.FOR_A_PERSON
        return self.by_argument and not is_for_a_person and not self._comes_to_page(caller)

    def _comes_to_page(self, caller: Caller) -> bool:
        return self.page is not None and (self.is_laptop or caller.is_person)


_ACCESS: Final[Mapping[str, Access]] = {access.label: access for access in Access}
NO_APPROVALS: Final = Approvals()
