"""What extensions may do on the host of this server."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from extensions.installing.packages import Packages


@dataclass(frozen=True, slots=True)
class HostTraits:
    """What extensions may do, depending on where this server runs."""

    # If set, extensions that a tool installed may use servers only at these origins. These servers may be in a private
    # network.
    origins: Collection[str] | None = None
    # Set only if this server may start processes.
    packages: Packages | None = None
    # Whether this is the only process. In a single process, calls can wait in memory for an answer from the user.
    holds: bool = False


ANYWHERE: Final = HostTraits()
