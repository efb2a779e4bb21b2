"""Checks and converts settings for the tools that change Service Bus entities."""

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
    """The settings of a queue, topic or subscription. An empty string ends forwarding."""

    model_config = ConfigDict(extra="forbid")

    lock: Duration | None = Field(None, description="Up to PT5M")
    most_deliveries: Annotated[int, Field(ge=1, le=2000)] | None = None
    time_to_live: Duration | None = None
    deleted_when_idle: Duration | None = None
    dead_letters_expired: bool | None = None
    forwards_to: Forward | None = None
    forwards_dead_letters_to: Forward | None = None
    most_megabytes: Annotated[int, Field(ge=1, le=81920)] | None = None
    duplicates_within: Duration | None = None
    status: Literal["Active", "Disabled", "SendDisabled", "ReceiveDisabled"] | None = None
    sessions: bool | None = Field(
        None, description="Can only be set at creation, like detects_duplicates and partitioned"
    )
    detects_duplicates: bool | None = None
    partitioned: bool | None = None


Given = Annotated[EntitySettings | None, Field(description="Durations in ISO 8601, e.g. P14D")]

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
# Settings that are written back unchanged, because Service Bus resets omitted settings to their defaults.
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
    """Return the values to set, by their names in Service Bus. A value of None resets a setting.

    Raises:
        Refusal: A setting does not exist for this kind of entity, or can only be set at creation.
    """
    values = given.model_dump(exclude_none=True) if given else {}
    if stray := sorted(values.keys() & _NOT_FOR[kind]):
        raise Refusal(f"A {kind} does not support {', '.join(stray)}.")
    if not is_new and (fixed := sorted(values.keys() & _FIXED)):
        raise Refusal(f"{', '.join(fixed)} can only be set when a {kind} is created. Delete and recreate the {kind}.")
    return {_CALLED[name]: value if value != "" else None for name, value in values.items()}


def settings_of(before: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any] | None:
    """Return the values of these settings as arguments of a tool call, or None if some values are not valid
    arguments.
    """
    called = {own: name for name, own in _CALLED.items()}
    values = {called[own]: before.get(own, "" if own.startswith("forward") else None) for own in names}
    try:
        EntitySettings.model_validate(values)
    except ValidationError:
        return None
    return None if None in values.values() else values


def merged(found: Entity, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Merge changes into an entity's current settings, because each request must contain all settings."""
    own = {name: one for name, one in found.properties.items() if name in _KEPT or name in _CALLED.values()}
    refuse_withheld(own)
    return {name: one for name, one in {**own, **changes}.items() if one is not None}


def edits(before: Mapping[str, Any], changes: Mapping[str, Any]) -> list[Edit]:
    names = {own: name for name, own in _CALLED.items()}
    edits = [Edit(names[own], at(before, own), one) for own, one in changes.items() if at(before, own) != one]
    return sorted(edits, key=lambda one: one.path)
