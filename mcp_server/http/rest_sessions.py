"""Sessions of plain HTTP: a text that the caller carries. Nothing is kept, and nothing needs one."""

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
    f"The session in the header {HEADER} belongs to someone else, has expired, or does not exist. Start one with POST"
    " /mcp/initialize, or omit the header: sessions are optional."
)


@dataclass(frozen=True, slots=True)
class _Session:
    kind: ClassVar[str] = "rest session"
    seconds: ClassVar[int] = SECONDS

    caller: str
    choice: Mapping[str, str]


class RestSessions:
    """A session tells whose it is and what they chose, sealed. It is no sign-in: each request brings its own.

    `keys` seal over all instances; without any, a session ends with the process.
    """

    def __init__(self, keys: Sequence[str] = (), clock: Callable[[], float] = time) -> None:
        self._keys = keys
        self._clock = clock

    def begin(self, caller: Caller, choice: Mapping[str, str]) -> str:
        return self._seals.seal(_Session(_named(caller), dict(choice)))

    def choice(self, caller: Caller, headers: Mapping[str, str]) -> Mapping[str, str]:
        """The headers by which this caller chose when the session began that these headers name, if they name one.

        Raises:
            Denial: It is not good, or is somebody else's.
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
    """Who it is, by which client, as a text that tells nobody who."""
    from identity.seals import fingerprint

    return fingerprint(json.dumps(caller.principal))
