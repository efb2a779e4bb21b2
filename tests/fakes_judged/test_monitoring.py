"""What is monitored on the invented Azure, read by Microsoft's own clients."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from tests.fakes.azure.monitor.bakery import INSIGHTS, MACHINE, WEB
from tests.fakes.azure.people import OWNER
from tests.fakes.azure.world import PRODUCTION
from tests.fakes_judged.judged import Judged, more_clients

pytestmark = [pytest.mark.anyio, more_clients]

WORKSPACE: Final = "7aa1f2d0-0000-4000-8000-000000000008"
KNOWN: Final = {
    "INVENTED_SUBSCRIPTION": PRODUCTION,
    "INVENTED_INSIGHTS": INSIGHTS,
    "INVENTED_WORKSPACE": WORKSPACE,
    "INVENTED_WEB": WEB,
    "INVENTED_MACHINE": MACHINE,
}


async def asked(judged: Judged, what: str, **more: str) -> Any:
    return await judged.by(f"monitoring.{what}", OWNER, **KNOWN, **more)


def ago(**length: int) -> str:
    return (datetime.now(UTC) - timedelta(**length)).isoformat(timespec="seconds").replace("+00:00", "Z")


async def test_logs_of_a_resource_and_of_a_workspace_and_a_mistake_in_a_query(judged: Judged) -> None:
    assert await asked(judged, "logs") == {
        "columns": {"TimeGenerated": "datetime", "ItemCount": "int"},
        "count": 24,
        "first": "datetime",
        "tables": ["AppDependencies", "AppExceptions", "AppRequests", "ContainerAppConsoleLogs_CL", "Usage"],
        "wrong": ["HttpResponseError", 400, True],
    }


async def test_a_part_of_logs_with_an_error_beside_it(judged: Judged) -> None:
    judged.azure.monitor.logs.largest = 5
    assert await asked(judged, "part_of_logs") == {"rows": 5, "code": "PartialError"}


async def test_the_activity_log(judged: Judged) -> None:
    test = f"eventTimestamp ge '{ago(hours=6)}' and eventTimestamp le '{ago(seconds=0)}' and resourceUri eq '{WEB}'"
    found = await asked(judged, "activity", INVENTED_FILTER=test)
    assert found["operations"] == ["Microsoft.Web/sites/restart/action", *["Microsoft.Web/sites/write"] * 3]
    assert set(found["times"]) == {"datetime"}
    assert found["old"] == ["HttpResponseError", 400]


async def test_metrics(judged: Judged) -> None:
    found = await asked(judged, "metrics", INVENTED_SPAN=f"{ago(hours=4)}/{ago(seconds=0)}")
    assert found["names"] == ["Requests", "Http5xx", "HttpResponseTime"]
    assert found["points"][0] == 0
    assert found["points"][-1] > 0
    assert found["split"] == 2


async def test_health_of_resources_and_services(judged: Judged) -> None:
    assert await asked(judged, "health") == {
        "now": "Unavailable",
        "before": ["Unavailable", "Available"],
        "events": ["5N9X-LRG", "QNY1-HB8", "VT_B-2Q8"],
        "touched": ["Microsoft.Sql/servers"],
    }


async def test_alerts(judged: Judged) -> None:
    assert await asked(judged, "alerts") == [["shop-slow", "Sev2"], ["oven-control-down", "Sev1"]]
