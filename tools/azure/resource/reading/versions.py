"""Finds the API version for a path, and checks that Azure knows all types in the path."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from clients.azure.failures import AzureRefusal
from clients.azure.versions import PROVIDERS_VERSION, SUBSCRIPTIONS_VERSION, Types
from refusal import Refusal
from tools.azure.access import AzureAccess
from tools.azure.resource.reading import readable as paths

if TYPE_CHECKING:
    from azure_operations.index import OperationsIndex
    from clients.azure.client import Azure

_NEAREST: Final = 5
_VERSIONS: Final = 6
_FIND: Final = "Use find_azure_operation to find types and their paths."


async def version_of(azure: Azure, opened: AzureAccess, place: paths.Readable, wanted: str) -> str:
    """Return the requested API version for a path. If none is requested, return an empty string, so that the client
    looks up a version.

    Providers and top-level lists have fixed default versions.
    """
    for provider in place.parts:
        types = await _types(azure, provider.namespace, place.id.subscription)
        if provider.types:
            await _refuse_unknown(opened, types, provider)
    if place.is_registration:
        return PROVIDERS_VERSION
    if place.is_root:
        return wanted or (PROVIDERS_VERSION if place.id.name == "providers" else SUBSCRIPTIONS_VERSION)
    if not wanted:
        return ""
    types = await azure.types(place.id.namespace or "Microsoft.Resources", place.id.subscription)
    offered = types.offered_for(place.id.type)
    if wanted not in offered:
        named = ", ".join(sorted(offered, reverse=True)[:_VERSIONS])
        raise Refusal(f"{place.id.type} does not support this version. Omit api_version, or pass one of: {named}.")
    return wanted


async def _types(azure: Azure, namespace: str, subscription: str) -> Types:
    try:
        return await azure.types(namespace, subscription)
    except AzureRefusal as refusal:
        if refusal.status != 404:
            raise
    raise Refusal(f"Provider {namespace!r} not found in Azure. {_FIND}")


async def _refuse_unknown(opened: AzureAccess, types: Types, provider: paths.PathPart) -> None:
    """Refuse a resource type that is missing from both Azure's provider list and the index of operations."""
    if provider.type.lower() in types.offered:
        return
    index = await index_of(opened)
    if index is not None and index.reads(provider.type):
        return
    known = {*types.offered, *(index.types_of(provider.namespace) if index else ())}
    nearest = get_close_matches(provider.type.lower(), sorted(known), n=_NEAREST, cutoff=0.3)
    closest = f" Closest: {', '.join(nearest)}." if nearest else ""
    raise Refusal(f"Type {provider.type!r} not found in Azure.{closest} {_FIND}")


async def index_of(opened: AzureAccess) -> OperationsIndex | None:
    """Return the index of all Azure operations, if it is ready."""
    edition = await opened.operations().edition()
    return edition.index if edition else None
