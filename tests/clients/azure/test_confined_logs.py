"""Where settings lock Azure to some subscriptions or groups, logs are read of what is within, and by nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
import yaml

from clients.azure.cloud import CLOUDS, Service
from clients.azure.ids import ResourceId
from clients.azure.logs import ResourceLogs, found_by
from clients.azure.messages import AzureRequest
from clients.azure.spans import TimeSpan
from refusal import Refusal
from tests.clients.azure.estate import LAB, SHOP, Estate, locked

ATTACKS: Final[dict[str, list[str]]] = yaml.safe_load(
    Path(__file__).with_name("attacks.yaml").read_text(encoding="utf-8")
)
SPAN: Final = TimeSpan("2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z")
APP: Final = "5e0a7a51-0000-4000-8000-000000000002"
WITHIN: Final = ResourceId.of(
    f"/subscriptions/{SHOP}/resourceGroups/web/providers/Microsoft.OperationalInsights/workspaces/w"
)
OUTSIDE: Final = [
    f"/subscriptions/{SHOP}/resourceGroups/vault/providers/Microsoft.OperationalInsights/workspaces/w",
    f"/subscriptions/{LAB}/resourceGroups/web/providers/Microsoft.OperationalInsights/workspaces/w",
    f"/subscriptions/{SHOP}",
]
QUERY: Final = "Heartbeat | where Computer == 'a' | summarize count() by bin(TimeGenerated, 1h)"


async def asked(estate: Estate, source: ResourceLogs, query: str = QUERY) -> None:
    # What the small Azure answers is no table.
    with pytest.raises(Refusal, match="contains no tables"):
        await found_by(locked(estate, SHOP, "web"), source, query, SPAN, 10)


@pytest.mark.parametrize("source", [ResourceLogs(WITHIN), ResourceLogs(WITHIN, APP)])
async def test_a_query_of_ones_own_goes_to_a_resource_within(source: ResourceLogs) -> None:
    estate = Estate()
    await asked(estate, source)
    assert len(estate.sent) == 1
    assert estate.bodies == [{"query": QUERY, "timespan": SPAN.text}]


@pytest.mark.parametrize("place", OUTSIDE)
@pytest.mark.parametrize("app", ["", APP])
async def test_no_query_goes_to_a_resource_outside(place: str, app: str) -> None:
    estate = Estate()
    with pytest.raises(Refusal, match="outside the allowed scope"):
        await found_by(locked(estate, SHOP, "web"), ResourceLogs(ResourceId.of(place), app), QUERY, SPAN, 10)
    assert estate.sent == []


@pytest.mark.parametrize("query", ATTACKS["queries"])
@pytest.mark.parametrize("groups", ["", "web"])
async def test_a_query_that_reads_elsewhere_goes_nowhere(query: str, groups: str) -> None:
    estate = Estate()
    with pytest.raises(Refusal, match="must not use workspace"):
        await found_by(locked(estate, SHOP, groups), ResourceLogs(WITHIN), query, SPAN, 10)
    assert estate.sent == []


@pytest.mark.parametrize("query", ATTACKS["unclear"])
async def test_a_query_that_may_mean_something_else_to_azure_goes_nowhere(query: str) -> None:
    estate = Estate()
    with pytest.raises(Refusal, match=r"character|plain value"):
        await found_by(locked(estate, SHOP), ResourceLogs(WITHIN), query, SPAN, 10)
    assert estate.sent == []


@pytest.mark.parametrize("query", ATTACKS["harmless"])
async def test_a_query_that_only_mentions_what_reads_elsewhere_is_sent(query: str) -> None:
    estate = Estate()
    await asked(estate, ResourceLogs(WITHIN), query)
    assert [body["query"] for body in estate.bodies] == [query]


@pytest.mark.parametrize(
    "line",
    [
        *(f"POST /v1{place}/query" for place in OUTSIDE),
        "POST /v1/workspaces/7aa1f2d0-0000-4000-8000-000000000008/query",
        f"POST /v1/apps/{APP}/query",
        "POST /v1/$batch",
        f"GET /v1{WITHIN.text}/metadata",
        f"POST /v1{WITHIN.text}/search",
        f"POST /v1{WITHIN.text}/x/query",
        f"POST /v1{WITHIN.text.upper()}/query",
        f"POST /v1{WITHIN.text}/../v/query",
        f"POST {WITHIN.text}/query",
    ],
)
async def test_the_address_of_all_logs_serves_queries_of_its_owner_only(line: str) -> None:
    estate, service = Estate(), CLOUDS["public"].logs_of(WITHIN)
    with pytest.raises(Refusal, match="outside the allowed scope"):
        await locked(estate, SHOP, "web").send(AzureRequest(line, body={"query": QUERY}, service=service, version=None))
    assert estate.sent == []


@pytest.mark.parametrize("name", ["workspaces", "applications", "workspaceFilters", "resources", "scopes"])
async def test_a_query_names_no_further_places(name: str) -> None:
    estate, service = Estate(), CLOUDS["public"].logs_of(WITHIN)
    parts = {f"part{number}": part for number, part in enumerate(service.place)}
    line = "POST " + "".join(f"/{{{part}}}" for part in parts) + "/query"
    body = {"query": QUERY, name: ["7aa1f2d0-0000-4000-8000-000000000008"]}
    with pytest.raises(Refusal, match="must not name other data sources"):
        await locked(estate, SHOP, "web").send(AzureRequest(line, parts, body=body, service=service, version=None))
    assert estate.sent == []


async def test_data_at_an_address_of_its_own_takes_no_query_of_ones_own_where_groups_are_locked_in() -> None:
    estate = Estate()
    service = Service("Data", CLOUDS["public"].manager.base_url, "x", WITHIN)
    with pytest.raises(Refusal, match="cannot be limited"):
        await locked(estate, SHOP, "web").send(AzureRequest("POST /query", body={"query": QUERY}, service=service))
    assert estate.sent == []


async def test_an_event_of_azures_services_is_told_to_the_subscription_that_was_asked() -> None:
    estate = Estate()
    path = "providers/Microsoft.ResourceHealth/events"
    request = AzureRequest(f"GET /subscriptions/{SHOP}/{path}", version="2024-02-01")
    estate.rows = [{"id": f"/{path}/VT_B-2Q8", "note": "An issue."}, {"id": f"/subscriptions/{LAB}/{path}/X"}]
    assert [row["id"] for row in (await locked(estate, SHOP).page(request, 9)).items] == [f"/{path}/VT_B-2Q8"]
    assert (await locked(estate, SHOP, "web").page(request, 9)).items == []
