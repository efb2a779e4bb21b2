"""What a call would do: as the service tells it now, or told it a few minutes ago where telling takes it long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp.server.mcpserver import Context

from changes.change import MOST_SECONDS_OF_APPLYING, Change, State, Who
from changes.ledger import Ledger, Look
from changes.looking import SECONDS_IT_COUNTS, SECONDS_IT_MAY_TAKE, StillLookingError
from changes.plan import Plan, call_of
from changes.preview import Preview
from changes.seal import sealed, seals
from identity.access import Access
from mcp_server.declarations.tool import Tool
from mcp_server.visit import Visit
from refusal import Refusal


class WaitingError(Refusal):
    """Nothing was done yet; `change` says for programs what is waited for.

    `goes_on` is whether it does so without the caller, who needs only send the same call again.
    """

    def __init__(self, words: str, change: Mapping[str, Any], *, goes_on: bool = True) -> None:
        super().__init__(words)
        self.change = change
        self.goes_on = goes_on


@dataclass(frozen=True, slots=True)
class Planned:
    plan: Plan
    access: Access
    # When the service told it, where that takes it long.
    looked: float = 0.0


@dataclass(frozen=True)
class Planning:
    tool: Tool
    meant: dict[str, Any]
    visit: Visit
    context: Context[Any, Any]

    async def planned(self) -> Planned:
        """What the call would do.

        Raises:
            WaitingError: The service needs longer to tell.
            Refusal: It could not be done.
        """
        planned = (
            await self._in_later_calls() if self.tool.may_look_long(self.meant) else self._fresh(await self._preview())
        )
        self.visit.is_previewed = True
        return planned

    async def _preview(self) -> Preview:
        return await self.tool.preview(self.meant, self.context)

    async def _in_later_calls(self) -> Planned:
        ledger, who = self.visit.approvals.kept(), Who.of(self.visit.caller)
        call = call_of(self.tool.toolset, self.tool.original.name, self.tool.shown(self.meant))
        last = await ledger.last_of(who, call)
        if last and _counts(last, ledger.clock()) and await seals(last.seal, self._secrets):
            return self._told_before(last, (await ledger.shown(last)).preview)
        return self._fresh(await self._looked(ledger, who, call), ledger.clock())

    async def _looked(self, ledger: Ledger, who: Who, call: str) -> Preview:
        """Go on with the look that was begun, or begin one."""
        begun = await ledger.look_under_way(who, call)
        look = begun if begun and await self._is_followed(begun, ledger.clock()) else await self._new(ledger.clock())
        self.visit.trail = look.trail
        try:
            preview = await self._preview()
        except StillLookingError as still:
            await ledger.keep_look(who, call, replace(look, trail=still.trail))
            raise self._checking(ledger.clock() - look.begun, still.seconds) from None
        except Refusal:
            await self._ended(ledger, who, call, begun)
            raise
        await self._ended(ledger, who, call, begun)
        return preview

    async def _is_followed(self, look: Look, now: float) -> bool:
        """Whether it is of this call, and not too old."""
        return now - look.begun < SECONDS_IT_MAY_TAKE and await seals(look.seal, self._secrets)

    async def _new(self, now: float) -> Look:
        return Look(now, {}, await sealed(self._secrets))

    @property
    def _secrets(self) -> Mapping[str, Any]:
        return self.tool.secrets(self.meant)

    async def _ended(self, ledger: Ledger, who: Who, call: str, begun: Look | None) -> None:
        if begun:
            await ledger.end_look(who, call)

    def _fresh(self, preview: Preview, looked: float = 0.0) -> Planned:
        access = self._access(preview)
        name = self.tool.original.name
        plan = Plan.of(self.tool.toolset, name, access.label, self.tool.shown(self.meant), preview)
        return Planned(plan, access, looked)

    def _told_before(self, change: Change, preview: Preview) -> Planned:
        """It was made to fit when it was kept."""
        access = self._access(preview)
        arguments = self.tool.shown(self.meant)
        plan = Plan(self.tool.toolset, self.tool.original.name, access.label, arguments, preview)
        return Planned(plan, access, change.looked)

    def _access(self, preview: Preview) -> Access:
        return self.tool.access_of(self.meant) if preview.destroys else self.tool.own_access

    def _checking(self, since: float, seconds: float) -> WaitingError:
        wait = max(round(seconds), 1)
        words = (
            f"Checking what {self.tool.name} would do, for {round(since)} seconds so far: nothing was done. Send the"
            f" very same call again in {wait} seconds."
        )
        return WaitingError(words, {"state": "checking", "since": round(since), "again_in": wait})


def _counts(change: Change, now: float) -> bool:
    """Whether what was told of it last needs not be asked again."""
    if change.state is State.APPLYING:
        return now - change.begun < MOST_SECONDS_OF_APPLYING
    is_open = change.state in {State.WAITING, State.APPROVED, State.DENIED} and now < change.until
    return is_open and now - change.looked < SECONDS_IT_COUNTS
