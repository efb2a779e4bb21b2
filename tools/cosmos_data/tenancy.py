"""Whose records a call is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from identity.caller import Caller, CallerKind
from identity.seals import fingerprint
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context, Visit
from refusal import Refusal
from tools.cosmos_data.access import TenantRecords
from tools.cosmos_data.key import RECORDS


@dataclass(frozen=True, slots=True)
class Belonging:
    """Who asks, and the tenant to which they belong."""

    visit: Visit
    strangers: str

    def tenant(self, asked: str | None) -> str:
        """The tenant in which the call works. One that is not the caller's own is noted in the record of the call.

        Raises:
            Refusal: The caller belongs to none, or may not work in the one that is asked for.
        """
        own = self._own
        if asked and asked != own:
            if not self.visit.door.tenants.may_cross(self.visit.caller):
                raise Refusal("tenant_id is not your own tenant. Leave it out: it comes from your sign-in.")
            self.visit.cross_to(asked)
            return asked
        if not own:
            raise Refusal(
                "Your sign-in belongs to no tenant of the data, so there are no records for you. An operator maps"
                " callers to tenants in the roles file, under tenants."
            )
        return own

    @property
    def is_of_one(self) -> bool:
        """Whether the caller belongs to just one tenant."""
        try:
            return bool(self._own)
        except Refusal:
            return False

    @property
    def mark(self) -> str:
        """What differs from everybody else who could go on with a page."""
        return fingerprint(*map(str, self.visit.caller.principal))

    @property
    def _own(self) -> str:
        caller: Caller = self.visit.caller
        return self.strangers if caller.kind is CallerKind.ANONYMOUS else self.visit.door.tenants.of(caller)


async def records_of(context: Context) -> TenantRecords:
    return await RECORDS.of(context)


async def belonging_of(context: Context) -> Belonging:
    data = await RECORDS.of(context)
    return Belonging(context.visit, data.emulator_tenant)


Records = Annotated[TenantRecords, Resolve(records_of)]
Belongs = Annotated[Belonging, Resolve(belonging_of)]
