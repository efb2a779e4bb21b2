"""Functions that run for each message in a queue."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from local_host.queue_settings import QueueSettings
from local_host.timers import expanded

# Runs the function with a message and its metadata. Returns whether the function succeeded.
Invoke = Callable[[str, Mapping[str, str]], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class QueueTrigger:
    """A function that runs for each message in a queue."""

    name: str
    queue: str
    connection: str
    invoke: Invoke
    settings: QueueSettings

    @classmethod
    def of(cls, name: str, trigger: Mapping[str, Any], invoke: Invoke, settings: QueueSettings) -> Self:
        connection = str(trigger.get("connection") or "AzureWebJobsStorage")
        return cls(name, expanded(str(trigger["queueName"])), connection, invoke, settings)

    @property
    def is_connected(self) -> bool:
        """Whether a storage account is configured. Apps that store their data in a folder have no storage account."""
        return bool(os.environ.get(self.connection))
