"""Reading anything that Resource Manager has, by its path."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from clients.azure.failures import ServiceRefusal
from clients.azure.messages import of_id
from clients.azure.versions import PROVIDERS_VERSION, Types
from clients.messages import Page
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.provider import Arm, AzureAccess, Opened
from tools.azure.reading import readable as paths
from tools.azure.shared.answers import Json, answer, many
from tools.azure.shared.parameters import MaxResults

if TYPE_CHECKING:
    from azure_operations.index import Index
    from clients.azure.client import Azure

_NEAREST: Final = 5
_VERSIONS: Final = 6
_FIND: Final = "find_azure_operation finds types and their paths by words."

part = Part()


@part.tool(Access.READ)
async def read_azure(
    azure: Arm,
    opened: Opened,
    path: Annotated[str, Field(min_length=1, max_length=2048, description="/subscriptions/... or /providers/...")],
    query: Annotated[dict[str, str] | None, Field(description="Such as $filter, $expand")] = None,
    api_version: Annotated[str | None, Field(max_length=40, description="Found if left out")] = None,
    max_results: MaxResults = 50,
) -> Json:
    """Read any resource of Azure or list of them by its management path (GET only); find_azure_operation finds paths.

    A path that ends with a type lists. Names come from answers or the user: do not guess them. Keys and secrets are
    never read.
    """
    place = paths.readable(path)
    parameters = paths.query_of(query or {})
    version = await _version(azure, opened, place, api_version or "")
    found = await azure.found(of_id("GET", place.id, query=parameters, version=version), max_results)
    if isinstance(found, Page):
        return many(found)
    return answer(result=found)


async def _version(azure: Azure, opened: AzureAccess, place: paths.Readable, wanted: str) -> str:
    """The version to ask in: of a provider itself a known one; else the one wanted, or none, which is found."""
    for provider in place.parts:
        types = await _types(azure, provider.namespace, place.id.subscription)
        if provider.types:
            await _refuse_unknown(opened, types, provider)
    if place.is_registration:
        return PROVIDERS_VERSION
    if not wanted:
        return ""
    types = await azure.types(place.id.namespace or "Microsoft.Resources", place.id.subscription)
    offered = types.offered_for(place.id.type)
    if wanted not in offered:
        named = ", ".join(sorted(offered, reverse=True)[:_VERSIONS])
        raise Refusal(f"{place.id.type} has no such version. Leave api_version out, or pass one of: {named}.")
    return wanted


async def _types(azure: Azure, namespace: str, subscription: str) -> Types:
    try:
        return await azure.types(namespace, subscription)
    except ServiceRefusal as refusal:
        if refusal.status != 404:
            raise
    raise Refusal(f"Azure has no provider {namespace!r}. {_FIND}")


async def _refuse_unknown(opened: AzureAccess, types: Types, provider: paths.Part) -> None:
    """Refuse types that neither the provider list nor the operations of Azure know."""
    if provider.type.lower() in types.offered:
        return
    index = await _index(opened)
    if index is not None and index.reads(provider.type):
        return
    known = {*types.offered, *(index.types_of(provider.namespace) if index else ())}
    nearest = get_close_matches(provider.type.lower(), sorted(known), n=_NEAREST, cutoff=0.3)
    told = f" The nearest are: {', '.join(nearest)}." if nearest else ""
    raise Refusal(f"Azure has no type {provider.type!r}.{told} {_FIND}")


async def _index(opened: AzureAccess) -> Index | None:
    edition = await opened.operations().edition()
    return edition.index if edition else None
