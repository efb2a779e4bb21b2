"""Gives the record tools access to the database."""

from __future__ import annotations

from dataclasses import dataclass, field

from clients.cosmos_data.service import CosmosData
from identity.seals import Seals


@dataclass(frozen=True, kw_only=True)
class TenantRecords(CosmosData):
    """The services of the record tools: the database, and the encryption of continuation tokens."""

    # Encrypts continuation tokens.
    seals: Seals = field(repr=False)
    # The tenant of callers who are not signed in (emulator only).
    emulator_tenant: str = ""
