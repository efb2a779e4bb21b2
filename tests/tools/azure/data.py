"""Data of the real Azure, which is tested with where it is there, and is no part of this project."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[3]
FOLDER: Final = Path(os.environ.get("AZURE_TEAM_MCP_TEST_DATA", ROOT.parent / "shared" / "data")) / "azure"
SPECIFICATION: Final = FOLDER / "openapi-merged.json"

with_data = pytest.mark.skipif(not SPECIFICATION.exists(), reason=f"there is no data of the real service in {FOLDER}")


@cache
def recorded(name: str) -> Any:
    """A recording, by its place below `fixtures` without `.json`."""
    return json.loads((FOLDER / "fixtures" / f"{name}.json").read_text(encoding="utf-8"))
