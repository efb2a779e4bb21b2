"""The golden cases of Azure. Each exchange says in which version it is asked, if its service has any."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.tools import golden
from tests.tools.golden import Case, Sent, cases_in, expected, recordings_in, seen

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


_LOCKS: Final[Mapping[str, Any]] = {"reply": {"value": []}}
_PERMISSIONS: Final[Mapping[str, Any]] = {"reply": {"value": [{"actions": ["*"], "dataActions": ["*"]}]}}

_NOT_FOUND: Final[Mapping[str, Any]] = {"status": 404, "reply": {"error": {"code": "NotFound", "message": "Nothing."}}}


class Scripted(golden.Scripted):
    """Azure without any lock, where the caller may do everything, and where nothing changes meanwhile."""

    def checked(self, sent: Sent) -> Mapping[str, Any] | None:
        if sent.method not in {"GET", "HEAD"} and not sent.path.endswith("/list"):
            return None
        if sent.path.endswith("/providers/Microsoft.Authorization/locks"):
            return _LOCKS
        if sent.path.endswith("/providers/Microsoft.Authorization/permissions"):
            return _PERMISSIONS
        return self._second_look(sent)

    def _second_look(self, sent: Sent) -> Mapping[str, Any] | None:
        """What was answered before, or what a list had of it."""
        again = [one for one in self.played if one["request"] == sent.line]
        if again:
            return again[-1]
        if found := listed(self.played, sent.line):
            return found
        folder, place = sent.line.rpartition("/")[0], sent.line.partition(" ")[2]
        is_listed = any(one["request"] == folder for one in self.played)
        # What the case makes or brings back is not there yet.
        is_made = any(one["request"] == f"PUT {place}" for one in self.exchanges)
        is_gone = any(f"/deleted{place.partition('/')[2]}".startswith(_path(one)) for one in self.played)
        return _NOT_FOUND if is_listed or is_made or is_gone else None


def listed(exchanges: Sequence[Mapping[str, Any]], line: str) -> Mapping[str, Any] | None:
    """What a list had of the one that is asked for by itself."""
    path = line.partition("/")[2].casefold()
    folder, _, name = line.casefold().rpartition("/")
    for one in exchanges:
        for entry in _entries(one.get("reply")):
            is_named = one["request"].casefold() == folder and str(entry.get("name")).casefold() == name
            if is_named or str(entry.get("id")).strip("/").casefold() == path:
                return {"reply": entry}
    return None


def _path(exchange: Mapping[str, Any]) -> str:
    return f"/{exchange['request'].partition('/')[2]}"


def _entries(reply: Any) -> list[Mapping[str, Any]]:
    entries = reply.get("value") if isinstance(reply, Mapping) else None
    return [one for one in entries if isinstance(one, Mapping)] if isinstance(entries, list) else []


def token(claims: Mapping[str, str]) -> str:
    """A token that says this."""
    parts = (urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "none"}, claims))
    return f"{'.'.join(parts)}.nobody"


def cases() -> Sequence[Case]:
    return cases_in(FOLDER)


def recordings() -> list[dict[str, Any]]:
    return recordings_in(FOLDER)
