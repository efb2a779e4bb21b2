"""Reads secrets for extensions from the app's key vault, with the app's own identity.

The secrets are cached for a few minutes.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from extensions.sign_in.outgoing import Outgoing
from refusal import Refusal

KEPT: Final = 300.0
_VERSION: Final = "7.4"


@dataclass(frozen=True, slots=True)
class _Known:
    value: str = field(repr=False)
    until: float


class SecretVault:
    def __init__(
        self,
        url: str,
        authorization: Callable[[], Awaitable[str]],
        outgoing: Outgoing,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`authorization` returns the app's own credentials for the vault at this URL."""
        self._url = url.rstrip("/")
        self._authorization = authorization
        self._outgoing = outgoing
        self._clock = clock
        self._known: dict[str, _Known] = {}

    async def secret(self, name: str) -> str:
        """Return a secret.

        Raises:
            Refusal: The secret cannot be read, or is not a valid value of a request header.
        """
        known = self._known.get(name)
        if known is None or known.until <= self._clock():
            known = self._known[name] = _Known(await self._read(name), self._clock() + KEPT)
        return known.value

    async def _read(self, name: str) -> str:
        headers = {"Authorization": await self._authorization()}
        # The operator owns the vault, which often has a private address.
        url = f"{self._url}/secrets/{name}?api-version={_VERSION}"
        reply = await self._outgoing.get(url, is_private=True, headers=headers)
        value = reply.document.get("value")
        if reply.status != 200 or not isinstance(value, str):
            raise Refusal(
                f"The secret {name} could not be read from the vault of extensions (status {reply.status}). The secret"
                " must exist, and the app's identity needs the role Key Vault Secrets User on the secret."
            )
        return _checked(name, value)


def _checked(name: str, value: str) -> str:
    if not (value and value.isascii() and value.isprintable()):
        raise Refusal(f"The secret {name} is not valid in a request header: it must be one line of ASCII characters.")
    return value
