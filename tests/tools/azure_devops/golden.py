"""The golden cases of Azure DevOps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.tools import golden
from tests.tools.golden import Case, Sent, cases_in, recordings_in, seen

__all__ = ["DEFAULT_PROJECT", "Case", "Scripted", "Sent", "cases", "expected", "recordings", "seen"]

FOLDER: Final = Path(__file__).parent / "golden"
DEFAULT_PROJECT: Final = "Web"
_VERSION: Final = "7.1"


@dataclass
class Scripted(golden.Scripted):
    prefix: str = "/acme"
    usual_version: str = _VERSION


def cases() -> Sequence[Case]:
    return cases_in(FOLDER)


def recordings() -> list[dict[str, Any]]:
    return recordings_in(FOLDER)


def expected(exchange: Mapping[str, Any]) -> dict[str, Any]:
    return golden.expected(exchange, _VERSION)
