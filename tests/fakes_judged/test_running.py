"""What runs on the invented Azure, taken for real by Microsoft's own clients."""

from __future__ import annotations

import pytest

from tests.fakes.azure.people import DEVELOPER, READER
from tests.fakes_judged.judged import Judged, more_clients

pytestmark = [pytest.mark.anyio, more_clients]


async def test_apps_of_app_service_and_functions(judged: Judged) -> None:
    found = await judged.by("running.sites")
    assert {"shop-web", "shop-orders"} <= set(found["names"])
    assert (found["state"], found["runtime"], found["slots"]) == ("Running", "PYTHON|3.9", ["shop-web/staging"])
    assert sorted(found["instances"]) == ["READY", "STOPPED"]
    assert found["functions"] == ["take-order", "nightly-report"]
    assert found["deployments"] == [[3, "Bea Baker"], [4, "Bea Baker"]]
    assert found["references"] == [["ORDERS_DB", "AccessToKeyVaultDenied", "orders-connection"]]
    assert "PAYMENT_KEY" in found["settings"]
    assert found["log"].endswith("GET /checkout 500")
    assert found["missing"] == 404


async def test_settings_take_more_than_to_read(judged: Judged) -> None:
    assert await judged.by("running.settings_seen", READER) == 403
    assert await judged.by("running.settings_seen", DEVELOPER) == 0


async def test_container_apps_with_revisions_and_replicas(judged: Judged) -> None:
    found = await judged.by("running.container_apps")
    assert found["names"] == ["oven-api", "oven-worker"]
    assert [one[0] for one in found["revisions"]] == ["oven-worker--p0d3b1a", "oven-worker--k8s2f4c"]
    assert (found["restarts"], found["logs"]) == ([41], "log-analytics")


async def test_clusters_with_pools_and_upgrades(judged: Judged) -> None:
    found = await judged.by("running.clusters")
    assert found["version"] == "1.31.7"
    assert found["pools"] == [["system", "1.31.7"], ["bake", "1.30.11"]]
    assert found["upgrades"] == ["1.32.9", "1.33.5"]
    assert found["image"].endswith("202610.01.0")


async def test_databases_with_throughput_and_keys(judged: Judged) -> None:
    found = await judged.by("running.cosmos")
    assert found["databases"] == ["recipes", "baking"]
    assert (found["most"], found["key"], found["none"]) == (4000, ["/flour"], 404)


async def test_queues_and_topics_with_counts_and_rules(judged: Judged) -> None:
    found = await judged.by("running.service_bus")
    assert (found["names"], found["dead"], found["missing"]) == (["oven-bus"], 122, 404)
    assert found["subscriptions"] == [["kitchen", 4], ["shop", 907]]
    assert found["rules"] == ["flour = 'rye' AND weight > 500"]


async def test_apps_that_are_set_stopped_and_started(judged: Judged) -> None:
    assert await judged.by("running.app_changes") == {
        "added": ["COLOUR"],
        "states": ["Stopped", "Running"],
        "missing": 404,
    }


async def test_databases_made_and_let_take_more(judged: Judged) -> None:
    assert await judged.by("running.cosmos_changes") == {
        "key": ["/flour"],
        "steady": 800,
        "wrong": 400,
        "most": [4000, 6000],
        "left": ["recipes", "baking"],
    }


async def test_topics_with_subscriptions_that_come_and_go(judged: Judged) -> None:
    found = await judged.by("running.bus_changes")
    assert found == {"made": ["trial", 4, "weight > 900"], "left": ["baked"]}
