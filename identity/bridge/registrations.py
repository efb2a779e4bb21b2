"""Finds the clients that may request a sign-in: registered clients, and clients with a metadata document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from identity.bridge.client import BridgeClient, checked_redirects, shown_name
from identity.bridge.published import PublishedClients, is_document
from identity.seals import Seals
from refusal import Refusal

LONGEST_ID: Final = 2000


@dataclass(frozen=True, slots=True)
class Registered:
    kind: ClassVar[str] = "client"
    seconds: ClassVar[int] = 2 * 365 * 24 * 3600

    name: str
    redirects: Sequence[str]


class Registrations:
    """Registers and finds clients.

    Nothing is stored, because the ID of a registered client is its encrypted registration.
    """

    def __init__(self, seals: Seals, published: PublishedClients) -> None:
        self._seals = seals
        self._published = published

    def register(self, name: str, redirects: Sequence[str]) -> str:
        """Register a client, and return its ID.

        Raises:
            Refusal: The registration is too large, or a redirect URI is not allowed.
        """
        client_id = self._seals.seal(Registered(shown_name(name), checked_redirects(redirects)))
        if len(client_id) > LONGEST_ID:
            raise Refusal("The redirect URIs are too long in total. Register fewer or shorter redirect URIs.")
        return client_id

    def knows(self, client_id: str) -> bool:
        """Whether this is the ID of a registered client, or possibly the URL of a metadata document.

        The metadata document of a client is not read here, because the client's code or token proves that the client
        existed.
        """
        return is_document(client_id) or self._seals.open(Registered, client_id) is not None

    async def find(self, client_id: str, asker: str) -> BridgeClient:
        """Find a client. `asker` is the requester's network, which has a rate limit."""
        if is_document(client_id):
            return await self._published.find(client_id, asker)
        registered = self._seals.open(Registered, client_id)
        if registered is None:
            raise Refusal(
                "This client is not registered here, or its registration has expired. Remove the server from the client"
                " and add it again."
            )
        return BridgeClient(client_id, registered.name, registered.redirects)
