"""Data of the real service, which is tested with where it is there, and is no part of this project."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[3]
FOLDER: Final = Path(os.environ.get("AZURE_TEAM_MCP_TEST_DATA", ROOT.parent / "shared" / "data")) / "azure-devops"
SPECIFICATION: Final = FOLDER / "openapi-merged.json"

with_data = pytest.mark.skipif(not SPECIFICATION.exists(), reason=f"there is no data of the real service in {FOLDER}")


@cache
def specification() -> Any:
    return json.loads(SPECIFICATION.read_text(encoding="utf-8"))


@cache
def expected_tools() -> list[dict[str, Any]]:
    """The tools that people know from elsewhere, with the parameters that they have there."""
    tools: list[dict[str, Any]] = json.loads((FOLDER / "tools.json").read_text(encoding="utf-8"))["tools"]
    return tools


def recorded(part: str, name: str = "*") -> Iterator[tuple[str, Any]]:
    """Recordings by name: of `errors`, or of what was `recorded` when all went well."""
    for path in sorted((FOLDER / "fixtures" / part).glob(f"{name}.json")):
        yield path.stem, json.loads(path.read_text(encoding="utf-8"))
