"""How the tools of Azure updates get at them."""

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
    """The updates, and the addresses under which programs of a person read them."""

    library: UpdatesLibrary
    addresses: PersonalAddresses
    # Reports that were made for one person.
    reports: KeptReports
    # What stands above all that is shown.
    notice: str = ""
    export_limit: RateLimit = field(default_factory=lambda: RateLimit("reader", _EXPORTS_A_MINUTE))

    @cached_property
    def exports(self) -> Exports:
        """The updates as files, which hardly any process is asked for."""
        from updates.showing.exports import Exports

        return Exports(self.notice)
