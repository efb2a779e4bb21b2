"""Defines queries to Cosmos DB, and the documents that Cosmos DB returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

OF_THE_SERVICE: Final = frozenset(["_rid", "_self", "_etag", "_ts", "_attachments", "_lsn"])


def own(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without the system properties of Cosmos DB."""
    return {name: value for name, value in record.items() if name not in OF_THE_SERVICE}


@dataclass(frozen=True, slots=True)
class Compiled:
    """The text of a query and its parameters."""

    text: str
    parameters: list[dict[str, Any]] = field(default_factory=list)
    # Whether the query returns whole records.
    is_whole: bool = True
