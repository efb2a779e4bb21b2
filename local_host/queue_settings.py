"""Reads the queue settings in host.json."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Final, Self

from local_host.cannot_start import CannotStartError
from local_host.timers import time_span

# If a host is killed, its message stays invisible for this many seconds, as in Azure.
_SECONDS_UNSEEN: Final = 600.0
# The setting that overrides this number of seconds, for tests that kill the host.
SETTING: Final = "LOCAL_HOST_QUEUE_SECONDS_UNSEEN"
_LARGEST_BATCH: Final = 32
_ENCODINGS: Final = {"base64": True, "none": False}


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """The queue settings in host.json. Missing settings have the default values of the platform."""

    batch: int
    threshold: int
    longest_pause: float
    seconds_after_failure: float
    most_tries: int
    is_encoded: bool
    seconds_unseen: float

    @classmethod
    def of(cls, queues: Mapping[str, Any]) -> Self:
        """Parse `extensions.queues` of host.json, and reject the values that the platform would reject."""
        batch = _whole(queues, "batchSize", 16, 1, _LARGEST_BATCH)
        return cls(
            batch,
            _whole(queues, "newBatchThreshold", batch // 2, 0),
            _seconds(queues, "maxPollingInterval", "00:01:00"),
            _seconds(queues, "visibilityTimeout", "00:00:00"),
            _whole(queues, "maxDequeueCount", 5, 1),
            _is_encoded(queues.get("messageEncoding", "base64")),
            _seconds_unseen(os.environ.get(SETTING, "")),
        )


def _whole(queues: Mapping[str, Any], name: str, default: int, least: int, most: float = inf) -> int:
    value = queues.get(name, default)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    span = f"from {least} to {most}" if most < inf else f"of {least} or more"
    raise CannotStartError(f"{name} under queues in host.json must be a whole number {span}, not {value!r}.")


def _seconds(queues: Mapping[str, Any], name: str, default: str) -> float:
    value = queues.get(name, default)
    found = time_span(str(value))
    if found is None:
        raise CannotStartError(
            f"{name} under queues in host.json must be a time span such as '00:01:00', not {value!r}."
        )
    return found.total_seconds()


def _is_encoded(value: object) -> bool:
    try:
        return _ENCODINGS[str(value).lower()]
    except KeyError:
        raise CannotStartError(
            f"messageEncoding under queues in host.json must be base64 or none, not {value!r}."
        ) from None


def _seconds_unseen(value: str) -> float:
    if not value:
        return _SECONDS_UNSEEN
    # In Azure, a message can stay invisible for at most a week.
    if value.isdecimal() and 1 <= int(value) <= 7 * 86400:
        return float(value)
    raise CannotStartError(f"{SETTING} must be a number of seconds from 1 to 604800.")
