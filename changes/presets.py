"""Ready-made approval rules for a whole server.

`docs/changes.md` also contains these rules as text to copy and adapt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from changes.approval_request import RequiredApprover
from changes.effects import Effect
from changes.rule import Rule

_NOTICED: Final = frozenset({Effect.DESTROYS, Effect.INTERRUPTS, Effect.BULK})
_IN_PRODUCTION: Final = ("*prod*", "live", "*-live", "live-*")
_GRAVE: Final = Rule(RequiredApprover.ANOTHER, effects=frozenset({Effect.GRAVE}), is_preset=True)
_REST: Final = Rule(RequiredApprover.NOBODY, is_preset=True)

OPEN: Final = (_GRAVE, Rule(RequiredApprover.CALLER, effects=frozenset({Effect.DESTROYS}), is_preset=True), _REST)
CAREFUL: Final = (_GRAVE, Rule(RequiredApprover.CALLER, effects=_NOTICED, is_preset=True), _REST)
PRODUCTION: Final = (
    *(
        Rule(RequiredApprover.ANOTHER, effects=_NOTICED, places={place: _IN_PRODUCTION}, is_preset=True)
        for place in ("environment", "subscription", "resource-group", "name", "tag:environment", "tag:env")
    ),
    *CAREFUL,
)
PRESETS: Final[Mapping[str, tuple[Rule, ...]]] = {"open": OPEN, "careful": CAREFUL, "production": PRODUCTION}
