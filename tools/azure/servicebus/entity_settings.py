"""What the tools that change Service Bus share: what may be set, and how it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from changes.preview import Edit
from clients.azure.servicebus.entities import Entity
from clients.azure.whole import refuse_withheld
from refusal import Refusal
from tools.azure.shared.answers import at

_DURATION: Final = r"^P(\d+D|(\d+D)?T\d+[HMS](\d+[MS])?(\d+S)?)$"

Duration = Annotated[str, Field(pattern=_DURATION, max_length=40)]
NewName = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._/-]{0,258}[A-Za-z0-9])?$", description="Its name")]
Kind = Literal["queue", "topic"]
Forward = Annotated[str, Field(max_length=260, pattern=r"^[A-Za-z0-9._/-]*$")]


class EntitySettings(BaseModel):
    """What may be said of a queue, a topic or a subscription. An empty text ends a forwarding."""

    model_config = ConfigDict(extra="forbid")

    lock: Duration | None = Field(None, description="PT5M at most")
    most_deliveries: Annotated[int, Field(ge=1, le=2000)] | None = None
    time_to_live: Duration | None = None
    deleted_when_idle: Duration | None = None
    dead_letters_expired: bool | None = None
    forwards_to: Forward | None = None
    forwards_dead_letters_to: Forward | None = None
    most_megabytes: Annotated[int, Field(ge=1, le=81920)] | None = None
    duplicates_within: Duration | None = None
    status: Literal["Active", "Disabled", "SendDisabled", "ReceiveDisabled"] | None = None
    sessions: bool | None = Field(None, description="Only when made, as the next two")
    detects_duplicates: bool | None = None
    partitioned: bool | None = None


Given = Annotated[EntitySettings | None, Field(description="ISO 8601 durations, as P14D")]

_CALLED: Final[Mapping[str, str]] = {
    "lock": "lockDuration",
    "most_deliveries": "maxDeliveryCount",
    "time_to_live": "defaultMessageTimeToLive",
    "deleted_when_idle": "autoDeleteOnIdle",
    "dead_letters_expired": "deadLetteringOnMessageExpiration",
    "forwards_to": "forwardTo",
    "forwards_dead_letters_to": "forwardDeadLetteredMessagesTo",
    "most_megabytes": "maxSizeInMegabytes",
    "duplicates_within": "duplicateDetectionHistoryTimeWindow",
    "status": "status",
    "sessions": "requiresSession",
    "detects_duplicates": "requiresDuplicateDetection",
    "partitioned": "enablePartitioning",
}
_OF_RECEIVING: Final = frozenset(
    {"lock", "most_deliveries", "dead_letters_expired", "forwards_to", "forwards_dead_letters_to", "sessions"}
)
_OF_STORING: Final = frozenset({"most_megabytes", "duplicates_within", "detects_duplicates", "partitioned"})
_NOT_FOR: Final[Mapping[str, frozenset[str]]] = {
    "queue": frozenset(),
    "topic": _OF_RECEIVING,
    "subscription": _OF_STORING,
}
_FIXED: Final = frozenset({"sessions", "detects_duplicates", "partitioned"})
# What else is written back as it was: Service Bus sets what is left out to what is usual.
_KEPT: Final = frozenset(
    {
        "maxMessageSizeInKilobytes",
        "enableBatchedOperations",
        "enableExpress",
        "supportOrdering",
        "deadLetteringOnFilterEvaluationExceptions",
        "isClientAffine",
        "clientAffineProperties",
    }
)


def wanted(kind: str, given: EntitySettings | None, *, is_new: bool) -> dict[str, Any]:
    """What is to be set, as Service Bus calls it; nothing stands for what is to end.

    Raises:
        Refusal: Something of it is not for this kind, or stays as it was made.
    """
    told = given.model_dump(exclude_none=True) if given else {}
    if stray := sorted(told.keys() & _NOT_FOR[kind]):
        raise Refusal(f"A {kind} has no {', '.join(stray)}.")
    if not is_new and (fixed := sorted(told.keys() & _FIXED)):
        raise Refusal(f"{', '.join(fixed)} can be said only when a {kind} is made. Delete it and make it anew.")
    return {_CALLED[name]: value if value != "" else None for name, value in told.items()}


def settings_of(before: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any] | None:
    """The values of these settings as a caller gives them; nothing where one is none that a caller can give."""
    called = {own: name for name, own in _CALLED.items()}
    told = {called[own]: before.get(own, "" if own.startswith("forward") else None) for own in names}
    try:
        EntitySettings.model_validate(told)
    except ValidationError:
        return None
    return None if None in told.values() else told


def merged(found: Entity, changes: Mapping[str, Any]) -> dict[str, Any]:
    """All that is written where only a part of it is to change."""
    own = {name: one for name, one in found.properties.items() if name in _KEPT or name in _CALLED.values()}
    refuse_withheld(own)
    return {name: one for name, one in {**own, **changes}.items() if one is not None}


def edits(before: Mapping[str, Any], changes: Mapping[str, Any]) -> list[Edit]:
    names = {own: name for name, own in _CALLED.items()}
    told = [Edit(names[own], at(before, own), one) for own, one in changes.items() if at(before, own) != one]
    return sorted(told, key=lambda one: one.path)
