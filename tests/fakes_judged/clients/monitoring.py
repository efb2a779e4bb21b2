"""Microsoft's clients of Azure Monitor, its logs, Resource Health and alerts."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any, Final

from azure.core.exceptions import HttpResponseError
from azure.mgmt.alertsmanagement import AlertsManagementClient
from azure.mgmt.monitor import MonitorManagementClient
from azure.mgmt.resourcehealth import ResourceHealthMgmtClient
from azure.monitor.query import LogsQueryClient, LogsQueryPartialResult, LogsQueryStatus

from tests.fakes_judged.clients.signed_in import ELSEWHERE, URL, Credential

Json = Any
CREDENTIAL: Final = Credential()
DAY: Final = timedelta(days=1)


def _asked(name: str) -> str:
    return os.environ[f"INVENTED_{name}"]


def _monitor() -> MonitorManagementClient:
    return MonitorManagementClient(CREDENTIAL, _asked("SUBSCRIPTION"), **ELSEWHERE)


def _health() -> ResourceHealthMgmtClient:
    return ResourceHealthMgmtClient(CREDENTIAL, _asked("SUBSCRIPTION"), **ELSEWHERE)


def _refusal(error: HttpResponseError) -> Json:
    return [type(error).__name__, error.status_code]


def logs() -> Json:
    client = LogsQueryClient(CREDENTIAL, endpoint=URL)
    whole = client.query_resource(_asked("INSIGHTS"), "AppExceptions | project TimeGenerated, ItemCount", timespan=DAY)
    by_id = client.query_workspace(_asked("WORKSPACE"), "union * | summarize n = count() by Type", timespan=DAY)
    try:
        client.query_resource(_asked("INSIGHTS"), "AppExceptions | foobar", timespan=DAY)
    except HttpResponseError as error:
        wrong = [*_refusal(error), "foobar" in str(error)]
    assert not isinstance(whole, LogsQueryPartialResult)
    assert not isinstance(by_id, LogsQueryPartialResult)
    (table,) = whole.tables
    return {
        "columns": dict(zip(table.columns, table.columns_types, strict=True)),
        "count": len(table.rows),
        "first": type(table.rows[0][0]).__name__,
        "tables": sorted(row[0] for row in by_id.tables[0].rows),
        "wrong": wrong,
    }


def part_of_logs() -> Json:
    client = LogsQueryClient(CREDENTIAL, endpoint=URL)
    found = client.query_resource(_asked("INSIGHTS"), "AppRequests", timespan=DAY)
    assert found.status == LogsQueryStatus.PARTIAL
    assert isinstance(found, LogsQueryPartialResult)
    return {"rows": len(found.partial_data[0].rows), "code": found.partial_error.code}


def activity() -> Json:
    events = list(_monitor().activity_logs.list(filter=_asked("FILTER")))
    try:
        list(_monitor().activity_logs.list(filter="eventTimestamp ge '2020-01-01T00:00:00Z'"))
    except HttpResponseError as error:
        old = _refusal(error)
    said = [event.operation_name.value if event.operation_name else "" for event in events]
    return {"operations": said, "times": [type(event.event_timestamp).__name__ for event in events], "old": old}


def metrics() -> Json:
    client, place = _monitor(), _asked("WEB")
    found = client.metrics.list(
        place, metricnames="Http5xx", aggregation="total", interval="PT1H", timespan=_asked("SPAN")
    )
    split = client.metrics.list(place, metricnames="Requests", filter="Instance eq '*'", timespan=_asked("SPAN"))
    return {
        "names": [one.name.value for one in client.metric_definitions.list(place) if one.name],
        "points": [point.total for point in found.value[0].timeseries[0].data],
        "split": len(split.value[0].timeseries),
    }


def health() -> Json:
    client, place = _health(), _asked("MACHINE")
    now = client.availability_statuses.get_by_resource(place, expand="recommendedactions")
    return {
        "now": now.properties.availability_state if now.properties else "",
        "before": [
            one.properties.availability_state for one in client.availability_statuses.list(place) if one.properties
        ],
        "events": sorted(one.name or "" for one in client.events.list_by_subscription_id()),
        "touched": [
            one.target_resource_type
            for one in client.impacted_resources.list_by_subscription_id_and_event_id("VT_B-2Q8")
        ],
    }


def alerts() -> Json:
    client = AlertsManagementClient(CREDENTIAL, _asked("SUBSCRIPTION"), **ELSEWHERE)
    found = client.alerts.get_all(time_range="7d", monitor_condition="Fired")
    return [[one.name, one.properties.essentials.severity] for one in found]
