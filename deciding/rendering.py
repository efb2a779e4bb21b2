"""The templates of the decision pages."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from browsing.rendering import Templates
from deciding.showing import is_for_itself, who_acts

_FILTERS: Final = {"acting": who_acts, "is_for_itself": is_for_itself}
page: Final = Templates(Path(__file__).parent / "templates", _FILTERS).page
