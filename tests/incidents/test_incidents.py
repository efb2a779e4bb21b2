"""What was changed before something broke: the cause stands among the first entries, and what failed is named."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from tests.incidents.incident import incidents
from tests.incidents.judging import WANTED_PERCENT, judged, table

FILES: Final = sorted(Path(__file__).parent.glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_the_cause_is_among_the_first_and_failed_sources_are_named(file: Path, tmp_path: Path) -> None:
    told = incidents(file, datetime.now(UTC))
    verdicts = [await judged(incident, tmp_path / str(number)) for number, incident in enumerate(told)]
    shown = table(verdicts)
    sys.stdout.write(f"\n{file.name}\n{shown}\n")
    assert sum(one.is_hit for one in verdicts) * 100 >= len(verdicts) * WANTED_PERCENT, shown
    assert not any(one.unnamed for one in verdicts), shown
