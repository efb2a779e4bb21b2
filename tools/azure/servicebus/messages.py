"""Peeks at Service Bus messages and dead letters, without removing them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

from clients.azure.ids import ResourceId
from clients.azure.servicebus.entities import Entity, entity_called, namespace_called
from clients.azure.withholding import withheld
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.servicebus.entity_parameters import OF_ENTITY, EntityName, NamespaceName, TopicSubscription
from tools.azure.shared.answers import Json, every, present
from tools.azure.shared.parameters import Subscription

if TYPE_CHECKING:
    from clients.azure.servicebus.browsing import ServiceBusReceivedMessage

part = Part()

# The maximum total length of the texts in an answer.
_MOST_LETTERS: Final = 12_000
# The maximum length of one text.
_LONGEST_TEXT: Final = 2000
_LONGEST_VALUE: Final = 300
_MOST_PROPERTIES: Final = 20

DeadLetters = Annotated[bool, Field(description="Dead letters instead")]
Beginning = Annotated[int, Field(ge=1, description="First sequence number; `next` of the last answer continues")]
MostMessages = Annotated[int, Field(ge=1, le=32, description="Maximum messages")]


@part.tool(Access.READ, harmless=(*OF_ENTITY, "dead_letters"))
async def peek_servicebus_messages(
    azure: Arm,
    namespace: NamespaceName,
    entity: EntityName,
    topic_subscription: TopicSubscription = None,
    dead_letters: DeadLetters = False,
    beginning: Beginning = 1,
    max_results: MostMessages = 5,
    subscription: Subscription = None,
) -> Json:
    """Peek at the messages of a queue or subscription, or at its dead letters with the reasons for failure.

    Does not remove or lock messages.
    """
    bus = await namespace_called(azure, namespace, subscription)
    found = await entity_called(azure, ResourceId.of(str(bus.get("id"))), entity, topic_subscription)
    _check(found, of_dead_letters=dead_letters)
    if found.is_counted and not _there_are(found, of_dead_letters=dead_letters):
        return every([], waiting=0)
    from clients.azure.servicebus.browsing import MessageSource, peeked  # noqa: PLC0415 - few calls read messages

    messages = await peeked(azure, MessageSource(bus, found, dead_letters), beginning, max_results)
    longest = min(_LONGEST_TEXT, _MOST_LETTERS // max(1, len(messages)))
    following = (messages[-1].sequence_number or 0) + 1 if len(messages) >= max_results else None
    shown = [_entry(one, longest) for one in messages]
    return every(shown, waiting=_there_are(found, of_dead_letters=dead_letters), next=following)


def _check(found: Entity, *, of_dead_letters: bool) -> None:
    if found.kind == "topic":
        raise Refusal("Messages of a topic are in its subscriptions. Pass `topic_subscription`.")
    if found.properties.get("requiresSession") and not of_dead_letters:
        raise Refusal(
            f"{found.path} uses sessions: reading messages would lock a session, which blocks other receivers. This"
            " tool can show only the dead letters. To read messages, use Service Bus Explorer in the portal."
        )


def _there_are(found: Entity, *, of_dead_letters: bool) -> int:
    counts = found.counts
    return counts["deadLetter"] if of_dead_letters else counts["active"] + counts["scheduled"]


def _entry(message: ServiceBusReceivedMessage, longest: int) -> Json:
    text, size = _text(message, longest)
    return present(
        {
            "sequence_number": message.sequence_number,
            "id": message.message_id,
            "enqueued": _moment(message.enqueued_time_utc),
            "expires": _moment(message.expires_at_utc),
            "scheduled": _moment(message.scheduled_enqueue_time_utc),
            "deliveries": message.delivery_count,
            "reason": message.dead_letter_reason,
            "description": _short(message.dead_letter_error_description),
            "came_from": message.dead_letter_source,
            "subject": message.subject,
            "correlation_id": message.correlation_id,
            "session_id": message.session_id,
            "content_type": message.content_type,
            "properties": _properties(message.application_properties),
            "text": text,
            "cut": f"of {size} characters" if size > longest else None,
        }
    )


def _text(message: ServiceBusReceivedMessage, longest: int) -> tuple[str, int]:
    """Return the body of a message if it is text. Anything that looks like a secret is removed."""
    body = _body(message)
    if isinstance(body, bytes):
        try:
            plain = body.decode("utf-8-sig")
        except UnicodeDecodeError:
            return f"[{len(body)} bytes, not text]", 0
    else:
        plain = body if isinstance(body, str) else json.dumps(body, default=_spelled)
    text: str = withheld(plain)
    return text[:longest], len(text)


def _body(message: ServiceBusReceivedMessage) -> Any:
    """Return the body of a message. If the body consists of several byte strings, join them."""
    body: Any = message.body
    if not isinstance(body, Iterable) or isinstance(body, str | bytes | Mapping):
        return body
    parts = list(body)
    return b"".join(parts) if all(isinstance(one, bytes) for one in parts) else parts


def _properties(found: Mapping[Any, Any] | None) -> Json:
    # For dead letters, these properties are shown separately.
    own = {_spelled(name): _spelled(value) for name, value in (found or {}).items()}
    rest = [(name, value) for name, value in own.items() if not name.startswith("DeadLetter")][:_MOST_PROPERTIES]
    kept: Json = withheld(dict(rest))
    return {name: _short(value) for name, value in kept.items()}


def _spelled(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _short(text: str | None) -> str | None:
    plain = withheld(text) if text else text
    return plain[:_LONGEST_VALUE] if plain else None


def _moment(time: datetime | None) -> str | None:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ") if time else None
