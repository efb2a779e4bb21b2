"""Reads expirations and changes in related key vaults. Only dates and names are read, never values."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Final

from clients.azure.vaults import KeyVault, Kind, VaultContents, VaultEntry, vault_called
from incidents import event_kinds
from incidents.events import Event, moment_of
from incidents.inquiry import Inquiry

_TYPE: Final = "microsoft.keyvault/vaults"
_KINDS: Final[tuple[Kind, ...]] = ("secrets", "keys", "certificates")
_MOST: Final = 500
_MOST_VAULTS: Final = 3
_LEAST_CLOSENESS: Final = 0.6

Read = Callable[[], Awaitable[list[Event]]]


def key_vaults(inquiry: Inquiry) -> Mapping[str, Read]:
    """Return a query for each kind of item, such as secrets, in each of the most closely related vaults."""
    around = inquiry.around
    near = [one for one in around.of_type(_TYPE) if around.links[one.id.key].closeness >= _LEAST_CLOSENESS]
    return {
        f"{one.id.name}: {kind}": partial(_of_vault, inquiry, one.id.text, kind)
        for one in near[:_MOST_VAULTS]
        for kind in _KINDS
    }


async def _of_vault(inquiry: Inquiry, vault_id: str, kind: Kind) -> list[Event]:
    vault = await inquiry.azure.lately(("vault", vault_id), partial(vault_called, inquiry.azure, vault_id, None))
    page = await VaultContents(inquiry.azure, vault).listed(kind, _MOST)
    return [event for entry in page.items for event in _events(inquiry, vault, entry)]


def _events(inquiry: Inquiry, vault: KeyVault, entry: VaultEntry) -> Iterator[Event]:
    """Yield the expiration and the last change of an item. A certificate, its secret and its key count as one item."""
    word = entry.kind.removesuffix("s")
    if entry.record.get("managed"):
        return
    if entry.expires and entry.is_enabled and inquiry.asked.has(entry.expires):
        yield Event(
            at=entry.expires,
            source="key_vaults",
            kind=event_kinds.EXPIRED,
            what=f"{word} {entry.name} expired",
            target=vault.id.text,
        )
    updated, created = moment_of(entry.at("updated")), moment_of(entry.at("created"))
    if updated and inquiry.asked.has(updated):
        did = "has a new version" if created == updated else "was changed"
        yield Event(
            at=updated,
            source="key_vaults",
            kind=event_kinds.SECRET,
            what=f"{word} {entry.name} {did if entry.is_enabled else 'was disabled'}",
            target=vault.id.text,
        )
