"""Whoever else changes something at whatever moment: nothing is written that nobody has approved."""

from __future__ import annotations

import os
from random import Random
from typing import Final

from mcp_server.declarations.toolset import Tool
from tests.changes.exact.racing import Undisturbed, any_race, raced, undisturbed
from tests.changes.exact.services import CHANGING, NAMES, Service
from tests.sweeps import Sweep

# The nightly workflow runs many more, over all tools together.
RACES: Final = max(int(os.environ.get("FUZZ_RACES", "0")) // len(CHANGING), 1)


@Sweep(("service", "tool"), CHANGING, ids=NAMES, every=6)
async def test_nothing_unapproved_is_written(service: Service, tool: Tool) -> None:
    random = Random(tool.name)  # noqa: S311 - the same each time
    cases = random.sample(service.cases_of(tool), len(service.cases_of(tool)))
    # One of its cases is enough, where it is raced but once.
    played = [await undisturbed(service, tool, case) for case in (cases[:1] if RACES == 1 else cases)]
    plain = [one for one in played if isinstance(one, Undisturbed) and one.told]
    for _ in range(RACES if plain else 0):
        chosen = random.choice(plain)
        if race := any_race(chosen, random):
            outcome = await raced(service, chosen, *race)
            assert not outcome.is_unapproved, (outcome.meddling, outcome.moment, chosen.claimed, chosen.first_write)
