"""Whatever the arguments: a call only reads before somebody approves it; then it sends what was shown, once."""

from __future__ import annotations

import os
from random import Random
from typing import Final

import pytest

from mcp_server.declarations.toolset import Tool
from tests.changes.exact.rehearsing import NOT_REHEARSED, Rehearsal, Shown, rehearsing
from tests.changes.exact.services import CHANGING, NAMES, Service
from tests.changes.exact.tracing import misshown
from tests.changes.exact.varying import Variation, any_variation
from tests.sweeps import Sweep
from tests.tools.golden import Case

# The nightly workflow tries many more.
VARIATIONS: Final = int(os.environ.get("FUZZ_PREVIEWS", "1"))


@Sweep(("service", "tool"), CHANGING, ids=NAMES, every=5)
async def test_what_is_sent_is_what_was_shown(service: Service, tool: Tool) -> None:
    if tool.name in NOT_REHEARSED:
        pytest.skip("A golden case cannot say from where a file comes.")
    for case in service.cases_of(tool):
        if await _rehearsed(service, case, Variation(case.arguments, {})):
            break
    else:
        pytest.fail(f"No golden case of {tool.name} can be shown: _background lacks what its preview reads.")
    random = Random(tool.name)  # noqa: S311 - the same each time
    for _ in range(VARIATIONS):
        case = random.choice(service.cases_of(tool))
        await _rehearsed(service, case, any_variation(case.arguments, tool.input_schema, random))


async def _rehearsed(service: Service, case: Case, variation: Variation) -> bool:
    """Whether the call could be shown and done; it may be refused at each step, but not do anything else."""
    async with rehearsing(service, case, variation.arguments, variation.spelt) as play:
        shown = await play.shown()
        assert play.stage.written == []
        if isinstance(shown, str):
            return False
        await play.approve(shown)
        words = await play.sent()
        return await _is_as_shown(play, shown, variation) if not words else False


async def _is_as_shown(play: Rehearsal, shown: Shown, variation: Variation) -> bool:
    written = list(play.stage.written)
    assert misshown(shown.preview, written, list(variation.spelt)) == [], variation.arguments
    await play.sent()
    assert play.stage.written == written, "an approval counts once"
    return bool(written)
