"""Our own names for errors without an error key, used to look up hints."""

from __future__ import annotations

from typing import Final

NO_PROJECT: Final = "no project"
EXPIRED: Final = "expired token"
MOVED: Final = "moved organization"
UNKNOWN_PLACE: Final = "unknown place"
UNACCEPTED: Final = "unaccepted sign-in"
