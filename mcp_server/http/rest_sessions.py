"""Sessions for callers that do not use MCP. A session is an optional string that the caller stores."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import time
from typing import TYPE_CHECKING, ClassVar, Final

from identity.caller import Caller
from identity.denial import Denial

if TYPE_CHECKING:
    from identity.seals import Seals

HEADER: Final = "session-id"
SECONDS: Final = 8 * 60 * 60
LONGEST_CHOICE: Final = 4096
_NOT_GOOD: Final = (
    f"The session in the header {HEADER} belongs to someone else, has expired, or does not exist. Start a session with"
    " POST /mcp/initialize, or omit the header: sessions are optional."
)


@dataclass(frozen=True, slots=True)
class _Session:
    kind: ClassVar[str] = "rest session"
    seconds: ClassVar[int] = SECONDS

    caller: str
    choice: Mapping[str, str]


class RestSessions:
    """Creates and reads sessions. A session is an encrypted string that contains its caller and the caller's selection.

    A session does not replace sign-in: each request must still authenticate the caller. All instances use the same
    `keys`. Without keys, sessions end when the process ends.
    """

    def __init__(self, keys: Sequence[str] = (), clock: Callable[[], float] = time) -> None:
        self._keys = keys
        self._clock = clock

    def begin(self, caller: Caller, choice: Mapping[str, str]) -> str:
        return self._seals.seal(_Session(_named(caller), dict(choice)))

    def choice(self, caller: Caller, headers: Mapping[str, str]) -> Mapping[str, str]:
        """The headers that select tools, as stored in the session ID of this request. Empty if the request has no
        session ID.

        Raises:
            Denial: The session is invalid, or belongs to another caller.
        """
        if HEADER not in headers:
            return {}
        session = self._seals.open(_Session, headers[HEADER])
        if session is None or session.caller != _named(caller):
            raise Denial(_NOT_GOOD)
        return session.choice

    @cached_property
    def _seals(self) -> Seals:
        from identity.seals import Seals

        return Seals(self._keys or [os.urandom(32).hex()], self._clock, "rest sessions 1")


def _named(caller: Caller) -> str:
    """A digest that is specific to a caller and client, but does not reveal their identities."""
    from identity.seals import fingerprint

    return fingerprint(json.dumps(caller.principal))
