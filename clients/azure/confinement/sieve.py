"""Removes an entry from a response if the entry's ID is outside the allowed scope."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.confinement.request_paths import Extent, is_definition
from clients.azure.ids import ResourceId, is_guid
from clients.azure.reach import GroupBounds
from clients.folding import folded

# The subscription of a service event is only in the path of the request, not in the ID of the event.
_OF_SERVICES: Final = re.compile(r"providers/microsoft\.resourcehealth/events/[^/]+")
# Names of the fields that contain the entries of a response.
_ENTRIES: Final = ("value", "data")
_BUILT_IN: Final = frozenset({"builtinrole", "builtin", "static"})
_FURTHER: Final = frozenset({"nextLink", "@odata.nextLink", "$skipToken", "count", "totalRecords", "resultTruncated"})


class NotWithinError(Exception):
    """The response is outside the allowed scope, or does not show which resource it belongs to."""


@dataclass
class AzureSieve:
    """Filters the response to a request. `extent` says how much of the request's target is in the allowed scope."""

    extent: Extent
    bounds: GroupBounds
    left_out: int = 0

    def answer(self, document: Any) -> Any:
        """The part of a response that is in the allowed scope. Raises NotWithinError if no part is."""
        if isinstance(document, list):
            return self._rows(document)
        if not isinstance(document, Mapping):
            raise NotWithinError
        entries = next((name for name in _ENTRIES if isinstance(document.get(name), list)), None)
        if (entries is None or _own_id(document)) and not self._shows(document):
            raise NotWithinError
        if entries is None:
            return document
        rest = document if self._shows_all else {name: document[name] for name in _FURTHER & {*document}}
        return {**rest, entries: self._rows(document[entries])}

    @property
    def has_changed(self) -> bool:
        """Whether entries or fields were removed."""
        return self.left_out > 0 or not self._shows_all

    @property
    def _shows_all(self) -> bool:
        """Whether the whole target is in the allowed scope, so that even entries without an ID can be kept."""
        return self.extent in {Extent.ALL, Extent.GRAPH, Extent.NOBODYS}

    def _rows(self, rows: list[Any]) -> list[Any]:
        left = [row for row in rows if self._shows(row)]
        self.left_out += len(rows) - len(left)
        return left

    def _shows(self, row: Any) -> bool:
        if self.extent is Extent.SUBSCRIPTIONS:
            return isinstance(row, Mapping) and self.bounds.opens(str(row.get("subscriptionId")))
        own = _own_id(row)
        if own is None:
            return self._shows_all
        if self.extent is Extent.NOBODYS and not own.group:
            return not own.subscription or self.bounds.opens(own.subscription)
        is_of_services = self.extent is Extent.ALL and bool(_OF_SERVICES.fullmatch(folded("/".join(own.segments))))
        return is_of_services or self.bounds.admits(own) or _is_built_in(own, row)


def _own_id(row: Any) -> ResourceId | None:
    """The ID of the resource that a row describes; None if the row does not describe a resource."""
    names = [name for name in row if folded(name) == "id"] if isinstance(row, Mapping) else []
    ids = [_as_id(row[name]) for name in names]
    return next((found for found in ids if found), None)


def _as_id(value: Any) -> ResourceId | None:
    if not isinstance(value, str):
        return None
    found = ResourceId(tuple(part for part in value.strip().split("/") if part))
    is_id = value.strip().startswith("/") or is_guid(found.subscription)
    return found if is_id else None


def _is_built_in(own: ResourceId, row: Mapping[str, Any]) -> bool:
    """Whether this is a built-in role or policy definition of Azure."""
    inner = row.get("properties")
    if not isinstance(inner, Mapping) or not is_definition(folded("/".join(own.segments))):
        return False
    return folded(str(inner.get("type") or inner.get("policyType") or "")) in _BUILT_IN
