"""The effects of a change on users. Presets use these effects to decide which changes require approval."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from changes.preview import Preview
from identity.access import Access

# A call that changes more than this number of resources has the effect `bulk`.
MOST_AT_ONCE: Final = 5


class Effect(StrEnum):
    # The change deletes data or a resource.
    DESTROYS = "destroys"
    # Users of a running system may notice the change: it may restart the system, or change its settings, traffic,
    # network, roles or keys.
    INTERRUPTS = "interrupts"
    # The change affects more than five resources.
    BULK = "bulk"
    # The change cannot be undone, affects production, or bypasses a protection. The preview gives the reason.
    GRAVE = "grave"


def possible_effects(access: Access, *, interrupts: bool, is_many: bool) -> frozenset[Effect]:
    """The effects that a call may have, estimated from its tool and arguments before a preview exists."""
    destroys = access is Access.DESTROY
    possible = {
        Effect.DESTROYS: destroys,
        Effect.INTERRUPTS: interrupts,
        Effect.BULK: is_many,
        Effect.GRAVE: destroys or interrupts,
    }
    return frozenset(effect for effect, is_possible in possible.items() if is_possible)


def effects_of(access: Access, preview: Preview, *, interrupts: bool) -> frozenset[Effect]:
    """The effects of a call according to its preview.

    Empty if the call only adds something, or changes an unused resource.
    """
    possible = possible_effects(
        access, interrupts=interrupts and preview.interrupts, is_many=preview.touches > MOST_AT_ONCE
    )
    return possible if preview.grave else possible - {Effect.GRAVE}
