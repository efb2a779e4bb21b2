"""Previews what a call would do.

An approved change is applied only if a preview that started after the approval shows the same effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from changes.approval_request import MOST_SECONDS_OF_APPLYING, ApprovalRequest, ApprovalState, Who
from changes.ledger import Ledger, StartedLook
from changes.looking import LONGEST_PAUSE, SECONDS_IT_COUNTS, SECONDS_IT_MAY_TAKE, StillLookingError
from changes.plan import Plan, call_of
from changes.preview import Preview
from changes.seal import sealed, seals
from identity.access import Access
from mcp_server.calls.waiting import WaitingError
from mcp_server.declarations.change import Change
from mcp_server.declarations.tool import Tool
from mcp_server.visit import Visit
from refusal import Refusal

NEVER: Final = -1.0


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, and the time when its preview began.

    The time is `NEVER` for a stored preview that is already waiting for approval.
    """

    plan: Plan
    access: Access
    began: float


@dataclass(frozen=True)
class Planning:
    tool: Tool
    meant: dict[str, Any]
    visit: Visit
    change: Change[Any]

    async def planned(self, since: float = 0.0) -> Planned:
        """Preview what the call would do. Previews that started before `since` are not valid.

        Raises:
            WaitingError: The service needs more time for the preview.
            Refusal: The change cannot be made.
        """
        looks_long = self.tool.may_look_long(self.meant)
        planned = await self._in_later_calls(since) if looks_long else await self._at_once()
        self.visit.trace.is_previewed = True
        return planned

    async def _at_once(self) -> Planned:
        ledger = self.visit.approvals.ledger
        began = ledger.clock() if ledger else 0.0
        return self._fresh(await self._preview(), began)

    async def _preview(self) -> Preview:
        return await self.change.preview()

    async def _in_later_calls(self, since: float) -> Planned:
        ledger, who = self.visit.approvals.kept(), Who.of(self.visit.caller)
        call = call_of(self.tool.toolset, self.tool.original.name, self.tool.shown(self.meant))
        last = await ledger.last_of(who, call)
        if last and await seals(last.seal, self._secrets):
            if not since and _needs_no_look(last, ledger.clock()):
                return self._as_shown(last, (await ledger.shown(last)).preview)
            if last.state is ApprovalState.APPROVED and last.decision:
                since = max(since, last.decision.at)
        return await self._looked(_Following(ledger, who, call, since))

    async def _looked(self, following: _Following) -> Planned:
        """If a preview is in progress, continue this preview. Otherwise, start a preview."""
        begun, now = await following.begun(), following.ledger.clock()
        if begun and not await self._is_followed(begun, following.since, now):
            begun = None
        look = begun or StartedLook(now, now, {}, await sealed(self._secrets))
        self.visit.trace.trail = look.trail
        try:
            preview = await self._preview()
        except StillLookingError as still:
            await following.keep(replace(look, trail=still.trail, seen=following.ledger.clock()))
            raise self._checking(following, look, still.seconds) from None
        except Refusal:
            await following.end()
            raise
        await following.end()
        if begun and following.since and now - look.seen > SECONDS_IT_COUNTS:
            # The state may have changed at any time since the last call, so start the preview again.
            return await self._looked(following)
        return self._fresh(preview, look.begun)

    async def _is_followed(self, look: StartedLook, since: float, now: float) -> bool:
        """Whether a preview that is in progress belongs to this call, began recently enough, and has not expired."""
        is_in_time = look.begun >= since and now - look.begun < SECONDS_IT_MAY_TAKE
        return is_in_time and await seals(look.seal, self._secrets)

    @property
    def _secrets(self) -> Mapping[str, Any]:
        return self.tool.secrets(self.meant)

    def _fresh(self, preview: Preview, began: float) -> Planned:
        access = self._access(preview)
        name = self.tool.original.name
        plan = Plan.of(self.tool.toolset, name, access.label, self.tool.shown(self.meant), preview)
        return Planned(plan, access, began)

    def _as_shown(self, change: ApprovalRequest, preview: Preview) -> Planned:
        """A plan whose preview is already waiting for approval.

        The preview was shortened when it was stored.
        """
        access = self._access(preview)
        arguments = self.tool.shown(self.meant)
        return Planned(Plan(change.toolset, change.tool, access.label, arguments, preview), access, NEVER)

    def _access(self, preview: Preview) -> Access:
        return self.tool.access_of(self.meant) if preview.destroys else self.tool.own_access

    def _checking(self, following: _Following, look: StartedLook, seconds: float) -> WaitingError:
        wait = max(round(min(seconds, LONGEST_PAUSE)), 1)
        since = round(following.ledger.clock() - look.begun)
        approved = "It is approved. " if following.since else ""
        words = (
            f"{approved}Checking what {self.tool.name} would do ({since} seconds so far). Nothing was done yet. Send"
            f" the same call again in {wait} seconds."
        )
        return WaitingError(words, {"state": "checking", "since": since, "again_in": wait})


def _needs_no_look(change: ApprovalRequest, now: float) -> bool:
    """Whether a new preview is unnecessary, because this call cannot apply the change anyway."""
    if change.state is ApprovalState.APPLYING:
        return now - change.begun < MOST_SECONDS_OF_APPLYING
    return change.is_undecided(now)


@dataclass(frozen=True, slots=True)
class _Following:
    """A preview in progress, which the ledger stores for a caller and a call.

    The preview is valid only if it started at `since` or later.
    """

    ledger: Ledger
    who: Who
    call: str
    since: float

    async def begun(self) -> StartedLook | None:
        return await self.ledger.look_under_way(self.who, self.call)

    async def keep(self, look: StartedLook) -> None:
        await self.ledger.keep_look(self.who, self.call, look)

    async def end(self) -> None:
        await self.ledger.end_look(self.who, self.call)
