"""Paths that nobody reads or changes, each with a part of why."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

from tests.tools.azure.golden import SUBSCRIPTION

GROUP: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop"
UNREADABLE: Final = [
    (path.replace("{g}", GROUP).replace("{s}", SUBSCRIPTION), why)
    for cases in yaml.safe_load((Path(__file__).parent / "unreadable.yaml").read_text(encoding="utf-8")).values()
    for path, why in cases
]
