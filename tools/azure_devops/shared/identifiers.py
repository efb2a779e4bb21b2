"""Distinguishes ids from names, because some requests accept only ids, and others accept only names."""

from __future__ import annotations

import re
from typing import Final

_GUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def is_id(text: str) -> bool:
    return bool(_GUID.fullmatch(text))
