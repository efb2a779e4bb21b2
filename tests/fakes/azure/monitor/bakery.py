"""What is monitored at the invented bakery. Two hours ago the shop was deployed; since then its checkout fails."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from tests.fakes.azure.monitor.monitored import Monitored
from tests.fakes.azure.people import DEVELOPER, OWNER, PIPELINE, invented_id
from tests.fakes.azure.world import OVEN, PRODUCTION, SHOP

WEB: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
INSIGHTS: Final = f"{SHOP}/providers/microsoft.insights/components/shop-insights"
SQL: Final = f"{SHOP}/providers/Microsoft.Sql/servers/shop-sql"
DATABASE: Final = f"{SQL}/databases/orders"
API: Final = f"{OVEN}/providers/Microsoft.App/containerApps/oven-api"
MACHINE: Final = f"{OVEN}/providers/Microsoft.Compute/virtualMachines/oven-control"
WORKSPACE: Final = (
    f"/subscriptions/{PRODUCTION}/resourceGroups/network-prod/providers/Microsoft.OperationalInsights/workspaces"
    "/bakery-logs"
)
SLOW: Final = (
    f"/subscriptions/{PRODUCTION}/resourceGroups/network-prod/providers/microsoft.insights/metricAlerts/shop-slow"
)
_MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)


def watched(monitor: Monitored, now: datetime) -> None:
    _did(monitor, now)
    _was(monitor, now)
    _announced(monitor, now)
    _measured(monitor, now)
    _wrote(monitor, now)
    monitor.alerts.fire(
        WEB, "shop-slow", now - 110 * _MINUTE, rule=SLOW, description="The shop answers with errors, or late."
    )
    monitor.alerts.fire(
        DATABASE, "orders-full", now - 3 * _DAY, severity="Sev3", resolved=now - 2 * _DAY, state="Closed"
    )
    monitor.alerts.fire(
        MACHINE, "oven-control-down", now - 5 * _HOUR, severity="Sev1", service="ResourceHealth", signal="Log"
    )


def _did(monitor: Monitored, now: datetime) -> None:
    """What people and pipelines did."""
    log = monitor.activity
    deployed, name = now - 2 * _HOUR, PIPELINE.id
    for status, seconds in (("Started", 0), ("Accepted", 2), ("Succeeded", 40)):
        at = deployed + timedelta(seconds=seconds)
        log.add(WEB, "Microsoft.Web/sites/write", at, name, status=status, correlation=invented_id("release", "shop"))
    log.add(WEB, "Microsoft.Web/sites/restart/action", now - 30 * _MINUTE, DEVELOPER.name)
    denied = (
        '{"error":{"code":"RequestDisallowedByPolicy","message":"Resource \'shop-big\' was disallowed by policy."}}'
    )
    log.add(
        f"{SHOP}/providers/Microsoft.Web/serverFarms/shop-big",
        "Microsoft.Web/serverFarms/write",
        now - 26 * _HOUR,
        DEVELOPER.name,
        status="Failed",
        statusCode="Forbidden",
        statusMessage=denied,
    )
    log.add(OVEN, "Microsoft.Authorization/roleAssignments/write", now - 2 * _DAY, OWNER.name)
    log.add(MACHINE, "Microsoft.Compute/virtualMachines/deallocate/action", now - 5 * _HOUR, OWNER.name)
    log.add(
        MACHINE, "Microsoft.Resourcehealth/healthevent/Activated/action", now - 5 * _HOUR, category="ResourceHealth"
    )


def _was(monitor: Monitored, now: datetime) -> None:
    """The states that resources were in."""
    health = monitor.health
    health.set_state(
        MACHINE,
        "Unavailable",
        now - 5 * _HOUR,
        "This virtual machine is stopped and deallocated as requested by an authorized user or process.",
        reason="Planned",
        context="Customer Initiated",
        recommendedActions=[
            {
                "action": "To start this virtual machine, open the resource blade and click Start",
                "actionUrl": "<#Blade>",
            }
        ],
    )
    health.set_state(MACHINE, "Available", now - 9 * _DAY)
    health.set_state(SQL, "Degraded", now - 3 * _DAY, "Connections to this server took longer than usual.")
    health.set_state(SQL, "Available", now - 3 * _DAY + 2 * _HOUR)


def _announced(monitor: Monitored, now: datetime) -> None:
    """What Service Health announced."""
    health = monitor.health
    health.add_event(
        PRODUCTION,
        "VT_B-2Q8",
        "ServiceIssue",
        "Azure SQL Database - West Europe - Mitigated",
        now - 3 * _DAY,
        now - 3 * _DAY + 2 * _HOUR,
        services=["SQL Database"],
        summary="<p>Between these times, <b>connections</b> failed for some customers. A change was rolled back.</p>",
        impacted=[SQL],
    )
    health.add_event(
        PRODUCTION,
        "5N9X-LRG",
        "PlannedMaintenance",
        "Maintenance of SQL databases in West Europe",
        now + 6 * _DAY,
        now + 6 * _DAY + 4 * _HOUR,
        services=["SQL Database"],
        impacted=[SQL],
    )
    health.add_event(
        PRODUCTION,
        "QNY1-HB8",
        "HealthAdvisory",
        "Retirement: Python 3.9 on Azure Functions",
        now - 60 * _DAY,
        now + 300 * _DAY,
        services=["Azure Functions"],
        eventSubType="Retirement",
    )


def _measured(monitor: Monitored, now: datetime) -> None:
    metrics, site = monitor.metrics, "Microsoft.Web/sites"
    metrics.define(site, "Requests", "Count", "Total", ["Instance"], "Requests, whatever they were answered with.")
    metrics.define(site, "Http5xx", "Count", "Total", ["Instance"], "Requests answered with 5xx.")
    metrics.define(site, "HttpResponseTime", "Seconds", "Average", ["Instance"], "How long answers took.")
    metrics.define("Microsoft.Sql/servers/databases", "cpu_percent", "Percent", "Average", [], "CPU percentage")
    start = now - _DAY
    for instance in ("one", "two"):
        minutes = [start + at * 5 * _MINUTE for at in range(288)]
        is_bad = [at >= now - 2 * _HOUR for at in minutes]
        metrics.add(WEB, "Requests", ((at, 40.0) for at in minutes), Instance=instance)
        metrics.add(WEB, "HttpResponseTime", ((at, 0.2) for at in minutes), Instance=instance)
        bad = ((at, 12.0 if fails else 0.0) for at, fails in zip(minutes, is_bad, strict=True))
        metrics.add(WEB, "Http5xx", bad, Instance=instance)
    metrics.add(DATABASE, "cpu_percent", ((start + at * _HOUR, 20.0 + at) for at in range(24)))


def _wrote(monitor: Monitored, now: datetime) -> None:
    logs = monitor.logs
    for number in range(48):
        at = now - 24 * _HOUR + number * 30 * _MINUTE
        logs.add(INSIGHTS, "AppRequests", at, **_request(number, "GET /", is_good=True))
    for number in range(24):
        at, operation = now - 2 * _HOUR + number * 5 * _MINUTE, invented_id("operation", str(number)).replace("-", "")
        logs.add(INSIGHTS, "AppRequests", at, **_request(number, "POST /checkout", is_good=False, operation=operation))
        logs.add(INSIGHTS, "AppExceptions", at, **_exception(operation))
        if number % 3 == 0:
            logs.add(INSIGHTS, "AppDependencies", at, **_dependency(operation))
        logs.add(API, "ContainerAppConsoleLogs_CL", at, ContainerAppName_s="oven-api", Log_s=f"order {number} taken")


def _request(number: int, name: str, *, is_good: bool, operation: str = "") -> dict[str, object]:
    return {
        "Id": f"request-{number}",
        "Name": name,
        "OperationName": name,
        "OperationId": operation or invented_id("good", str(number)).replace("-", ""),
        "Success": is_good,
        "ResultCode": "200" if is_good else "500",
        "DurationMs": 120.5 if is_good else 310.25,
        "AppRoleName": "shop-web",
        "ItemCount": 1,
        "Properties": {"version": "2.7.1" if is_good else "2.8.0"},
    }


def _exception(operation: str) -> dict[str, object]:
    return {
        "ProblemId": "KeyError at shop.checkout.pay",
        "ExceptionType": "KeyError",
        "OuterType": "KeyError",
        "OuterMessage": "'currency'",
        "InnermostMessage": "'currency'",
        "Method": "shop.checkout.pay",
        "OperationName": "POST /checkout",
        "OperationId": operation,
        "AppRoleName": "shop-web",
        "SeverityLevel": 3,
        "ItemCount": 1,
    }


def _dependency(operation: str) -> dict[str, object]:
    return {
        "Target": "payments.example.com",
        "DependencyType": "HTTP",
        "Name": "POST /charges",
        "Success": False,
        "ResultCode": "422",
        "DurationMs": 88.0,
        "OperationName": "POST /checkout",
        "OperationId": operation,
        "AppRoleName": "shop-web",
        "ItemCount": 1,
    }
