"""The interpreter that has imported what the scripts import of the standard library."""

from __future__ import annotations

from typing import Final

from tests.warm import WarmPython

_IMPORTED: Final = (
    *("argparse", "concurrent.futures", "contextlib", "dataclasses", "hashlib", "http.client", "json", "pathlib", "re"),
    *("resource", "shutil", "sqlite3", "statistics", "subprocess", "tempfile", "urllib.request", "zipfile"),
)
WARM: Final = WarmPython(*_IMPORTED)
