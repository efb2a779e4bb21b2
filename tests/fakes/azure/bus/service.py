"""The messages of the invented Service Bus: browsed over AMQP, and neither delivered nor locked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from aiohttp import web

from tests.fakes.azure.bus.link import Ask, Link, RefusedError, Told
from tests.fakes.azure.bus.values import Described, Symbol, UByte, UInt, written
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.people import OWNER, People

_PATH: Final = re.compile(r"/bus/([^/]+)/\$servicebus/websocket")
_DEAD_LETTERS: Final = "/$deadletterqueue"
_PEEK: Final = "com.microsoft:peek-message"


@dataclass
class Message:
    text: str | bytes
    number: int = 0
    deliveries: int = 0
    properties: dict[str, Any] = field(default_factory=dict)
    subject: str | None = None
    enqueued: datetime = datetime(2026, 11, 22, 8, tzinfo=UTC)

    @property
    def encoded(self) -> bytes:
        body = self.text if isinstance(self.text, bytes) else self.text.encode()
        annotations = {Symbol("x-opt-sequence-number"): self.number, Symbol("x-opt-enqueued-time"): self.enqueued}
        header = [True, UByte(4), UInt(int(timedelta(days=14).total_seconds() * 1000)), None, UInt(self.deliveries)]
        about = [f"message-{self.number}", None, None, self.subject]
        sections = ((0x70, header), (0x72, annotations), (0x73, about), (0x74, self.properties), (0x75, body))
        return b"".join(written(Described(code, value)) for code, value in sections)


@dataclass
class Bus:
    """`receivers` have the role 'Azure Service Bus Data Receiver'; `links` are the connections that were made."""

    estate: Estate
    people: People
    receivers: set[str] = field(default_factory=lambda: {OWNER.id})
    # By namespace and path: `oven-bus/orders/$deadletterqueue`.
    messages: dict[str, list[Message]] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    asked: list[Ask] = field(default_factory=list)
    # Instead of what is asked for.
    trouble: Told | None = None

    def put(self, place: str, *texts: str | bytes, **about: Any) -> None:
        """Let messages wait at `oven-bus/orders`, or, with `/$deadletterqueue`, lie there dead."""
        there = self.messages.setdefault(place.lower(), [])
        for text in texts:
            there.append(Message(text, len(there) + 1, **about))

    def namespaces(self) -> Iterator[Resource]:
        found = self.estate.resources.values()
        return (one for one in found if one.type == "Microsoft.ServiceBus/namespaces")

    def serve_at(self, url: str) -> None:
        for one in self.namespaces():
            one.properties["serviceBusEndpoint"] = f"{url}/bus/{one.document['name']}"

    @staticmethod
    def meant(path: str) -> str:
        """The namespace whose messages somebody wants to see."""
        found = _PATH.fullmatch(path)
        return found[1] if found else ""

    async def converse(self, request: web.BaseRequest, namespace: str) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(protocols=["AMQPWSB10"])
        await socket.prepare(request)
        talk = _Conversation(self, namespace)
        link = Link(socket, talk.answer, talk.attach)
        self.links.append(link)
        await link.hold()
        return socket


@dataclass
class _Conversation:
    bus: Bus
    namespace: str
    may_read: bool = False

    def attach(self, node: str) -> None:
        if node == "$cbs" or node.endswith("$management"):
            return
        if not self.may_read:
            raise RefusedError(
                "amqp:unauthorized-access", f"Unauthorized access. 'Listen' claim(s) are required: {node}."
            )
        entity = self._entity(node)
        if entity is None:
            raise RefusedError("amqp:not-found", f"The messaging entity '{self.namespace}/{node}' could not be found.")
        if entity.properties.get("requiresSession") and not node.lower().endswith(_DEAD_LETTERS):
            raise RefusedError("amqp:not-allowed", "It is not possible to create a receiver without a session.")

    def _entity(self, node: str) -> Resource | None:
        path = node.lower().removesuffix(_DEAD_LETTERS)
        place = f"/topics/{path}" if "/subscriptions/" in path else f"/queues/{path}"
        namespace = next((one for one in self.bus.namespaces() if one.document["name"] == self.namespace), None)
        return self.bus.estate.resources.get(f"{namespace.id}{place}".lower()) if namespace else None

    def answer(self, ask: Ask) -> Told:
        self.bus.asked.append(ask)
        if ask.node == "$cbs":
            return self._signed_in(str(ask.value))
        if self.bus.trouble:
            return self.bus.trouble
        if ask.properties.get("operation") != _PEEK:
            return Told(400, "This operation is not known.", "amqp:not-implemented")
        return self._peeked(ask)

    def _signed_in(self, token: str) -> Told:
        found = self.bus.people.of(token)
        if found is None:
            return Told(401, "InvalidSignature: The token has an invalid signature.")
        self.may_read = found[0].id in self.bus.receivers
        return Told(202, "Accepted")

    def _peeked(self, ask: Ask) -> Told:
        place = f"{self.namespace}/{ask.node.removesuffix('/$management')}".lower()
        first, most = ask.value["from-sequence-number"], ask.value["message-count"]
        found = [one for one in self.bus.messages.get(place, []) if one.number >= first][:most]
        if not found:
            return Told(204, "No messages.")
        return Told(200, "OK", value={"messages": [{"message": one.encoded} for one in found]})
