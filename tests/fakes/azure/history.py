"""What happened lately at the invented bakery: changes, deployments, locks, and what Azure has to say of it."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any, Final

from tests.fakes.azure.deployments import deployment, deployment_id, operation
from tests.fakes.azure.estate import Change, Estate, type_of
from tests.fakes.azure.people import DEVELOPER, HOME, OWNER, PIPELINE, invented_id
from tests.fakes.azure.routes import Json
from tests.fakes.azure.world import DEVELOPMENT, OVEN, PRODUCTION, SHOP

_SITE: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
_RULES: Final = f"{OVEN}/providers/Microsoft.Network/networkSecurityGroups/oven-control-rules"
_API: Final = f"{OVEN}/providers/Microsoft.App/containerApps/oven-api"
_OLD_DISK: Final = f"{OVEN}/providers/Microsoft.Compute/disks/oven-old-disk"
_SQL: Final = f"{SHOP}/providers/Microsoft.Sql/servers/shop-sql"
LOCKS: Final = (
    (_SQL, "CanNotDelete", "keep-orders"),
    (f"/subscriptions/{PRODUCTION}/resourceGroups/network-prod", "ReadOnly", "frozen-network"),
)
_TRACKING: Final = "QNY1-HB8"
_SAVED: Final = {"annualSavingsAmount": "3416.40", "savingsCurrency": "EUR"}
_SEE_OPERATIONS: Final = (
    "At least one resource deployment operation failed. Please list deployment operations for details. Please see"
    " https://aka.ms/arm-deployment-operations for usage details."
)


def happened(estate: Estate, now: datetime) -> None:
    estate.changes += _changes(now)
    _deploy(estate, now)
    estate.rows["advisorresources"] = [*_advice(), *_retirements(), _announcement()]
    estate.rows["servicehealthresources"] = [*_events(now), _impacted()]
    estate.rows["healthresources"] = _health(now)


def _changes(now: datetime) -> list[Change]:
    hours = {name: now - timedelta(hours=ago) for name, ago in {"site": 20, "rules": 26, "api": 22, "disk": 70}.items()}
    tls = {"properties.siteConfig.minTlsVersion": ("1.0", "1.2"), "properties.httpsOnly": (False, True)}
    image = "properties.template.containers[0].image"
    images = {image: ("bakeryimages.azurecr.io/oven-api:1.14.1", "bakeryimages.azurecr.io/oven-api:1.14.2")}
    opened = {'properties.securityRules["ssh-from-anywhere"].properties.access': ("Deny", "Allow")}
    return [
        _change(_SITE, "Update", hours["site"], DEVELOPER.name, tls),
        _change(_RULES, "Update", hours["rules"], OWNER.name, opened),
        _change(_API, "Update", hours["api"], PIPELINE.id, images, by_type="Application", client="Azure DevOps"),
        _change(_OLD_DISK, "Create", hours["disk"], OWNER.name, {}),
        _change(
            f"{OVEN}/providers/Microsoft.Compute/virtualMachines/oven-gone", "Delete", hours["disk"], OWNER.name, {}
        ),
    ]


def _change(target: str, kind: str, at: datetime, by: str, changes: dict[str, Any], **more: str) -> Change:
    return Change(target, type_of(target).lower(), kind, at, by, changes, **more)


# Deployments


def _deploy(estate: Estate, now: datetime) -> None:
    good = deployment(SHOP, "shop-2026-11", "Succeeded", now - timedelta(days=2), outputResources=[{"id": _SITE}])
    done = now - timedelta(days=2)
    _keep(estate, good, [operation(str(good["id"]), _SITE, "Succeeded", done)])
    _fail(estate, now - timedelta(days=1))
    whole = deployment(f"/subscriptions/{PRODUCTION}", "bakery", "Succeeded", now - timedelta(days=40))
    _keep(estate, {**whole, "location": "westeurope"}, [])


def _fail(estate: Estate, at: datetime) -> None:
    """One that failed in a nested one, for a reason that stands as JSON in a message."""
    inner_id = deployment_id(SHOP, "database")
    reason = {"code": "RequestedDatabaseSizeNotAvailable", "message": "The edition 'Basic' does not support 500 GB."}
    text = json.dumps({"error": {"code": "ProvisioningDisabled", "message": json.dumps({"error": reason})}})
    failed = {"code": "Conflict", "message": text}
    nested = {"code": "ResourceDeploymentFailure", "target": _SQL, "message": _SEE_OPERATIONS, "details": [failed]}
    outer = {"code": "DeploymentFailed", "message": _SEE_OPERATIONS, "target": inner_id, "details": [nested]}
    database = f"{_SQL}/databases/archive"
    inner = deployment(SHOP, "database", "Failed", at, error=nested)
    secret = {"adminPassword": {"type": "SecureString"}, "size": {"type": "Int", "value": 500}}
    whole = deployment(SHOP, "shop-with-archive", "Failed", at, error=outer, parameters=secret)
    _keep(estate, inner, [operation(inner_id, database, "Failed", at, error=failed)])
    told = {"code": "DeploymentFailed", "message": _SEE_OPERATIONS, "details": [failed]}
    steps = [
        operation(str(whole["id"]), _SITE, "Succeeded", at),
        operation(str(whole["id"]), inner_id, "Failed", at, error=told),
    ]
    _keep(estate, whole, steps)


def _keep(estate: Estate, made: Json, operations: list[Json]) -> None:
    key = str(made["id"]).lower()
    estate.deployments[key] = made
    estate.operations[key] = operations
    estate.templates[key] = {"$schema": "", "contentVersion": "1.0.0.0", "resources": []}


# What Azure says


def _advice() -> list[Json]:
    return [
        _recommendation("Cost", "High", _OLD_DISK, "Delete disks that nothing uses.", **_SAVED),
        _recommendation("Security", "High", _RULES, "Close the management ports of virtual machines."),
        _recommendation("HighAvailability", "Medium", _SQL, "Make the database zone redundant."),
        _recommendation(
            "Performance", "Low", f"{SHOP}/providers/Microsoft.Cache/redis/shop-cache", "Use a newer Redis."
        ),
    ]


def _recommendation(category: str, impact: str, target: str, problem: str, **extended: str) -> Json:
    name = invented_id("recommendation", target, problem)
    place = f"{target}/providers/Microsoft.Advisor/recommendations/{name}"
    return {
        "id": place,
        "name": name,
        "type": "microsoft.advisor/recommendations",
        "tenantId": HOME,
        "location": "global",
        "resourceGroup": target.split("/")[4].lower(),
        "subscriptionId": target.split("/")[2],
        "properties": {
            "category": category,
            "impact": impact,
            "impactedField": type_of(target),
            "impactedValue": target.rpartition("/")[2],
            "shortDescription": {"problem": problem, "solution": problem},
            "resourceMetadata": {"resourceId": target, "source": target},
            "extendedProperties": extended,
        },
    }


def _retirements() -> list[Json]:
    """The date of Basic public addresses is real: Azure update 510268. That of the other is invented."""
    address = f"{OVEN}/providers/Microsoft.Network/publicIPAddresses/oven-forgotten-ip"
    return [
        _retired(address, "Basic SKU public IP addresses", "2025-09-30"),
        _retired(f"{SHOP}/providers/Microsoft.Web/sites/shop-orders", "Python 3.9 on Azure Functions", "2027-03-31"),
    ]


def _retired(target: str, feature: str, date: str) -> Json:
    said = {"recommendationSubCategory": "ServiceUpgradeAndRetirement", "retirementFeatureName": feature}
    return _recommendation(
        "HighAvailability", "High", target, f"{feature} will be retired.", **said, retirementDate=date
    )


def _announcement() -> Json:
    """What Advisor knows of a retirement, for whomever it may concern."""
    name = invented_id("announcement", "functions")
    retirement = {
        "retirementDate": "2027-03-31",
        "retirementFeatureName": "Python 3.9 on Azure Functions",
        "serviceHealth": {"trackingIds": [_TRACKING], "ashUrls": [f"https://app.azure.com/h/{_TRACKING}"]},
    }
    return {
        "id": f"/providers/Microsoft.Advisor/metadata/{name}",
        "name": name,
        "type": "microsoft.advisor/metadata",
        "subscriptionId": "",
        "properties": {
            "recommendationTypeId": name,
            "language": "en",
            "recommendationCategory": "HighAvailability",
            "recommendationSubCategory": "ServiceUpgradeAndRetirement",
            "supportedResourceType": "microsoft.web/sites",
            "sourceProperties": {"serviceRetirement": retirement},
        },
    }


def _impacted() -> Json:
    """Its tracking id stands in its own id alone."""
    name, target = invented_id("impacted", "shop-orders"), f"{SHOP}/providers/Microsoft.Web/sites/shop-orders"
    event = f"/subscriptions/{PRODUCTION}/providers/Microsoft.ResourceHealth/events/{_TRACKING}"
    return {
        "id": f"{event}/impactedResources/{name}",
        "name": name,
        "type": "microsoft.resourcehealth/events/impactedresources",
        "tenantId": HOME,
        "subscriptionId": PRODUCTION,
        "resourceGroup": "",
        "properties": {
            "targetResourceId": target,
            "targetResourceType": type_of(target),
            "targetRegion": "westeurope",
        },
    }


def _events(now: datetime) -> list[Json]:
    due = now + timedelta(days=130)
    return [
        _event(
            one, _TRACKING, "HealthAdvisory", "Retirement", "Python 3.9 on Azure Functions will be retired", now, due
        )
        for one in (PRODUCTION, DEVELOPMENT)
    ] + [
        _event(PRODUCTION, "8KTP-7Z0", "ServiceIssue", "", "Slow storage in West Europe", now - timedelta(hours=5), now)
    ]


def _event(
    subscription: str, tracking: str, kind: str, subtype: str, title: str, start: datetime, end: datetime
) -> Json:
    return {
        "id": f"/subscriptions/{subscription}/providers/Microsoft.ResourceHealth/events/{tracking}",
        "name": tracking,
        "type": "microsoft.resourcehealth/events",
        "tenantId": HOME,
        "location": "global",
        "subscriptionId": subscription,
        "resourceGroup": "",
        "properties": {
            "EventType": kind,
            "EventSubType": subtype,
            "EventSource": "ServiceHealth",
            "Status": "Active",
            "Title": title,
            "Summary": f"<p>{title}</p>",
            "Level": "Warning",
            "TrackingId": tracking,
            "ImpactStartTime": _epoch(start),
            "ImpactMitigationTime": _epoch(end),
            "LastUpdateTime": _epoch(start),
            "Impact": [{"ImpactedService": "Azure Functions", "ImpactedRegions": [{"ImpactedRegion": "West Europe"}]}],
        },
    }


def _epoch(moment: datetime) -> str:
    return str(int(moment.timestamp() * 1000))


def _health(now: datetime) -> list[Json]:
    states = {
        "Microsoft.Compute/virtualMachines/oven-control": "Unavailable",
        "Microsoft.Sql/servers/shop-sql": "Available",
    }
    return [
        _availability(f"{OVEN if 'oven' in name else SHOP}/providers/{name}", state, now)
        for name, state in states.items()
    ]


def _availability(target: str, state: str, now: datetime) -> Json:
    return {
        "id": f"{target}/providers/Microsoft.ResourceHealth/availabilityStatuses/current",
        "name": "current",
        "type": "microsoft.resourcehealth/availabilitystatuses",
        "tenantId": HOME,
        "location": "westeurope",
        "resourceGroup": target.split("/")[4].lower(),
        "subscriptionId": target.split("/")[2],
        "properties": {
            "targetResourceId": target,
            "targetResourceType": type_of(target),
            "availabilityState": state,
            "previousAvailabilityState": "Available",
            "occurredTime": now.isoformat(),
        },
    }
