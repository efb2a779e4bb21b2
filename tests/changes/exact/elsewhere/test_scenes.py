"""Nothing that nobody approved is written, pushed, let in or dropped, whoever acts at whatever boundary of the call."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.changes.exact.elsewhere.boundaries import Boundaries
from tests.changes.exact.elsewhere.scenes import NOT_HELD, SCENES, Stage

# The nightly workflow tries every moment.
MOMENTS: Final = None if os.environ.get("FUZZ_RACES") else 2


def _folder(parent: Path, number: int) -> Path:
    (folder := parent / str(number)).mkdir()
    return folder


async def _played(stage: Stage, folder: Path, boundaries: Boundaries, moment: int = 0) -> bool:
    """Whether the call was done, with somebody acting at a moment of it; and never more than it was approved for."""
    async with stage(folder) as scene:
        await scene.caller.told(scene.tool, **scene.arguments)
        await boundaries.approve()
        boundaries.begin(scene.meddle if moment else None, moment)
        result = await scene.caller.call(scene.tool, **scene.arguments)
        await boundaries.end()
        assert not (boundaries.has_acted and await scene.is_lost()), moment
        return not result.get("isError")


@pytest.mark.parametrize("name", SCENES)
async def test_what_somebody_else_does_meanwhile_is_never_lost(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boundaries = Boundaries()
    boundaries.watch(monkeypatch)
    assert await _played(SCENES[name], _folder(tmp_path, 0), boundaries)
    last, claimed = boundaries.passed, boundaries.claimed
    assert 0 < claimed < last
    every = range(1, (claimed if name in NOT_HELD else last) + 1)
    chosen = every if MOMENTS is None else sorted(Random(name).sample(every, min(MOMENTS, len(every))))  # noqa: S311 - the same each time
    for moment in chosen:
        is_done = await _played(SCENES[name], _folder(tmp_path, moment), boundaries, moment)
        assert not (is_done and boundaries.has_acted_first), moment
