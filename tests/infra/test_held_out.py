"""Mistakes that somebody else made, who had not seen the check: how many of them it finds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

from bicep_checker.check import check
from bicep_checker.resource_types import ResourceTypes
from tests.infra import kql
from tests.sweeps import ALL

ROOT: Final = Path(__file__).parents[2]
MISTAKES: Final[list[dict[str, str]]] = json.loads((Path(__file__).parent / "held_out.json").read_text("utf-8"))
# What cannot be found, with the reason.
NOT_FOUND: Final = {
    "a subnet of /30; Azure takes /29 at the smallest",  # the range is of the service, and depends on what moves in
}


def test_nearly_all_mistakes_of_somebody_else_are_found(tmp_path: Path, resource_types: ResourceTypes) -> None:
    queries = [mistake for mistake in MISTAKES if mistake["file"].endswith(".kql")]
    told = kql.problems({mistake["what"]: spoilt(mistake) for mistake in queries})
    missed = {mistake["what"] for mistake in queries if not told[mistake["what"]]}
    shutil.copytree(ROOT / "infra", tmp_path / "infra")
    tried = [mistake for mistake in MISTAKES if mistake not in queries][:: 1 if ALL else 3]
    missed |= {mistake["what"] for mistake in tried if not found(mistake, tmp_path, resource_types)}
    assert missed == NOT_FOUND & {mistake["what"] for mistake in tried}
    assert len(NOT_FOUND) <= len(MISTAKES) / 10


def found(mistake: dict[str, str], folder: Path, types: ResourceTypes) -> list[Any]:
    """What is told of a mistake in a copy, which is always at the same path, so that other files are parsed once."""
    (folder / mistake["file"]).write_text(spoilt(mistake), encoding="utf-8")
    try:
        return check(folder / "infra" / "main.bicep", types)
    finally:
        shutil.copy(ROOT / mistake["file"], folder / mistake["file"])


def spoilt(mistake: dict[str, str]) -> str:
    text = (ROOT / mistake["file"]).read_text(encoding="utf-8")
    assert mistake["from"] in text, f"change the mistake, too: {mistake['what']}"
    return text.replace(mistake["from"], mistake["to"], 1)
