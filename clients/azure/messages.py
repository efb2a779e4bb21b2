"""Requests to Azure and their responses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Protocol

from clients import messages
from clients.azure.cloud import Service
from clients.azure.ids import ResourceId
from clients.azure.withholding import names_of_settings, withheld
from clients.decoding import decoded
from clients.messages import JSON, OCTETS, TEXT, ListPage

__all__ = [
    "FOUND",
    "JSON",
    "OCTETS",
    "TEXT",
    "Authorize",
    "AzureAnswer",
    "AzureExchange",
    "AzureRequest",
    "Limits",
    "ListPage",
    "PatientExchange",
]

# The API version that the provider list has for the type in the path.
FOUND: Final = ""

# Returns the Authorization header for a service with this scope.
Authorize = Callable[[str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class AzureRequest(messages.Request):
    """One request; `of_id` creates those whose path begins with an id.

    By default it uses the newest API version of the type in its path, and Resource Manager as the service.
    """

    # None for URLs from Azure itself, which include their version, if any.
    version: str | None = field(default=FOUND, kw_only=True)
    service: Service | None = field(default=None, kw_only=True)
    # The response may contain a secret; only tools made for that use it.
    gives_secrets: bool = field(default=False, kw_only=True)
    # The body contains a secret, so error messages, which could repeat it, are not shown.
    carries_secret: bool = field(default=False, kw_only=True)
    # The response contains values that must not be read, only their names.
    only_names: bool = field(default=False, kw_only=True)
    # The query is ours, begins with its only table, and contains callers' values only as quoted values.
    is_ready_made: bool = field(default=False, kw_only=True)

    @property
    def path(self) -> str:
        """Its path before encoding names."""
        return self.present_line.partition(" ")[2].format_map(
            {name: str(value) for name, value in self.present_values.items()}
        )


def of_id(method: str, resource: ResourceId, suffix: str = "", **options: Any) -> AzureRequest:
    """A request for the resource with this id, or for `suffix` below it."""
    names = [f"part{number}" for number in range(len(resource.segments))]
    line = "".join(f"/{{{name}}}" for name in names)
    values = dict(zip(names, resource.segments, strict=True))
    return AzureRequest(f"{method} {line}{suffix}", values | options.pop("values", {}), **options)


@dataclass(frozen=True)
class AzureAnswer(messages.Answer):
    gives_secrets: bool = False
    only_names: bool = False

    @cached_property
    def document(self) -> Any:
        """The JSON in it, without secrets; an empty object for an empty response.

        Raises:
            ValueError: It is not JSON.
        """
        found = decoded(self.text) if self.content.strip() else {}
        if self.only_names:
            return names_of_settings(found)
        return found if self.gives_secrets else withheld(found)


class AzureExchange(Protocol):
    """Sends requests to Azure."""

    async def send(
        self, service: Service, request: AzureRequest, authorization: str, largest: int | None = None
    ) -> AzureAnswer:
        """Send a request, and read at most `largest` bytes of the response.

        Raises:
            Refusal: There is no response, a value is not a valid path segment, or it is outside the allowed scope.
        """


class PatientExchange(AzureExchange, Protocol):
    """An exchange that can also wait, and say what may be requested by other means."""

    async def sleep(self, seconds: float) -> None: ...

    async def admit(self, service: Service) -> None:
        """Allow reading a resource's data over a separate connection.

        Raises:
            Refusal: It is outside the allowed scope.
        """


class Limits(Protocol):
    """The allowed scope, if it is limited."""

    async def opens_all_of(self, subscription: str) -> bool: ...

    async def refuse_elsewhere(self, ids: Iterable[str], documents: Iterable[Any]) -> None:
        """Refuse ids outside the allowed scope, and documents that contain any.

        Raises:
            Refusal: There are any.
        """

    def expect(self, address: str) -> None:
        """Accept this URL as the result of an operation within the allowed scope."""
