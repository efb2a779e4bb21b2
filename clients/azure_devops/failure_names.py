"""Names that we give to errors for which Azure DevOps reports no error key, so that hints can be looked up by name."""

from __future__ import annotations

from typing import Final

NO_PROJECT: Final = "no project"
EXPIRED: Final = "expired token"
MOVED: Final = "moved organization"
UNKNOWN_PLACE: Final = "unknown place"
UNACCEPTED: Final = "unaccepted sign-in"
