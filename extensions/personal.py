"""Compares the approved tools with the tools that an extension's server shows to a signed-in user."""

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
    """The result of comparing a server's tools with one version of the pins, and the time when the result expires."""

    compared: PinChanges
    version: str | None
    until: float


class ShownToPersons:
    """Compares tools for each user, because a server may show each user different tools."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, ...], _Shown] = OrderedDict()

    async def compared(self, extension: Extension, pins: Pins, caller: Caller, now: float) -> PinChanges:
        """Compare the tools that a caller sees with the pins. Raises Refusal if the server does not respond."""
        key = (extension.entry.name, *caller.person)
        known = self._known.get(key)
        if known is None or known.version != pins.version or known.until < now:
            seen = await extension.listed(caller)
            known = _Shown(pins.compared(seen), pins.version, now + _SECONDS)
            self._known[key] = known
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return known.compared
