"""The key by which the record tools get the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tools.key import Key

if TYPE_CHECKING:
    from tools.cosmos_data.access import TenantRecords

RECORDS: Final[Key[TenantRecords]] = Key("cosmos-data")
