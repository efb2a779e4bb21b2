"""Requests to Azure DevOps, and the responses."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Protocol

from clients import messages
from clients.azure_devops.organization import Host
from clients.azure_devops.records import ChangedRecord, DevOpsRecord
from clients.decoding import decoded
from clients.messages import JSON, OCTETS, TEXT, Place

__all__ = [
    "JSON",
    "JSON_PATCH",
    "OCTETS",
    "TEXT",
    "VERSION",
    "DevOpsAnswer",
    "DevOpsExchange",
    "DevOpsRequest",
    "Place",
]

VERSION: Final = "7.1"
JSON_PATCH: Final = "application/json-patch+json"


@dataclass(frozen=True, slots=True)
class DevOpsRequest(messages.Request):
    """A request to one of the hosts of an organization."""

    host: Host = field(default=Host.CORE, kw_only=True)
    version: str = field(default=VERSION, kw_only=True)


@dataclass(frozen=True)
class DevOpsAnswer(messages.Answer):
    @cached_property
    def document(self) -> Any:
        """The JSON in the response; an empty object if there is no content. Raises ValueError for invalid JSON."""
        kind = ChangedRecord if self.is_of_change else DevOpsRecord
        found = decoded(self.text, kind) if self.content else None
        if isinstance(found, list):
            found = kind(count=len(found), value=found)
        if isinstance(found, dict) and "value" in found:
            found["value"] = _entries(found["value"], is_list="count" in found)
        return kind() if found is None else found


def _entries(value: Any, *, is_list: bool) -> Any:
    """Remove `null` entries, which were deleted or are hidden from the caller. A list can itself be `null`."""
    if value is None and is_list:
        return []
    return [entry for entry in value if entry is not None] if isinstance(value, list) else value


class DevOpsExchange(Protocol):
    """Sends requests to Azure DevOps."""

    async def send(
        self, base_url: str, request: DevOpsRequest, authorization: str, largest: int | None = None
    ) -> DevOpsAnswer:
        """Send a request, and read at most `largest` bytes of the response.

        Raises:
            Refusal: Azure DevOps did not respond, or a value is not valid as a path segment.
        """
