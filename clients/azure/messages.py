"""What is asked of Azure and what it answers."""

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

# The version that the provider list names for the type in the path.
FOUND: Final = ""

# Gives the Authorization header of a request to a service with this scope.
Authorize = Callable[[str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class AzureRequest(messages.Request):
    """One request; `of_id` makes those whose path begins with an id.

    Without a version it goes with the newest one that the type in its path has, without a service to Resource Manager.
    """

    # None where Azure itself said where to ask: its addresses say in which version, if they have any.
    version: str | None = field(default=FOUND, kw_only=True)
    service: Service | None = field(default=None, kw_only=True)
    # What it says of a secret may be in the answer: only a tool that was made for that asks so.
    gives_secrets: bool = field(default=False, kw_only=True)
    # There is a secret in its body: what the service says of it, in which that could be, is repeated to nobody.
    carries_secret: bool = field(default=False, kw_only=True)
    # Its answer has values that nobody is to get: what is read of it are their names.
    only_names: bool = field(default=False, kw_only=True)
    # Its query is ours, and the caller's are only values in it: it begins with its one table.
    is_ready_made: bool = field(default=False, kw_only=True)

    @property
    def path(self) -> str:
        """Its path as it is sent, but for the encoding of names."""
        return self.present_line.partition(" ")[2].format_map(
            {name: str(value) for name, value in self.present_values.items()}
        )


def of_id(method: str, resource: ResourceId, suffix: str = "", **options: Any) -> AzureRequest:
    """A request for what has this id, or is below it at `suffix`."""
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
        """The JSON it holds, without secrets; an object without anything in it where the answer is empty.

        Raises:
            ValueError: It holds something else.
        """
        found = decoded(self.text) if self.content.strip() else {}
        if self.only_names:
            return names_of_settings(found)
        return found if self.gives_secrets else withheld(found)


class AzureExchange(Protocol):
    """Carries requests to Azure."""

    async def send(
        self, service: Service, request: AzureRequest, authorization: str, largest: int | None = None
    ) -> AzureAnswer:
        """Send a request, and read at most `largest` bytes of the answer.

        Raises:
            Refusal: Nothing answers there, a value cannot be a segment of the path, or it is out of reach.
        """


class PatientExchange(AzureExchange, Protocol):
    """An exchange that can let time pass, and say what may be asked in another way than through it."""

    async def sleep(self, seconds: float) -> None: ...

    async def admit(self, service: Service) -> None:
        """Let the data of a resource be read over a connection of its own.

        Raises:
            Refusal: They are out of reach.
        """


class Limits(Protocol):
    """What settings let be reached, where that is not everything."""

    async def opens_all_of(self, subscription: str) -> bool: ...

    async def refuse_elsewhere(self, ids: Iterable[str], documents: Iterable[Any]) -> None:
        """Refuse ids that are not within, and documents that name any.

        Raises:
            Refusal: There are.
        """

    def expect(self, address: str) -> None:
        """Take it as told by Azure that the outcome of something within is looked for there."""
