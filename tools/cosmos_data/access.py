"""How the tools of records get at the database."""

from __future__ import annotations

from dataclasses import dataclass, field

from clients.cosmos_data.service import CosmosData
from identity.seals import Seals


@dataclass(frozen=True, kw_only=True)
class TenantRecords(CosmosData):
    """The database, with what its tools need beside it."""

    # What seals where the pages of an answer go on.
    seals: Seals = field(repr=False)
    # The tenant of strangers, where this is an emulator.
    emulator_tenant: str = ""
