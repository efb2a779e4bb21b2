"""Access for the Azure updates tools."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from identity.limits import RateLimit
from tools.key import Key

if TYPE_CHECKING:
    from identity.personal_addresses import PersonalAddresses
    from updates.keeping.kept_reports import KeptReports
    from updates.library import UpdatesLibrary
    from updates.showing.exports import Exports

UPDATES: Final[Key[UpdatesAccess]] = Key("updates")


# A program that follows the updates asks a few times a day.
_EXPORTS_A_MINUTE: Final = 30


@dataclass(frozen=True)
class UpdatesAccess:
    """The updates, and the personal links with which programs read them."""

    library: UpdatesLibrary
    addresses: PersonalAddresses
    # Reports created for one person.
    reports: KeptReports
    # The notice above everything shown.
    notice: str = ""
    export_limit: RateLimit = field(default_factory=lambda: RateLimit("reader", _EXPORTS_A_MINUTE))

    @cached_property
    def exports(self) -> Exports:
        """The updates as files; few processes ever need them."""
        from updates.showing.exports import Exports

        return Exports(self.notice)
