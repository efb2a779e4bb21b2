"""Configures notifications: their targets, and how approvers of changes are notified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from clients.storage import Storage
from refusal import Refusal
from settings import NotifySettings, Settings
from tools.provider import NotificationMeans

if TYPE_CHECKING:
    from changes.approvals import Approvals
    from notifying.approvers import Approvers
    from notifying.sending import NotificationSender
    from notifying.targets import NotificationTarget
    from tasks.tasks import Tasks


def places_of(settings: Settings) -> Mapping[str, NotificationTarget]:
    """The channels, by name.

    Raises:
        Refusal: The settings contradict each other.
    """
    told = settings.notify
    places = _named(told) if told.places else {}
    if places and not told.signing_keys:
        raise Refusal("The setting NOTIFY_PLACES requires NOTIFY_SIGNING_KEY, the key that signs notices.")
    if strange := [name for name in told.always if name not in places]:
        raise Refusal(f"The setting NOTIFY_ALWAYS is not valid: NOTIFY_PLACES has no channel {strange[0]!r}.")
    return places


def _named(told: NotifySettings) -> Mapping[str, NotificationTarget]:
    from notifying.targets import places_in  # slow to import, and most servers have no channels

    try:
        return places_in(told.places, told.hosts)
    except Refusal as refusal:
        raise Refusal(f"The setting NOTIFY_PLACES is not valid: {refusal}.") from None


def sender_of(settings: Settings) -> NotificationSender:
    from notifying.sending import NotificationSender

    told = settings.notify
    return NotificationSender(told.hosts, told.signing_keys[0].encode() if told.signing_keys else b"")


def notices_of(settings: Settings) -> NotificationMeans:
    return NotificationMeans(places_of(settings), sender_of(settings))


def approvers_of(
    settings: Settings, approvals: Callable[[], Approvals], tasks: Callable[[], Tasks], storage: Callable[[], Storage]
) -> Approvers:
    from notifying.approvers import Approvers
    from notifying.claims import Claims
    from notifying.notifier import Notifier

    telling = Notifier(places_of(settings), Claims(storage), sender_of(settings))

    def address(origin: str, path: str) -> str:
        return approvals().address(origin, path)

    return Approvers(telling, lambda: approvals().kept(), tasks, settings.notify.before_minutes * 60, address)
