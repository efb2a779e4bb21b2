"""Reads alerts that fired. Azure keeps alerts for 30 days."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clients.azure.client import Azure
from clients.azure.messages import AzureRequest, ListPage
from clients.azure.spans import TimeSpan

_VERSION: Final = "2019-05-05-preview"
_LINE: Final = "GET /subscriptions/{subscription}/providers/Microsoft.AlertsManagement/alerts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """A filter for alerts. Values are spelled as in Azure. An alert must match all conditions that are set."""

    resource: str | None = None
    group: str | None = None
    severity: str | None = None
    state: str | None = None
    condition: str | None = None
    rule: str | None = None


async def fired(azure: Azure, subscription: str, span: TimeSpan, limit: int, which: Which | None = None) -> ListPage:
    """Read the alerts of a subscription that fired in a time span, newest first."""
    wanted = which or Which()
    query = {
        "targetResource": wanted.resource,
        "targetResourceGroup": wanted.group,
        "severity": wanted.severity,
        "alertState": wanted.state,
        "monitorCondition": wanted.condition,
        "alertRule": wanted.rule,
        "customTimeRange": span.text,
        "sortBy": "startDateTime",
        "sortOrder": "desc",
    }
    return await azure.page(AzureRequest(_LINE, {"subscription": subscription}, query, version=_VERSION), limit)
