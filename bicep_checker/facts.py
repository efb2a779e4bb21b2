"""Facts about Azure that the checker uses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

_FACTS: Final = Path(__file__).parent / "facts.yaml"


@cache
def facts() -> Mapping[str, Any]:
    content: Mapping[str, Any] = yaml.load(_FACTS.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return content
