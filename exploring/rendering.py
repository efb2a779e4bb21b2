"""Loads the HTML templates of the web pages."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from browsing.rendering import Templates

page: Final = Templates(Path(__file__).parent / "templates").page
