"""How the tools of records get at the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tools.key import Key

if TYPE_CHECKING:
    from tools.cosmos_data.service import CosmosData

RECORDS: Final[Key[CosmosData]] = Key("cosmos-data")
