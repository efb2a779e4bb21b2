"""The table of docs/changes.md: how each tool notices what somebody else changes at the last moment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_ROW: Final = re.compile(r"\| (?P<how>[^|]+) \| (?P<window>[^|]+) \| (?P<tools>[^|]+) \|")
_TABLE: Final = (
    Path("docs/changes.md")
    .read_text(encoding="utf-8")
    .partition("## Concurrent changes by someone else")[2]
    .partition("\n## ")[0]
)
ROWS: Final = {row["how"]: re.findall(r"`(\w+)`", row["tools"]) for row in _ROW.finditer(_TABLE)}
CONDITIONAL: Final = next(tools for how, tools in ROWS.items() if how.startswith("The request contains the version"))
PLANNED: Final = next(tools for how, tools in ROWS.items() if how.startswith("Azure plans"))
ADDING: Final = next(tools for how, tools in ROWS.items() if how.startswith("The tool only adds something"))
MAKING: Final = next(tools for how, tools in ROWS.items() if how.startswith("The tool only creates or sends"))
OWN: Final = next(tools for how, tools in ROWS.items() if how.startswith("The tool changes only your own data"))
