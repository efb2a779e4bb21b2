"""Lists fired alerts and alert rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from clients.azure.alerts import Which, fired
from clients.azure.graph import ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage
from clients.azure.named import place_called
from clients.azure.times import span, to_seconds
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.monitor.activity import AnyResource
from tools.azure.shared.answers import Json, at, many, present, shape
from tools.azure.shared.compact import shortened
from tools.azure.shared.everywhere import in_each
from tools.azure.shared.graph_answers import rows_told
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Since, Subscription, Subscriptions, Until

part = Part()

_ALERT: Final = shape(
    severity="properties.essentials.severity",
    condition="properties.essentials.monitorCondition",
    state="properties.essentials.alertState",
    resource="properties.essentials.targetResource",
    source="properties.essentials.monitorService",
    about="properties.essentials.description",
)
_RULES: Final = (
    "where type in~ ('microsoft.insights/metricalerts', 'microsoft.insights/scheduledqueryrules',"
    " 'microsoft.insights/activitylogalerts', 'microsoft.alertsmanagement/smartdetectoralertrules',"
    " 'microsoft.alertsmanagement/prometheusrulegroups')"
)
_SCOPES: Final = "strcat(tostring(properties.scopes), tostring(properties.scope))"
_PARTS_OF_CONDITION: Final = (
    "timeAggregation",
    "metricName",
    "metricMeasureColumn",
    "query",
    "field",
    "operator",
    "threshold",
    "equals",
)
_LONGEST_CONDITION: Final = 300

Severity = Literal["Sev0", "Sev1", "Sev2", "Sev3", "Sev4"]
_OF_ALERTS: Final = ("since until resource_group severity condition state subscription max_results").split()


@part.tool(Access.READ, harmless=tuple(_OF_ALERTS))
async def list_fired_alerts(
    azure: Arm,
    since: Since = "1d",
    until: Until = None,
    resource: AnyResource = None,
    resource_group: AnyResourceGroup = None,
    severity: Annotated[Severity | None, Field(description="Sev0 is the worst")] = None,
    condition: Annotated[Literal["Fired", "Resolved"] | None, Field(description="Fired means active")] = None,
    state: Annotated[Literal["New", "Acknowledged", "Closed"] | None, Field(description="Set by people")] = None,
    subscription: Subscription = None,
    max_results: MaxResults = 50,
) -> Json:
    """List alerts that fired in the last 30 days, newest first: when, severity, rule, resource, whether resolved."""
    about = span(since, until)
    place = await place_called(azure, resource) if resource else None
    which = Which(
        resource=place.text if place else None,
        group=resource_group,
        severity=severity,
        state=state,
        condition=condition,
    )

    async def read(scope: ResourceId) -> ListPage:
        page = await fired(azure, scope.subscription, about, max_results, which)
        return replace(page, items=[_alert(one) for one in page.items])

    where = place.subscription if place else subscription
    found = await in_each(azure, where, read, max_results, order=_when, descending=True)
    short = shortened(found.page.items, "resource")
    return many(replace(found.page, items=short["items"]), **found.said, idsBeginWith=short.get("idsBeginWith"))


def _when(alert: Json) -> str:
    return str(alert.get("at") or "")


def _alert(record: Mapping[str, Any]) -> Json:
    essentials = at(record, "properties.essentials")
    fields = {
        "at": to_seconds(at(essentials, "startDateTime")),
        **_ALERT(record),
        "rule": str(at(essentials, "alertRule") or record.get("name")).rpartition("/")[2],
        "resolved": to_seconds(at(essentials, "monitorConditionResolvedDateTime")),
    }
    return present(fields)


@part.tool(Access.READ)
async def list_alert_rules(
    azure: Arm,
    resource: AnyResource = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscriptions = None,
    max_results: MaxResults = 50,
) -> Json:
    """List alert rules: what each watches, its condition, and whom it notifies. With `resource`, lists only the rules
    for that resource.
    """
    place = await place_called(azure, resource) if resource else None
    asked = await azure.asked_subscriptions(subscription or (place.subscription if place else None))
    narrowing = [
        *([f"where {_watching(place)}"] if place else []),
        *([f"where resourceGroup =~ {text_of(resource_group)}"] if resource_group else []),
    ]
    steps = (_RULES, *narrowing, "project id, type, properties", "order by id asc")
    rows = await rows_of(azure.send, ready_made([one.id for one in asked], "resources", *steps), max_results)
    return rows_told(replace(rows, items=[_rule(row) for row in rows.items]), asked, "id")


def _watching(place: ResourceId) -> str:
    """Build the query condition for rules that watch this resource, its group or its subscription."""
    scopes = [place.text]
    if place.group:
        scopes.append(f"/subscriptions/{place.subscription}/resourceGroups/{place.group}")
    scopes.append(f"/subscriptions/{place.subscription}")
    quoted = (text_of(f'"{scope}"') for scope in dict.fromkeys(scopes))
    return " or ".join(f"{_SCOPES} contains {one}" for one in quoted)


def _rule(row: Mapping[str, Any]) -> Json:
    inner = row.get("properties") or {}
    severity, actions = at(inner, "severity"), at(inner, "actions")
    fields = {
        "id": row.get("id"),
        "disabled": True if str(inner.get("enabled", inner.get("state"))).lower() in {"false", "disabled"} else None,
        "severity": f"Sev{severity}" if isinstance(severity, int) else severity,
        "watches": inner.get("scopes") or inner.get("scope"),
        "condition": [*map(_condition, _list(at(inner, "criteria.allOf")) + _list(at(inner, "condition.allOf")))],
        "every": inner.get("evaluationFrequency") or inner.get("frequency"),
        "window": inner.get("windowSize"),
        "tells": list(_action_groups(actions)) + list(_action_groups(inner.get("actionGroups"))),
        "about": inner.get("description"),
    }
    return present(fields)


def _condition(one: Any) -> str:
    """Describe the condition of a rule, for example `Average HttpResponseTime GreaterThan 3`."""
    words = [str(at(one, name)) for name in _PARTS_OF_CONDITION if at(one, name) is not None]
    text = " ".join(" ".join(words).split())
    return f"{text[:_LONGEST_CONDITION]}…" if len(text) > _LONGEST_CONDITION else text


def _action_groups(actions: Any) -> Iterator[str]:
    """Yield the names of action groups. Each kind of rule stores these names in a different format."""
    groups = at(actions, "actionGroups") or at(actions, "groupIds") or actions
    for one in _list(groups):
        text = one if isinstance(one, str) else at(one, "actionGroupId")
        if isinstance(text, str):
            yield text.rpartition("/")[2]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
