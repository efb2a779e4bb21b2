"""Azure actions: each is a management or a data action, and a role for all of one kind permits none of the other."""

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
_UNREAD: Final = "Whether this is a data action could not be determined, so roles of either kind count."


@dataclass(frozen=True, slots=True)
class Action:
    """`of_data` is None if unknown, and `doubt` says why."""

    name: str
    of_data: bool | None = None
    doubt: str = ""

    def is_allowed_by(self, permissions: Permissions) -> bool:
        """Whether permissions allow it; if its kind is unknown, whether they might."""
        return permissions.allow(self.name, of_data=self.of_data)

    def verdict(self, *, is_allowed: bool) -> bool | Literal["unknown"]:
        """How the answer says whether it is allowed: never "yes" if the action's kind is unknown."""
        return "unknown" if is_allowed and self.of_data is None else is_allowed


async def action_called(azure: Azure, name: str) -> Action:
    """An action by its name, which does not show its kind."""
    namespace = name.partition("/")[0]
    try:
        known = await azure.lately(("actions", namespace.lower()), lambda: _read(azure, namespace))
    except Refusal:
        return Action(name, doubt=_UNREAD)
    of_data = known.get(name.lower())
    return Action(name, of_data, "" if of_data is not None else _UNKNOWN)


async def _read(azure: Azure, namespace: str) -> Mapping[str, bool]:
    """Whether each action of a provider is a data action, by its name in lower case."""
    line = "GET /providers/Microsoft.Authorization/providerOperations/{namespace}"
    request = AzureRequest(line, {"namespace": namespace}, {"$expand": "resourceTypes"}, version=_VERSION)
    found = await azure.json(request)
    return {str(one.get("name")).lower(): bool(one.get("isDataAction")) for one in _operations(found)}


def _operations(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for holder in (document, *_records(document.get("resourceTypes"))):
        yield from _records(holder.get("operations"))


def _records(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
