"""What servers that are asked in the name of whoever calls show to each person beside what was let in."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from extensions.extension import Extension
from extensions.pins import PinChanges, Pins
from identity.caller import Caller

_SECONDS: Final = 600.0
_MOST: Final = 500


@dataclass(frozen=True, slots=True)
class _Shown:
    """Beside the pins of a version, and until when that counts."""

    compared: PinChanges
    version: str | None
    until: float


class ShownToPersons:
    """What a server shows to one person says nothing of another, so each is compared for itself."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, ...], _Shown] = OrderedDict()

    async def compared(self, extension: Extension, pins: Pins, caller: Caller, now: float) -> PinChanges:
        """Raises:
        Refusal: The server does not tell.
        """
        key = (extension.entry.name, *caller.person)
        known = self._known.get(key)
        if known is None or known.version != pins.version or known.until < now:
            seen = await extension.listed(caller)
            known = _Shown(pins.compared(seen), pins.version, now + _SECONDS)
            self._known[key] = known
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return known.compared
