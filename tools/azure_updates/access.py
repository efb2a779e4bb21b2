"""How the tools of Azure updates get at them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Final

from identity.limits import RateLimit
from identity.personal_addresses import PersonalAddresses
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from tools.key import Key
from updates.library import UpdatesLibrary

if TYPE_CHECKING:
    from updates.keeping.kept_reports import KeptReports
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


async def updates_of(context: Context) -> UpdatesLibrary:
    # A function that is not asynchronous would be run in a thread, which costs more than all that it does.
    return (await UPDATES.of(context)).library


async def _addresses_of(context: Context) -> PersonalAddresses:
    return (await UPDATES.of(context)).addresses


Updates = Annotated[UpdatesLibrary, Resolve(updates_of)]
Addresses = Annotated[PersonalAddresses, Resolve(_addresses_of)]
