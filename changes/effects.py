"""The effects of a change on users. Presets require approval by effect, not by tool name."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from changes.preview import Preview
from identity.access import Access

# Changing more resources than this in one call is `bulk`.
MOST_AT_ONCE: Final = 5


class Effect(StrEnum):
    # Something is lost.
    DESTROYS = "destroys"
    # Users of a running system may notice it: a restart, settings, traffic, network, roles, keys.
    INTERRUPTS = "interrupts"
    # More than five resources at once.
    BULK = "bulk"
    # Its preview says that it is irreversible, reaches production, or bypasses a protection.
    GRAVE = "grave"


def possible_effects(access: Access, *, interrupts: bool, is_many: bool) -> frozenset[Effect]:
    """The possible effects of a call, judged by its tool and arguments alone."""
    destroys = access is Access.DESTROY
    possible = {
        Effect.DESTROYS: destroys,
        Effect.INTERRUPTS: interrupts,
        Effect.BULK: is_many,
        Effect.GRAVE: destroys or interrupts,
    }
    return frozenset(effect for effect, is_possible in possible.items() if is_possible)


def effects_of(access: Access, preview: Preview, *, interrupts: bool) -> frozenset[Effect]:
    """The effects of a call according to its preview. Empty if it only adds something, or changes what is unused."""
    possible = possible_effects(
        access, interrupts=interrupts and preview.interrupts, is_many=preview.touches > MOST_AT_ONCE
    )
    return possible if preview.grave else possible - {Effect.GRAVE}
