"""Failures that no answer of the service names have names of our own, by which there are hints."""

from __future__ import annotations

from typing import Final

NO_PROJECT: Final = "no project"
EXPIRED: Final = "expired token"
MOVED: Final = "moved organization"
UNKNOWN_PLACE: Final = "unknown place"
UNACCEPTED: Final = "unaccepted sign-in"
