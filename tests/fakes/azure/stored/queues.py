"""Queues, whose messages are looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import unquote
from uuid import uuid4

from clients.azure.storage.xml import parsed
from tests.fakes.azure.stored.asked import Asked, Reply, StorageError, element, written, xml

_MOST_PEEKED: Final = 32
_KEPT: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Message:
    text: str
    inserted: datetime = field(default_factory=lambda: datetime.now(UTC))
    id: str = field(default_factory=lambda: str(uuid4()))
    dequeued: int = 0

    @property
    def shown(self) -> str:
        parts = {
            "MessageId": self.id,
            "InsertionTime": written(self.inserted),
            "ExpirationTime": written(self.inserted + _KEPT),
            "DequeueCount": self.dequeued,
            "MessageText": self.text,
        }
        return f"<QueueMessage>{''.join(element(name, value) for name, value in parts.items())}</QueueMessage>"


class Queues:
    def __init__(self) -> None:
        self.queues: dict[str, list[Message]] = {}

    def add(self, queue: str, *messages: Message) -> None:
        self.queues.setdefault(queue, []).extend(messages)

    def reply(self, asked: Asked) -> Reply:
        queue, _, below = unquote(asked.path).partition("/")
        if not queue:
            return self._of_account(asked)
        if asked.method == "PUT":
            self.queues.setdefault(queue, [])
            return Reply(201)
        if queue not in self.queues:
            raise StorageError(404, "QueueNotFound", "The specified queue does not exist.")
        if below == "messages":
            return self._messages(asked, self.queues[queue])
        return Reply(200, b"", {"x-ms-approximate-messages-count": str(len(self.queues[queue]))})

    def _of_account(self, asked: Asked) -> Reply:
        names = [name for name in sorted(self.queues) if name.startswith(asked.query.get("prefix", ""))]
        names = [name for name in names if name >= asked.query.get("marker", "")]
        end = asked.number("maxresults", 5000)
        entries = "".join(f"<Queue>{element('Name', name)}</Queue>" for name in names[:end])
        following = element("NextMarker", names[end] if end < len(names) else "")
        return xml(f"<EnumerationResults><Queues>{entries}</Queues>{following}</EnumerationResults>")

    def _messages(self, asked: Asked, messages: list[Message]) -> Reply:
        if asked.method == "POST":
            messages.append(Message(parsed(asked.content).findtext("MessageText") or ""))
            return Reply(201)
        if asked.query.get("peekonly") != "true":
            raise StorageError(403, "AuthorizationPermissionMismatch", "This request is not authorized.")
        shown = "".join(message.shown for message in messages[: asked.number("numofmessages", _MOST_PEEKED)])
        return xml(f"<QueueMessagesList>{shown}</QueueMessagesList>")
