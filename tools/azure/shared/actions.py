"""Azure actions. An action is either a management action or a data action, and roles permit each kind separately."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from clients.azure.client import Azure
from clients.azure.messages import AzureRequest
from clients.azure.permissions import Permissions
from refusal import Refusal

_VERSION: Final = "2022-04-01"
_UNKNOWN: Final = "Azure does not list this action; it may be misspelled. Use find_azure_operation to find actions."
_UNREAD: Final = "The server could not determine whether this is a management or a data action, so it considers both."


@dataclass(frozen=True, slots=True)
class Action:
    """An action in Azure.

    If it is unknown whether the action is a data action, `of_data` is None, and `doubt` says why.
    """

    name: str
    of_data: bool | None = None
    doubt: str = ""

    def is_allowed_by(self, permissions: Permissions) -> bool:
        """Check whether permissions allow the action.

        If it is unknown whether the action is a data action, permission for either kind of action is enough.
        """
        return permissions.allow(self.name, of_data=self.of_data)

    def verdict(self, *, is_allowed: bool) -> bool | Literal["unknown"]:
        """Return the verdict for the answer: "unknown" instead of True if the kind of the action is unknown."""
        return "unknown" if is_allowed and self.of_data is None else is_allowed


async def action_called(azure: Azure, name: str) -> Action:
    """Look up an action by name, to find out whether it is a management action or a data action."""
    namespace = name.partition("/")[0]
    try:
        known = await azure.lately(("actions", namespace.lower()), lambda: _read(azure, namespace))
    except Refusal:
        return Action(name, doubt=_UNREAD)
    of_data = known.get(name.lower())
    return Action(name, of_data, "" if of_data is not None else _UNKNOWN)


async def _read(azure: Azure, namespace: str) -> Mapping[str, bool]:
    """Map the names of a provider's actions, in lowercase, to whether the action is a data action."""
    line = "GET /providers/Microsoft.Authorization/providerOperations/{namespace}"
    request = AzureRequest(line, {"namespace": namespace}, {"$expand": "resourceTypes"}, version=_VERSION)
    found = await azure.json(request)
    return {str(one.get("name")).lower(): bool(one.get("isDataAction")) for one in _operations(found)}


def _operations(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for holder in (document, *_records(document.get("resourceTypes"))):
        yield from _records(holder.get("operations"))


def _records(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
