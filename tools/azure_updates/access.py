"""Gives the Azure updates tools access to updates, exports and reports."""

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


# The rate limit of exports. A program that polls for updates needs an export only a few times a day.
_EXPORTS_A_MINUTE: Final = 30


@dataclass(frozen=True)
class UpdatesAccess:
    """The updates, and the personal links with which programs read updates."""

    library: UpdatesLibrary
    addresses: PersonalAddresses
    # Stored reports, each of which only one user can read.
    reports: KeptReports
    # The operator's notice, shown above all content.
    notice: str = ""
    export_limit: RateLimit = field(default_factory=lambda: RateLimit("reader", _EXPORTS_A_MINUTE))

    @cached_property
    def exports(self) -> Exports:
        """The exports of updates as files. Exports are created on first use, because few processes need them."""
        from updates.showing.exports import Exports

        return Exports(self.notice)
