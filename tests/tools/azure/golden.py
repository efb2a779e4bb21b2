"""The golden cases of Azure. Each exchange says in which version it is asked, if its service has any."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.tools.golden import Case, Scripted, Sent, cases_in, expected, recordings_in, seen

__all__ = ["ADA", "SUBSCRIPTION", "Case", "Scripted", "Sent", "cases", "expected", "recordings", "seen", "token"]

FOLDER: Final = Path(__file__).parent / "golden"
# The default subscription of whoever calls in a golden case, whose name is `Shop`.
SUBSCRIPTION: Final = "11111111-1111-1111-1111-111111111111"
# Who that is: Ada, whose object id and tenant are in the token, and whose signature nobody here checks.
ADA: Final = {
    "oid": "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa",
    "tid": "99999999-9999-9999-9999-999999999999",
    "upn": "ada@example.com",
    "name": "Ada",
    "scp": "user_impersonation",
}


def token(claims: Mapping[str, str]) -> str:
    """A token that says this."""
    parts = (urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "none"}, claims))
    return f"{'.'.join(parts)}.nobody"


def cases() -> Sequence[Case]:
    return cases_in(FOLDER)


def recordings() -> list[dict[str, Any]]:
    return recordings_in(FOLDER)
