"""Identifies the principal that a caller means: by name if Microsoft Graph is readable, otherwise by id."""

from __future__ import annotations

from dataclasses import replace

from clients.azure import directory
from clients.azure.client import Azure
from clients.azure.directory import NOT_READ, DirectoryEntry
from clients.azure.failures import AzureRefusal
from clients.azure.ids import is_guid
from refusal import Refusal
from tools.azure.account.who import Identity


async def meant_person(azure: Azure, text: str | None, me: Identity) -> DirectoryEntry:
    """Return the principal whose rights are requested: the caller, or the principal with this sign-in name or object
    id.

    Raises:
        Refusal: The principal cannot be identified.
    """
    named = (text or "me").strip()
    if named.lower() in {"me", me.id.lower(), me.sign_in.lower()}:
        if not me.id:
            raise Refusal("Azure's token does not identify you. Pass an object id.")
        return DirectoryEntry(me.id, me.name, me.sign_in)
    if not azure.reads_directory:
        if is_guid(named):
            return DirectoryEntry(named, "")
        raise Refusal(f"{NOT_READ} Until then, pass the object id of the person, group or app.")
    if not is_guid(named):
        return await _of_name(azure, named)
    if azure.is_limited:
        return DirectoryEntry(named, "")
    return await _of_id(azure, named)


async def _of_name(azure: Azure, named: str) -> DirectoryEntry:
    """Return the user with a sign-in name or email, or the group with a name."""
    if "@" in named:
        return await directory.signed_in_as(azure, named)
    try:
        return replace(await directory.group_called(azure, named), is_group=True)
    except AzureRefusal:
        raise
    except Refusal as refusal:
        advice = "Pass a person's sign-in name or email, for example ada@example.com, or an object id."
        raise Refusal(f"{refusal} {advice}") from None


async def _of_id(azure: Azure, named: str) -> DirectoryEntry:
    """Return the principal with an object id, or the app with an application id."""
    try:
        known = (await directory.by_ids(azure, [named])).get(named.lower()) or await directory.app_of(azure, named)
    except Refusal:
        return DirectoryEntry(named, "")
    if known is None:
        raise Refusal(
            f"Object id or application id {named} not found in the directory. The id may be misspelled, or the"
            " person, group or app may have been deleted."
        )
    return known
