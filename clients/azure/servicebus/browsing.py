"""Peeks at messages in a queue or subscription of Service Bus.

The messages stay in the queue or subscription for their receivers.

Peeking requires AMQP, because reading a message over HTTP locks it and counts as a delivery. AMQP runs over a
WebSocket, because many networks block the AMQP port. The AMQP link has no credit, so Service Bus does not deliver
messages. This module is imported on first use, because importing it is slow.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from azure.core.credentials import AccessToken
from azure.core.credentials_async import AsyncTokenCredential
from azure.servicebus import ServiceBusReceivedMessage, ServiceBusSubQueue, TransportType, exceptions
from azure.servicebus.aio import ServiceBusClient, ServiceBusReceiver

from clients.azure.client import Azure
from clients.azure.cloud import Service
from clients.azure.ids import ResourceId
from clients.azure.named import Record
from clients.azure.servicebus.entities import Entity
from refusal import Refusal

__all__ = ["MessageSource", "ServiceBusReceivedMessage", "peeked"]

_SECONDS: Final = 20.0
# A token is valid for ten minutes, which is long enough for one call.
_SECONDS_OF_A_TOKEN: Final = 600
_NOT_PERMITTED: Final = (exceptions.ServiceBusAuthorizationError, exceptions.ServiceBusAuthenticationError)
_GONE: Final = (exceptions.MessagingEntityNotFoundError, exceptions.MessagingEntityDisabledError)
_BUSY: Final = (exceptions.ServiceBusServerBusyError, exceptions.ServiceBusQuotaExceededError)


@dataclass(frozen=True, slots=True)
class MessageSource:
    """The source of messages in a namespace: a queue, a subscription, or the dead-letter queue of one of these."""

    namespace: Record
    entity: Entity
    of_dead_letters: bool = False

    @property
    def name(self) -> str:
        return f"{self.namespace.get('name')}/{self.entity.path}"

    def service(self, azure: Azure) -> Service:
        properties = self.namespace.get("properties")
        address = properties.get("serviceBusEndpoint") if isinstance(properties, dict) else None
        return azure.cloud.bus(str(address or ""), ResourceId.of(str(self.namespace.get("id"))))


class _Token(AsyncTokenCredential):
    """A credential that always returns the caller's token."""

    def __init__(self, token: str) -> None:
        self._token = AccessToken(token, int(time.time()) + _SECONDS_OF_A_TOKEN)

    async def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        return self._token

    async def close(self) -> None:
        """Do nothing, because this credential has no connection to close."""

    async def __aexit__(self, *_raised: object) -> None:
        """Do nothing, because this credential has no connection to close."""


async def peeked(azure: Azure, place: MessageSource, beginning: int, limit: int) -> list[ServiceBusReceivedMessage]:
    """Peek at messages, starting at a sequence number. The messages are not changed.

    Raises:
        Refusal: The messages cannot be read. The error message says why, and which role is required.
    """
    service = place.service(azure)
    token = _Token(await azure.token(service))
    try:
        async with _client(service, token) as client, _receiver(client, place) as receiver:
            return await receiver.peek_messages(limit, sequence_number=beginning, timeout=_SECONDS)
    except (exceptions.ServiceBusError, OSError) as error:
        raise _refusal(error, place) from error


def _client(service: Service, token: _Token) -> ServiceBusClient:
    parts = urlsplit(service.base_url)
    options: dict[str, Any] = {"retry_total": 1, "retry_backoff_max": 2}
    if parts.scheme != "https":  # only emulators use http
        options |= {"custom_endpoint_address": f"sb://{parts.netloc}{parts.path}", "use_tls": False}
    return ServiceBusClient(parts.hostname or "", token, transport_type=TransportType.AmqpOverWebsocket, **options)


def _receiver(client: ServiceBusClient, place: MessageSource) -> ServiceBusReceiver:
    entity, part = place.entity, ServiceBusSubQueue.DEAD_LETTER if place.of_dead_letters else None
    if entity.kind == "queue":
        return client.get_queue_receiver(entity.path, sub_queue=part)
    return client.get_subscription_receiver(entity.topic, entity.name, sub_queue=part)


def _refusal(error: Exception, place: MessageSource) -> Refusal:
    if isinstance(error, _NOT_PERMITTED):
        return Refusal(
            f"You do not have permission to read {place.name}. Reading messages requires the role 'Azure Service"
            " Bus Data Receiver' on the namespace, even for owners and contributors. If you are eligible for"
            " this role, activate it in Privileged Identity Management; otherwise ask an administrator."
        )
    if isinstance(error, _GONE):
        return Refusal(f"Service Bus cannot read {place.name}: it does not exist or is disabled.")
    if isinstance(error, _BUSY):
        return Refusal("Service Bus is throttling requests. Try again in ten seconds.")
    return Refusal(
        f"The messages of {place.name} could not be read. If the namespace's firewall or a private endpoint blocks"
        " this server, you can still read message counts. Otherwise, try again."
    )
