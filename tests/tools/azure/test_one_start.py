"""Every tool that takes a start takes it in the forms that are documented: how long ago, a date, or a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from mcp_server.declarations.toolset import Tool
from tests.sweeps import Sweep
from tests.tools.azure.reading_all import READS, asked_of, reading_all
from tests.tools.incidents.world import SITE, Bakery
from tests.tools.incidents.world import asking as incidents

THEN: Final = datetime.now(UTC) - timedelta(days=2)
FORMS: Final = {"ago": "2d", "a date": f"{THEN:%Y-%m-%d}", "a time": f"{THEN:%Y-%m-%dT%H:%M:%SZ}"}
# Costs are those of whole days.
OF_DAYS: Final = frozenset({"show_costs", "compare_costs", "forecast_costs"})
STARTING: Final = [tool for tool in READS if "since" in tool.input_schema["properties"] and tool.name not in OF_DAYS]
every_form = pytest.mark.parametrize("since", FORMS.values(), ids=FORMS)


@every_form
@Sweep("tool", STARTING, ids=lambda tool: tool.name, every=3)
async def test_a_start_is_accepted(tool: Tool, since: str) -> None:
    async with reading_all("Bakery Production") as caller:
        result = await caller.call(tool.name, **{**next(iter(asked_of(tool))), "since": since})
    assert not result["isError"], result["content"][0]["text"]


@every_form
async def test_a_start_of_what_changed_is_accepted(since: str) -> None:
    async with incidents(Bakery()) as caller:
        result = await caller.call("what_changed", resource=SITE, since=since)
    assert not result["isError"], result["content"][0]["text"]
