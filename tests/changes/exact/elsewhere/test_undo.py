"""What changes files, records, extensions and repositories says whether and how it can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changes.exact.elsewhere.boundaries import Boundaries
from tests.changes.exact.elsewhere.scenes import SCENES
from tests.changes.exact.undoing import check


@pytest.mark.parametrize("name", SCENES)
async def test_each_says_how_it_is_undone(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boundaries = Boundaries()
    boundaries.watch(monkeypatch)
    async with SCENES[name](tmp_path) as scene:
        await scene.caller.told(scene.tool, **scene.arguments)
        check(await boundaries.shown())
