"""Reads all operations from Azure: first the resource providers with their types, then each provider's operations."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from azure_operations.paths import Types, by_name, place_of, version_of
from azure_operations.record import Operation, ResourceType
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.messages import AzureRequest
from clients.azure.versions import PROVIDERS_VERSION, newest
from refusal import Refusal
from shifts import SHIFTS, give_way

OPERATIONS_VERSION: Final = "2022-04-01"
_PROVIDERS: Final = AzureRequest("GET /providers", version=PROVIDERS_VERSION)
_OPERATIONS: Final = "GET /providers/Microsoft.Authorization/providerOperations/{namespace}"
# Azure has about 300 providers and 20,000 operations. A response with many more items is implausible.
MOST_PROVIDERS: Final = 2_000
MOST_OPERATIONS: Final = 100_000
# The maximum share of providers, in percent, that may fail. The operations of failed providers are missing until the
# next run.
MOST_UNREAD: Final = 5.0
_LONGEST_NAME: Final = 300
_LONGEST_TEXT: Final = 500
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z0-9]+)+(?:/[A-Za-z0-9$][A-Za-z0-9$_.-]*)*")
# The error codes that Azure returns if a provider does not exist or has no operations.
_NO_OPERATIONS: Final = frozenset({400, 404})
_NOT_PERMITTED: Final = frozenset({401, 403})

# A callback for progress, which receives the number of finished providers and the number of all providers.
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ResourceProvider:
    namespace: str
    types: tuple[ResourceType, ...]


@dataclass(frozen=True, slots=True)
class OperationsReading:
    """All Azure operations by name, and the providers that could not be read."""

    operations: tuple[Operation, ...]
    providers: int
    unread: tuple[str, ...] = ()
    malformed: int = 0


class ImplausibleError(Exception):
    """The number of operations that Azure returned is implausibly low or high."""


async def read_operations(azure: Azure, tell: Tell) -> OperationsReading:
    """Read all operations, one provider at a time, so that responses stay small and other requests are not delayed.

    Raises:
        Refusal: Azure is unreachable or denies access.
        ImplausibleError: Too many providers failed, or Azure returned implausibly many operations.
    """
    providers = await read_providers(azure)
    found: dict[str, Operation] = {}
    unread: list[str] = []
    malformed = 0
    for number, provider in enumerate(providers):
        tell(number, len(providers))
        document = await _read(azure, provider)
        if document is None:
            unread.append(provider.namespace)
        # Parsing a large provider would block other requests, so it runs in a thread.
        known, odd = await asyncio.to_thread(SHIFTS.do, operations_in, document or {}, provider)
        found |= {operation.name.lower(): operation for operation in known or operations_of_types(provider)}
        malformed += odd
        _refuse_implausible(len(unread), len(providers), len(found))
    return OperationsReading(tuple(found[name] for name in sorted(found)), len(providers), tuple(unread), malformed)


async def read_providers(azure: Azure) -> list[ResourceProvider]:
    """Return all resource providers of the tenant, by name."""
    page = await azure.page(_PROVIDERS, MOST_PROVIDERS)
    if page.has_more:
        raise ImplausibleError(f"Azure returned more than {MOST_PROVIDERS} providers, which is too many.")
    found = {provider.namespace.lower(): provider for provider in map(provider_of, page.items) if provider}
    return [found[name] for name in sorted(found)]


def provider_of(document: Mapping[str, Any]) -> ResourceProvider | None:
    """Parse a provider in Azure's list. Types with invalid names are dropped."""
    namespace = str(document.get("namespace", ""))
    if not _is_name(namespace) or "/" in namespace:
        return None
    entries = [entry for entry in _listed(document, "resourceTypes") if _is_name(f"{namespace}/{_type_in(entry)}")]
    return ResourceProvider(namespace, tuple(_resource_type(namespace, entry) for entry in entries))


def operations_in(document: Mapping[str, Any], provider: ResourceProvider) -> tuple[list[Operation], int]:
    """Parse the operations of a provider. Return the valid operations, and the number of invalid operations."""
    types = by_name(provider.types)
    entries = list(_entries(document))
    sound = [(resource, entry) for resource, entry in entries if _is_of(provider, str(entry.get("name", "")))]
    return [_operation(resource, entry, types) for resource, entry in sound], len(entries) - len(sound)


def operations_of_types(provider: ResourceProvider) -> list[Operation]:
    """For a provider that has no list of operations, create a read operation for each of its resource types."""
    types = by_name(provider.types)
    return [_placed(Operation(f"{one.name}/read", title=f"Read {one.name}"), types) for one in provider.types]


async def _read(azure: Azure, provider: ResourceProvider) -> dict[str, Any] | None:
    """Request the operations of a provider. Return None if the request fails."""
    query = {"$expand": "resourceTypes"}
    request = AzureRequest(_OPERATIONS, {"namespace": provider.namespace}, query, version=OPERATIONS_VERSION)
    try:
        return await azure.json(request)
    except AzureRefusal as refusal:
        if refusal.status in _NOT_PERMITTED:
            raise
        return {} if refusal.status in _NO_OPERATIONS else None
    except Refusal:  # the provider was not found, or the response is not JSON
        return None


def _entries(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each operation in Azure's response, with the display name of its resource type."""
    provider = _text(document.get("displayName"))
    for entry in _listed(document, "operations"):
        yield provider, entry
    for resource in _listed(document, "resourceTypes"):
        words = f"{provider} {_text(resource.get('displayName'))}".strip()
        for entry in _listed(resource, "operations"):
            yield words, entry


def _operation(resource: str, entry: Mapping[str, Any], types: Types) -> Operation:
    give_way()
    operation = Operation(
        name=str(entry["name"]),
        title=_text(entry.get("displayName")),
        description=_text(entry.get("description")),
        resource=resource,
        is_data=entry.get("isDataAction") is True,
    )
    return _placed(operation, types)


def _placed(operation: Operation, types: Types) -> Operation:
    if operation.is_data:
        return replace(operation, pathless="This is a data action: Resource Manager cannot access resource data")
    place = place_of(operation.type, types)
    version = version_of(operation.type, types)
    return replace(operation, path=place.path, pathless=place.pathless, version=version)


def _resource_type(namespace: str, entry: Mapping[str, Any]) -> ResourceType:
    versions = [str(version) for version in entry.get("apiVersions") or () if isinstance(version, str)]
    listed = entry.get("capabilities")
    capabilities = (
        frozenset(part.strip() for part in listed.split(",")) if isinstance(listed, str) else frozenset[str]()
    )
    return ResourceType(f"{namespace}/{_type_in(entry)}", newest(versions) or "", capabilities)


def _type_in(entry: Mapping[str, Any]) -> str:
    return str(entry.get("resourceType", ""))


def _listed(document: Mapping[str, Any], name: str) -> Iterable[Mapping[str, Any]]:
    entries = document.get(name)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else ()


def _is_of(provider: ResourceProvider, name: str) -> bool:
    return _is_name(name) and name.lower().startswith(f"{provider.namespace.lower()}/")


def _is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and bool(_NAME.fullmatch(text))


def _text(value: Any) -> str:
    """Convert a text from Azure to a single line, and truncate it."""
    return " ".join(value.split())[:_LONGEST_TEXT] if isinstance(value, str) else ""


def _refuse_implausible(unread: int, providers: int, operations: int) -> None:
    if 100 * unread / providers > MOST_UNREAD:
        raise ImplausibleError(
            f"{unread} of {providers} providers did not respond, which is too many: the limit is {MOST_UNREAD:g} %."
        )
    if operations > MOST_OPERATIONS:
        raise ImplausibleError(f"Azure returned more than {MOST_OPERATIONS} operations, which is too many.")
