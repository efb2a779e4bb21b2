"""Finds the user, group or app that gets or loses a role."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from clients.azure import directory
from clients.azure.client import Azure
from clients.azure.directory import NOT_READ, DirectoryEntry
from clients.azure.failures import AzureRefusal, UnansweredRefusal
from clients.azure.ids import is_guid
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure.account.who import Identity
from tools.azure.shared.principals import Somebody

logger = logging.getLogger(__name__)

Kind = Literal["User", "Group", "ServicePrincipal"]

Principal = Annotated[
    str,
    Field(min_length=1, max_length=256, description="Object id, sign-in name, group name, or me"),
]
AnyKind = Annotated[Kind | None, Field(description="Type of principal; required for an app that was just created")]
_LOOKED_UP: Final[tuple[tuple[Kind, Callable[[Azure, str], Awaitable[DirectoryEntry]]], ...]] = (
    ("User", directory.person),
    ("Group", directory.group),
)


@dataclass(frozen=True, slots=True)
class Recipient:
    """A principal that gets or loses a role. `kind` is empty if it is unknown."""

    id: str
    name: str = ""
    kind: str = ""

    @property
    def label(self) -> str:
        """The label that people see.

        The label contains the id as well as the name, because a name could be ambiguous.
        """
        named = f"{self.name} ({self.id})" if self.name else self.id
        return f"{self.kind} {named}".strip()

    def is_known_as(self, assigned: Iterable[Somebody]) -> Recipient:
        """Return the principal. If the principal's kind is unknown, take the kind from one of the principal's role
        assignments.
        """
        kind = next((kind for kind, one in assigned if one.lower() == self.id), "")
        return Recipient(self.id, self.name, self.kind or kind)


async def recipient(azure: Azure, text: str, kind: Kind | None, me: Identity) -> Recipient:
    """Find the requested principal. Raises Refusal if the principal cannot be identified."""
    named = text.strip()
    if named.lower() in {"me", me.sign_in.lower()} and me.id:
        return Recipient(me.id.lower(), me.sign_in or me.name, "ServicePrincipal" if me.kind == "app" else "User")
    if is_guid(named):
        return await _of_id(azure, named.lower(), kind)
    if not azure.reads_directory:
        raise Refusal(f"{NOT_READ} Until then, pass the object id of the person, group or app.")
    found, own = await _lookup(azure, named)
    if kind and kind != own:
        raise Refusal(f"{named!r} is a {own}, but `kind` is {kind}.")
    return Recipient(found.id.lower(), found.sign_in or found.name, own)


async def _lookup(azure: Azure, named: str) -> tuple[DirectoryEntry, Kind]:
    if "@" in named:
        return await directory.signed_in_as(azure, named), "User"
    return await directory.group_called(azure, named), "Group"


async def _of_id(azure: Azure, object_id: str, kind: Kind | None) -> Recipient:
    """Return the principal with an object id. The principal has a name only if the directory is readable."""
    if not azure.reads_directory or kind == "ServicePrincipal":
        return Recipient(object_id, "", kind or "")
    for own, look in _LOOKED_UP:
        if kind in {own, None} and (found := await _if_there(look, azure, object_id)):
            return Recipient(object_id, found.sign_in or found.name, own)
    return Recipient(object_id, "", kind or "")


async def _if_there(
    look: Callable[[Azure, str], Awaitable[DirectoryEntry]], azure: Azure, object_id: str
) -> DirectoryEntry | None:
    """Look up a principal. Return None if the principal is not found, or if the directory is not readable. A failed
    lookup is not an error, because a change requires only the id of the principal.
    """
    try:
        return await look(azure, object_id)
    except UnansweredRefusal:
        raise
    except AzureRefusal as refusal:
        if refusal.status not in {403, 404}:
            raise
    except Refusal as beyond_a_lock:
        logger.debug("A principal was not looked up: %s", beyond_a_lock)
    return None
