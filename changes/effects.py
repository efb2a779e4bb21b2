"""What a change does to the users of what it changes. By this, and not by the names of tools, presets ask people."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from changes.preview import Preview
from identity.access import Access

# Changing more resources than this at once is `bulk`.
MOST_AT_ONCE: Final = 5


class Effect(StrEnum):
    # Something is lost.
    DESTROYS = "destroys"
    # Users of a running system notice it, or may: a restart, settings, traffic, network, roles, keys.
    INTERRUPTS = "interrupts"
    # More than five resources at once.
    BULK = "bulk"
    # It cannot be restored, reaches production, or passes a protection, as its preview says.
    GRAVE = "grave"


def possible_effects(access: Access, *, interrupts: bool, is_many: bool) -> frozenset[Effect]:
    """What a call might do, as far as its tool and its arguments tell before anything was looked up."""
    destroys = access is Access.DESTROY
    told = {
        Effect.DESTROYS: destroys,
        Effect.INTERRUPTS: interrupts,
        Effect.BULK: is_many,
        Effect.GRAVE: destroys or interrupts,
    }
    return frozenset(effect for effect, is_possible in told.items() if is_possible)


def effects_of(access: Access, preview: Preview, *, interrupts: bool) -> frozenset[Effect]:
    """What a call does, as its preview tells. Nothing of this: it only adds, or changes what nobody uses."""
    possible = possible_effects(
        access, interrupts=interrupts and preview.interrupts, is_many=preview.touches > MOST_AT_ONCE
    )
    return possible if preview.grave else possible - {Effect.GRAVE}
