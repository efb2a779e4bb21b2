"""Documents that Cosmos DB returns, and queries that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

OF_THE_SERVICE: Final = frozenset(["_rid", "_self", "_etag", "_ts", "_attachments", "_lsn"])


def own(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without system properties."""
    return {name: value for name, value in record.items() if name not in OF_THE_SERVICE}


@dataclass(frozen=True, slots=True)
class Compiled:
    """A query and its parameters."""

    text: str
    parameters: list[dict[str, Any]] = field(default_factory=list)
    # Whether its rows are whole records.
    is_whole: bool = True
