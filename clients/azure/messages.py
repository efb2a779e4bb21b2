"""Requests to Azure, and the responses."""

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

# A placeholder for an API version. Before a request is sent, the version is looked up in Azure's list of providers,
# which contains the versions of each resource type.
FOUND: Final = ""

# Returns the value of the Authorization header for a service with this scope.
Authorize = Callable[[str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class AzureRequest(messages.Request):
    """A request to Azure. If the path of a request begins with an ID, create the request with `of_id`.

    By default, the request goes to Resource Manager, with the newest API version of the resource type in the path.
    """

    # The API version. None for URLs that Azure returned, because these URLs already contain a version.
    version: str | None = field(default=FOUND, kw_only=True)
    service: Service | None = field(default=None, kw_only=True)
    # Whether the response may contain a secret. Only tools that show secrets set this field.
    gives_secrets: bool = field(default=False, kw_only=True)
    # Whether the body contains a secret. If so, error messages are not shown, because they could repeat the secret.
    carries_secret: bool = field(default=False, kw_only=True)
    # Whether only the names in the response may be used, because the values may be secret.
    only_names: bool = field(default=False, kw_only=True)
    # Whether the query was written by this server, not by the caller. A query by this server reads only one table,
    # begins with this table, and quotes all values that callers pass.
    is_ready_made: bool = field(default=False, kw_only=True)

    @property
    def path(self) -> str:
        """The path in readable form, without URL encoding."""
        return self.present_line.partition(" ")[2].format_map(
            {name: str(value) for name, value in self.present_values.items()}
        )


def of_id(method: str, resource: ResourceId, suffix: str = "", **options: Any) -> AzureRequest:
    """Build a request for the resource with this ID. `suffix` is an optional path below the resource."""
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
        """The JSON in the response, with secrets withheld. An empty object if the response is empty.

        Raises:
            ValueError: The response is not JSON.
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
            Refusal: There is no response, a value is not a valid path segment, or the request is outside the allowed
                scope.
        """


class PatientExchange(AzureExchange, Protocol):
    """Sends requests to Azure, waits between requests, and checks access to data over other connections."""

    async def sleep(self, seconds: float) -> None: ...

    async def admit(self, service: Service) -> None:
        """Check that it is allowed to read a resource's data over a separate connection.

        Raises:
            Refusal: The resource is outside the allowed scope.
        """


class Limits(Protocol):
    """Checks access against the allowed scope."""

    async def opens_all_of(self, subscription: str) -> bool: ...

    async def refuse_elsewhere(self, ids: Iterable[str], documents: Iterable[Any]) -> None:
        """Reject IDs outside the allowed scope, including IDs inside documents.

        Raises:
            Refusal: An ID is outside the allowed scope.
        """

    def expect(self, address: str) -> None:
        """Allow requests to this URL. Azure returned it for polling an operation that is in the allowed scope."""
