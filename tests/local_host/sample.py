"""The sample app, and an app of one file that a test writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

SAMPLE = Path(__file__).parent / "apps" / "sample"
SETTINGS = {"EVERY_SECOND": "* * * * * *"}
WriteApp = Callable[..., Path]
