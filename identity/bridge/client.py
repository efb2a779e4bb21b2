"""A client that requests a sign-in through the bridge."""

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
    """A client of the bridge.

    `publisher` is the host of the client's metadata document, if any. The client's `name` is not verified.
    """

    id: str
    name: str
    redirects: Sequence[str]
    publisher: str | None = None

    @property
    def print(self) -> str:
        return fingerprint(self.id)

    def redirect(self, asked: str) -> str:
        """Return the redirect URI for a sign-in.

        Raises:
            Refusal: The redirect URI is missing or not registered.
        """
        if not matching(self.redirects, checked_redirect(asked)):
            raise Refusal("The redirect URI is not registered for this client.")
        return asked


def checked_redirects(redirects: Sequence[str]) -> Sequence[str]:
    """Check the redirect URIs that a client registers.

    Raises:
        Refusal: There are too many redirect URIs, or one of them is not allowed.
    """
    if not 0 < len(redirects) <= MOST_REDIRECTS:
        raise Refusal(f"A client must have 1 to {MOST_REDIRECTS} redirect URIs.")
    return [checked_redirect(uri) for uri in redirects]


def shown_name(name: str) -> str:
    # Remove invisible characters, because some of them reverse the text around them.
    return without_invisible(name).replace("\n", "").strip()[:LONGEST_NAME] or "A client without a name"
