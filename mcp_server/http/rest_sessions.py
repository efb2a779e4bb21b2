"""Sessions of plain HTTP: a string that the caller carries. The server stores nothing, and sessions are optional."""

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
    """A session is a sealed string with its caller and their selection. It does not sign anyone in: each request does.

    `keys` are shared by all instances. Without keys, a session ends with the process.
    """

    def __init__(self, keys: Sequence[str] = (), clock: Callable[[], float] = time) -> None:
        self._keys = keys
        self._clock = clock

    def begin(self, caller: Caller, choice: Mapping[str, str]) -> str:
        return self._seals.seal(_Session(_named(caller), dict(choice)))

    def choice(self, caller: Caller, headers: Mapping[str, str]) -> Mapping[str, str]:
        """The selection headers from the session that these headers name, if any.

        Raises:
            Denial: The session is invalid, or belongs to someone else.
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
    """Identifies a caller and their client without revealing who they are."""
    from identity.seals import fingerprint

    return fingerprint(json.dumps(caller.principal))
