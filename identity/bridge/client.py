"""A client that requests a sign-in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from identity.bridge.redirects import checked_redirect, matching
from identity.seals import fingerprint
from invisible import without_invisible
from refusal import Refusal

LONGEST_NAME: Final = 100
MOST_REDIRECTS: Final = 10


@dataclass(frozen=True, slots=True)
class BridgeClient:
    """`publisher` is the host that vouches for the rest, if any. The client chose its name itself."""

    id: str
    name: str
    redirects: Sequence[str]
    publisher: str = ""

    @property
    def print(self) -> str:
        return fingerprint(self.id)

    def redirect(self, asked: str) -> str:
        """Return the redirect URI.

        Raises:
            Refusal: It is missing or not registered.
        """
        if not matching(self.redirects, checked_redirect(asked)):
            raise Refusal("The redirect URI is not registered for this client.")
        return asked


def checked_redirects(redirects: Sequence[str]) -> Sequence[str]:
    """Raises:
    Refusal: There are too many, or one is not allowed.
    """
    if not 0 < len(redirects) <= MOST_REDIRECTS:
        raise Refusal(f"A client must have 1 to {MOST_REDIRECTS} redirect URIs.")
    return [checked_redirect(uri) for uri in redirects]


def shown_name(name: str) -> str:
    # Invisible characters can reverse surrounding text.
    return without_invisible(name).replace("\n", "").strip()[:LONGEST_NAME] or "A client without a name"
