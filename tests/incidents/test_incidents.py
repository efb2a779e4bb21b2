"""What was changed before something broke: the cause stands among the first entries, and what failed is named."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from tests.incidents.incident import Incident, incidents
from tests.incidents.judging import WANTED_PERCENT, Verdict, judged, table
from tests.incidents.planting import all_answer, planted
from tests.sweeps import share

FILES: Final = sorted(Path(__file__).parent.glob("*.yaml"))
SO_MANY_AT_ONCE: Final = 5


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_the_cause_is_among_the_first_and_failed_sources_are_named(file: Path, tmp_path: Path) -> None:
    # Most of the time is that of services that do not answer, so these come first.
    told = share(sorted(incidents(file, datetime.now(UTC)), key=lambda one: not one.fails), every=5)
    some_at_once = asyncio.Semaphore(SO_MANY_AT_ONCE)

    async def in_turn(number: int, incident: Incident) -> Verdict:
        async with some_at_once, planted(incident, tmp_path / str(number)) as world:
            verdict = await judged(world)
            if all_answer(incident):
                await world.check()
            return verdict

    verdicts = await asyncio.gather(*(in_turn(number, incident) for number, incident in enumerate(told)))
    shown = table(verdicts)
    sys.stdout.write(f"\n{file.name}\n{shown}\n")
    assert sum(one.is_hit for one in verdicts) * 100 >= len(verdicts) * WANTED_PERCENT, shown
    assert not any(one.unnamed for one in verdicts), shown
