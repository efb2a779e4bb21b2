"""What a preview shows is read for it: nothing counts that was read for an earlier call."""

from __future__ import annotations

import re
from typing import Final

from mcp_server.declarations.toolset import Tool
from tests.changes.exact.racing import VERSIONS
from tests.changes.exact.rehearsing import rehearsing
from tests.changes.exact.services import CHANGING, NAMES, Service
from tests.changes.exact.stage import Stage, line_of
from tests.sweeps import Sweep

# A question for the last hour is the same question a second later.
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?")


@Sweep(("service", "tool"), CHANGING, ids=NAMES, every=4, start=1)
async def test_a_second_preview_reads_all_that_the_first_has_read(service: Service, tool: Tool) -> None:
    for case in service.cases_of(tool):
        # While a change that takes long to look at waits, no other look is begun.
        if tool.may_look_long(case.arguments):
            continue
        async with rehearsing(service, case) as play:
            if isinstance(await play.shown(), str):
                continue
            first = _read(play.stage)
            play.stage.begin()
            await play.sent()
            assert first - _read(play.stage) == set()
            return


def _read(stage: Stage) -> set[str]:
    lines = map(line_of, stage.sent)
    return {_MOMENT.sub("at that moment", line) for line in lines if not VERSIONS.match(line)}
