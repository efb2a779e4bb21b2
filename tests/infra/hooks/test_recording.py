"""The recording in the documents is what the hooks print."""

from __future__ import annotations

import os
from typing import Final

from tests.infra.deployed import INFRA
from tests.infra.hooks.bench import Bench
from tests.infra.hooks.recording import Recorded, record

DOCUMENT: Final = INFRA.parent / "docs" / "recordings" / "hooks.md"


def test_the_recording_is_what_the_hooks_print(bench: Bench) -> None:
    found = record(Recorded(bench))
    if os.environ.get("UPDATE_SNAPSHOTS"):
        DOCUMENT.write_text(found, encoding="utf-8")
    assert found == DOCUMENT.read_text(encoding="utf-8"), "UPDATE_SNAPSHOTS=1 writes it; review what changed"
