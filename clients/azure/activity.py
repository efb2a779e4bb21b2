"""Reads Azure's activity log, which records who did what in a subscription, and what happened to resources.

Azure keeps events for 90 days.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, ListPage
from clients.azure.spans import TimeSpan
from refusal import Refusal

_VERSION: Final = "2015-04-01"
_LINE: Final = "GET /subscriptions/{subscription}/providers/Microsoft.Insights/eventtypes/management/values"
# Azure returns only these columns. Other columns, such as request bodies, are too long or rarely useful.
_COLUMNS: Final = (
    "eventTimestamp operationName status subStatus caller resourceId resourceGroupName correlationId level category"
    " description id"
).split()
_REASONS: Final = "properties"
# Patterns for operations that only read, check or evaluate.
CHANGES_NOTHING: Final = (
    r"/read$ /list\w*/action checkaccess /evaluate/action validate/action whatif checkname gettoken"
    r" policies/audit policies/append policyinsights"
)
_CHANGES_NOTHING: Final = re.compile("|".join(CHANGES_NOTHING.split()), re.IGNORECASE)
# The maximum number of events to search for matches.
_MOST_READ: Final = 2000
_GROUP_PARTS: Final = 4

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A filter for events of a subscription.

    Azure filters by a time span and by at most one other field. If set, `is_wanted` also filters the newest
    2,000 events. Unless `with_reasons` is set, details of responses are left out.
    """

    span: TimeSpan
    group: str = ""
    resource: str = ""
    provider: str = ""
    correlation: str = ""
    is_wanted: Callable[[Event], bool] | None = None
    with_reasons: bool = False

    @classmethod
    def within(cls, scope: ResourceId, span: TimeSpan) -> Self:
        """A filter for all events of a subscription, a resource group or a resource."""
        if len(scope.segments) <= _GROUP_PARTS:
            return cls(span=span, group=scope.group)
        return cls(span=span, resource=scope.text)

    @property
    def query(self) -> Mapping[str, str]:
        """The filter in Azure's syntax.

        Raises:
            Refusal: More than one field is set.
        """
        times = [f"eventTimestamp ge '{self.span.since}'", f"eventTimestamp le '{self.span.until}'"]
        columns = [*_COLUMNS, _REASONS] if self.with_reasons else _COLUMNS
        return {"$filter": " and ".join([*times, *self._places]), "$select": ",".join(columns)}

    @property
    def _places(self) -> list[str]:
        named = {
            "resourceGroupName": self.group,
            "resourceUri": self.resource,
            "resourceProvider": self.provider,
            "correlationId": self.correlation,
        }
        tests = [f"{name} eq '{_quoted(value)}'" for name, value in named.items() if value]
        if len(tests) > 1:
            raise Refusal(
                "Azure can filter events by only one of these: resource group, resource, provider or correlation. Omit"
                " the others."
            )
        return tests


async def events(azure: Azure, subscription: str, sought: Sought, limit: int) -> ListPage:
    """Read events of the activity log, newest first."""
    request = AzureRequest(_LINE, {"subscription": subscription}, sought.query, version=_VERSION)
    if sought.is_wanted is None:
        return await azure.page(request, limit)
    page = await azure.page(request, limit)
    found = [event for event in page.items if sought.is_wanted(event)]
    if len(found) < limit and page.has_more:
        page = await azure.page(request, _MOST_READ)
        found = [event for event in page.items if sought.is_wanted(event)]
    return replace(page, items=found[:limit], has_more=page.has_more or len(found) > limit)


def changes_nothing(event: Event) -> bool:
    """Whether an event's operation only read or checked something, without failing."""
    name, status = event.get("operationName"), event.get("status")
    operation = str(name.get("value") if isinstance(name, Mapping) else name or "")
    ended = str(status.get("value") if isinstance(status, Mapping) else status or "")
    return bool(_CHANGES_NOTHING.search(operation)) and ended.lower() not in {"failed", "failure"}


def _quoted(value: str) -> str:
    return value.replace("'", "''")
