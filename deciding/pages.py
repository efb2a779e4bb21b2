"""The pages where people approve or deny changes: a page for each change, and a list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final
from urllib.parse import quote

from pydantic_core import to_json

from browsing.browser import Session
from browsing.forms import DECISION, TICKET, check_ticket, fields_of, reason_in
from browsing.rendering import GUARDING, Frame
from browsing.visiting import Visiting, Visitor
from changes.approval_request import ApprovalRequest, ApprovalState, By, Who
from changes.approvals import Approvals
from changes.ledger import ChangeOvertakenError
from changes.overview import overview_for
from deciding.rendering import page
from deciding.showing import ShownChange, lines_of, standing
from mcp_server.calls.audit import Outcome
from mcp_server.calls.recording import record_attempt
from mcp_server.http.messages import JSON, HttpAnswer, HttpRequest
from mcp_server.http.pages import parameters_of
from mcp_server.visit import Trace
from refusal import Refusal

LIST: Final = "/changes"
_LONGEST_ID: Final = 60
_APPROVE, _DENY = "approve", "deny"
# Query parameters of the page. With `state`, the response contains only the state of the change, for polling. With
# `again`, the user must sign in again.
_STATE, _AGAIN = "state", "again"
_UNKNOWN: Final = "This change does not exist, or you are not allowed to see it."
_NO_REASON: Final = "Enter a reason for denying the change. The requester will see the reason. Nothing was done yet."


_NO_FRAME: Final = Frame()


@dataclass(frozen=True)
class DecisionPages:
    approvals: Approvals
    visiting: Visiting
    frame: Frame = _NO_FRAME

    async def change(self, request: HttpRequest, name: str) -> HttpAnswer:
        """Show a change to users who are allowed to see it, or process their decision."""
        if request.method == "POST":
            return await self.visiting.received(request, partial(self._decide, name), "change: decide")
        return await self.visiting.received(request, partial(self._show, name), "change: look")

    async def changes(self, request: HttpRequest) -> HttpAnswer:
        """List the changes that the visitor can approve or deny, the visitor's requests, and other visible changes.

        The same path also signs visitors out.
        """
        if request.method == "POST":
            return await self.visiting.received(request, self._sign_out, "changes: sign out")
        return await self.visiting.received(request, self._list, "changes: list")

    def _to_sign_in(
        self, request: HttpRequest, session: Session, path: str, trace: Trace, *, again: bool
    ) -> HttpAnswer:
        trace.presents = False
        if _STATE in parameters_of(request):
            return _state_answer(401, "signed out")
        return self.visiting.to_sign_in(request, session, path, again=again)

    async def _show(self, name: str, request: HttpRequest, trace: Trace) -> HttpAnswer:
        visitor = await self.visiting.visitor(request, trace)
        if isinstance(visitor, Session):
            return self._to_sign_in(
                request, visitor, f"{LIST}/{quote(name[:_LONGEST_ID], safe='')}", trace, again=False
            )
        change = await self._visible(name, visitor, trace)
        return await self._shown(change, visitor, request, trace) if change else self._not_found(visitor, trace)

    async def _shown(self, change: ApprovalRequest, visitor: Visitor, request: HttpRequest, trace: Trace) -> HttpAnswer:
        trace.presents = False
        if _STATE in parameters_of(request):
            return _state_answer(200, standing(change, self._now))
        if _AGAIN in parameters_of(request) and self.approvals.staleness(visitor.person, change):
            return self._to_sign_in(request, visitor.session, change.path, trace, again=True)
        return await self._page_of(change, visitor)

    async def _visible(self, name: str, visitor: Visitor, trace: Trace) -> ApprovalRequest | None:
        """Find an existing change that the visitor is allowed to see.

        If there is none, the audit log records the reason: the change does not exist, or the visitor is not allowed to
        see it.
        """
        change = trace.change = await self.approvals.kept().find(name)
        return change if change and self.approvals.may_see(visitor.person, change) else None

    def _not_found(self, visitor: Visitor, trace: Trace) -> HttpAnswer:
        self.visiting.reception.record(trace, Outcome.DENIED if trace.change else Outcome.REFUSED)
        return page(
            "failure.html",
            404,
            visitor.cookie,
            frame=self.frame,
            title="Not Found",
            message=_UNKNOWN,
            person=visitor.person,
        )

    async def _page_of(
        self, change: ApprovalRequest, visitor: Visitor, problem: str = "", status: int = 200
    ) -> HttpAnswer:
        ledger = self.approvals.kept()
        sight = ShownChange.of(change, await ledger.shown(change), self._now, await ledger.shown_before(change))
        waits = self.approvals.waits_for(visitor.person, change)
        return page(
            "change.html",
            status,
            visitor.cookie,
            sight=sight,
            frame=self.frame,
            here=LIST,
            waits=waits,
            stale=self.approvals.staleness(visitor.person, change) if waits else "",
            why_not="" if waits else self.approvals.refusal_of(visitor.person, change),
            is_own=change.asked_by.is_same_person(Who.of(visitor.person)),
            is_laptop=self.approvals.is_laptop,
            person=visitor.person,
            ticket=self.visiting.seals.seal(visitor.ticket(change.id, change.digest)),
            problem=problem,
            now=self._now,
        )

    async def _decide(self, name: str, request: HttpRequest, trace: Trace) -> HttpAnswer:
        visitor = await self.visiting.visitor(request, trace)
        if isinstance(visitor, Session):
            raise Refusal("You are no longer signed in, so nothing was done. Open the change again.")
        fields = fields_of(request)
        change = await self._visible(name, visitor, trace)
        if change is None:
            return self._not_found(visitor, trace)
        check_ticket(self.visiting.seals, fields.get(TICKET, ""), visitor.ticket(change.id, change.digest))
        decision, why = fields.get(DECISION), reason_in(fields)
        if decision not in {_APPROVE, _DENY}:
            raise Refusal(f"{DECISION} must be {_APPROVE} or {_DENY}.")
        if decision == _DENY and not why:
            self.visiting.reception.record(trace, Outcome.REFUSED)
            return await self._page_of(change, visitor, _NO_REASON, 422)
        return await self._decided(change, visitor, trace, is_yes=decision == _APPROVE, why=why)

    async def _decided(
        self, change: ApprovalRequest, visitor: Visitor, trace: Trace, *, is_yes: bool, why: str
    ) -> HttpAnswer:
        # Check the stored preview before storing the decision, because users can decide only on changes that the page
        # can show.
        ShownChange.of(change, await self.approvals.kept().shown(change), self._now)
        by = By.LAPTOP if self.approvals.is_laptop else By.PAGE
        try:
            trace.change = await self.approvals.decide(visitor.person, change, is_yes=is_yes, by=by, why=why)
        except Refusal as refusal:
            return await self._undecided(change, visitor, trace, refusal)
        record_attempt(trace, "change: approve" if is_yes else "change: deny", Outcome.DONE)
        return HttpAnswer(303, b"", {**GUARDING, "location": change.path})

    async def _undecided(self, change: ApprovalRequest, visitor: Visitor, trace: Trace, refusal: Refusal) -> HttpAnswer:
        is_late = isinstance(refusal, ChangeOvertakenError) or standing(change, self._now) != ApprovalState.WAITING
        self.visiting.reception.record(trace, Outcome.REFUSED if is_late else Outcome.DENIED)
        now = await self._visible(change.id, visitor, trace) or change
        return await self._page_of(now, visitor, str(refusal), 409 if is_late else 403)

    async def _list(self, request: HttpRequest, trace: Trace) -> HttpAnswer:
        visitor = await self.visiting.visitor(request, trace)
        if isinstance(visitor, Session):
            return self._to_sign_in(request, visitor, LIST, trace, again=False)
        trace.presents = False
        person, now = visitor.person, self._now
        overview = await overview_for(person, self.approvals)
        return page(
            "changes.html",
            200,
            visitor.cookie,
            frame=self.frame,
            here=LIST,
            waiting=lines_of(overview.waiting, now),
            own=lines_of(overview.own, now),
            rest=lines_of(overview.rest, now),
            unlisted=overview.unlisted,
            is_complete=overview.is_complete,
            person=person,
            ticket=self.visiting.seals.seal(visitor.ticket()),
            way=self.visiting.way_in(request.origin),
            now=now,
        )

    async def _sign_out(self, request: HttpRequest, trace: Trace) -> HttpAnswer:
        visitor = await self.visiting.visitor(request, trace)
        fields = fields_of(request)
        if isinstance(visitor, Visitor):
            check_ticket(self.visiting.seals, fields.get(TICKET, ""), visitor.ticket())
        trace.presents = False
        ending = await self.visiting.sign_out(request)
        return page("signed_out.html", 200, ending, person=None, frame=self.frame)

    @property
    def _now(self) -> float:
        return self.approvals.kept().clock()


def _state_answer(status: int, state: str) -> HttpAnswer:
    return HttpAnswer(status, to_json({"state": state}), {**GUARDING, "content-type": JSON})
