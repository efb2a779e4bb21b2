"""The golden cases of Azure. Each exchange says in which version it is asked, if its service has any."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.tools.golden import Case, Scripted, Sent, cases_in, expected, recordings_in, seen

__all__ = ["SUBSCRIPTION", "Case", "Scripted", "Sent", "cases", "expected", "recordings", "seen"]

FOLDER: Final = Path(__file__).parent / "golden"
# The default subscription of whoever calls in a golden case, whose name is `Shop`.
SUBSCRIPTION: Final = "11111111-1111-1111-1111-111111111111"


def cases() -> Sequence[Case]:
    return cases_in(FOLDER)


def recordings() -> list[dict[str, Any]]:
    return recordings_in(FOLDER)
