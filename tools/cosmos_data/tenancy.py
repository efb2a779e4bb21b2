"""Decides which tenant's records a call may read and change."""

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
    """The caller and their tenant."""

    visit: Visit
    strangers: str

    def tenant(self, asked: str | None) -> str:
        """Return the tenant of the call. If this is not the caller's own tenant, the audit record says so."""
        own = self._own
        if asked and asked != own:
            self._cross_to(asked)
            return asked
        if not own:
            raise Refusal(
                "Your sign-in is not mapped to a tenant, so you cannot see any records. Ask an operator to map you"
                " under `tenants` in the roles file."
            )
        return own

    def _cross_to(self, tenant: str) -> None:
        if not self.visit.door.tenants.may_cross(self.visit.caller):
            raise Refusal("tenant_id is not your tenant. Omit tenant_id: your sign-in sets the tenant.")
        self.visit.cross_to(tenant)

    @property
    def is_of_one(self) -> bool:
        """Whether the caller belongs to exactly one tenant."""
        try:
            return bool(self._own)
        except Refusal:
            return False

    @property
    def mark(self) -> str:
        """A string that identifies the caller, so that no other caller can use the continuation token."""
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
