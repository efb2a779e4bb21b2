"""Microsoft's clients of costs, budgets, Advisor, quotas and policies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from azure.core.exceptions import HttpResponseError
from azure.mgmt.advisor import AdvisorManagementClient
from azure.mgmt.consumption import ConsumptionManagementClient
from azure.mgmt.costmanagement import CostManagementClient
from azure.mgmt.policyinsights import PolicyInsightsClient
from azure.mgmt.policyinsights.models import QueryOptions
from azure.mgmt.quota import QuotaMgmtClient
from azure.mgmt.resource.policy import PolicyClient

from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.fakes_judged.clients.signed_in import ELSEWHERE, Credential

Json = Any
CREDENTIAL: Final = Credential()
SCOPE: Final = f"subscriptions/{PRODUCTION}"
WEST: Final = f"{SCOPE}/providers/Microsoft.Compute/locations/westeurope"


def _period(days: int) -> dict[str, Any]:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return {"from": (today - timedelta(days=7)).isoformat(), "to": (today + timedelta(days=days)).isoformat()}


def _body(days: int = 0, **dataset: Any) -> dict[str, Any]:
    told = {"granularity": "None", "aggregation": {"totalCost": {"name": "Cost", "function": "Sum"}}, **dataset}
    return {"type": "ActualCost", "timeframe": "Custom", "timePeriod": _period(days), "dataset": told}


def costs() -> Json:
    client = CostManagementClient(CREDENTIAL, **ELSEWHERE)
    by_service = client.query.usage(SCOPE, _body(grouping=[{"type": "Dimension", "name": "ServiceName"}]))
    by_day = client.query.usage(SCOPE, _body(granularity="Daily"))
    ahead = client.forecast.usage(SCOPE, {**_body(5, granularity="Daily"), "includeActualCost": True})
    return {
        "columns": [one.name for one in by_service.columns],
        "services": sorted(row[1] for row in by_service.rows),
        "days": len(by_day.rows),
        "a day": by_day.rows[0][1],
        "states": sorted({row[2] for row in ahead.rows}),
        "bad": _failure(lambda: client.query.usage(SCOPE, _body(grouping=[{"type": "Dimension", "name": "Moon"}]))),
    }


def budgets() -> Json:
    client = ConsumptionManagementClient(CREDENTIAL, PRODUCTION, **ELSEWHERE)
    [whole] = client.budgets.list(SCOPE)
    shop = client.budgets.get(SHOP.lstrip("/"), "shop")
    return {
        "used": [round(float(one.current_spend.amount / one.amount), 2) for one in (whole, shop)],
        "currency": whole.current_spend.unit,
        "thresholds": sorted(float(one.threshold) for one in whole.notifications.values()),
        "missing": _failure(lambda: client.budgets.get(SCOPE, "none")),
    }


def advice() -> Json:
    client = AdvisorManagementClient(CREDENTIAL, PRODUCTION, **ELSEWHERE)
    found = list(client.recommendations.list(filter="Category eq 'Cost'"))
    return {
        "problems": [one.short_description.problem for one in found],
        "saved": [one.extended_properties["annualSavingsAmount"] for one in found],
        "all": len(list(client.recommendations.list())),
    }


def quotas() -> Json:
    client = QuotaMgmtClient(CREDENTIAL, PRODUCTION, **ELSEWHERE)
    limits = {one.name: one.properties.limit.value for one in client.quota.list(WEST)}
    used = {one.name: one.properties.usages.value for one in client.usages.list(WEST)}
    return {"cores": [used["standardDSv5Family"], limits["standardDSv5Family"]]}


def policies() -> Json:
    insights, client = (
        PolicyInsightsClient(CREDENTIAL, PRODUCTION, **ELSEWHERE),
        PolicyClient(CREDENTIAL, PRODUCTION, **ELSEWHERE),
    )
    failing = QueryOptions(filter="complianceState eq 'NonCompliant'")
    states = list(insights.policy_states.list_query_results_for_subscription("latest", PRODUCTION, failing))
    site = f"{SHOP}/providers/Microsoft.Web/sites/shop-orders".lstrip("/")
    why = QueryOptions(expand="PolicyEvaluationDetails", filter="complianceState eq 'NonCompliant'")
    [one] = insights.policy_states.list_query_results_for_resource("latest", site, why)
    whole = insights.policy_states.summarize_for_subscription("latest", PRODUCTION).value[0].results
    return {
        "resources": sorted(one.resource_id.rpartition("/")[2] for one in states),
        "found": one.policy_evaluation_details.evaluated_expressions[0].expression_value,
        "summary": [whole.non_compliant_resources, whole.non_compliant_policies],
        "assigned": sorted(one.display_name for one in client.policy_assignments.list()),
        "here": [
            one.display_name
            for one in client.policy_assignments.list_for_resource_group("shop-prod", filter="atScope()")
        ],
    }


def _failure(ask: Any) -> list[Any]:
    try:
        ask()
    except HttpResponseError as error:
        return [error.status_code, error.error.code if error.error else None]
    return []
