"""Actions of Azure: each is of Resource Manager or of data, and a role for all of the one permits none of the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from clients.azure.client import Azure
from clients.azure.messages import AzureRequest
from clients.azure.permissions import Permissions
from refusal import Refusal

_VERSION: Final = "2022-04-01"
_UNKNOWN: Final = "Azure lists no such action: it may be misspelt. find_azure_operation finds actions."
_UNREAD: Final = "Whether this is an action of data could not be read, so that roles of either kind count."


@dataclass(frozen=True, slots=True)
class Action:
    """`of_data` is None where nobody can tell, and `doubt` says why."""

    name: str
    of_data: bool | None = None
    doubt: str = ""

    def is_allowed_by(self, permissions: Permissions) -> bool:
        """Whether permissions allow it; where nobody can tell its kind, whether they may."""
        return permissions.allow(self.name, of_data=self.of_data)

    def verdict(self, *, is_allowed: bool) -> bool | Literal["unknown"]:
        """What is said of whether it is allowed: never yes of an action whose kind nobody knows."""
        return "unknown" if is_allowed and self.of_data is None else is_allowed


async def action_called(azure: Azure, name: str) -> Action:
    """An action by its name, which tells nothing of its kind."""
    namespace = name.partition("/")[0]
    try:
        known = await azure.lately(("actions", namespace.lower()), lambda: _read(azure, namespace))
    except Refusal:
        return Action(name, doubt=_UNREAD)
    of_data = known.get(name.lower())
    return Action(name, of_data, "" if of_data is not None else _UNKNOWN)


async def _read(azure: Azure, namespace: str) -> Mapping[str, bool]:
    """Whether each action of a provider is one of data, by its name in small letters."""
    line = "GET /providers/Microsoft.Authorization/providerOperations/{namespace}"
    request = AzureRequest(line, {"namespace": namespace}, {"$expand": "resourceTypes"}, version=_VERSION)
    found = await azure.json(request)
    return {str(one.get("name")).lower(): bool(one.get("isDataAction")) for one in _operations(found)}


def _operations(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for holder in (document, *_records(document.get("resourceTypes"))):
        yield from _records(holder.get("operations"))


def _records(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
