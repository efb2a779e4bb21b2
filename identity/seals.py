"""Encrypts state that clients and browsers store for this server. In this project, encrypted state is called sealed."""

from __future__ import annotations

import json
import os
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import astuple
from hashlib import sha256
from time import time
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM


NONCE_LENGTH: Final = 12
LONGEST: Final = 16 * 1024  # the maximum length of a sealed text


class Sealable(Protocol):
    """A dataclass whose fields are strings and numbers, so that it can be sealed.

    `kind` prevents a sealed object from being opened as another class. Sealed objects expire.
    """

    kind: ClassVar[str]
    seconds: ClassVar[int]


S = TypeVar("S", bound=Sealable)


class Seals:
    """Seals and opens state.

    State is sealed with the first secret and can be opened with each of the secrets, so that operators can rotate
    secrets.
    """

    def __init__(
        self, secrets: Sequence[str], clock: Callable[[], float] = time, purpose: str = "sign-in bridge 1"
    ) -> None:
        if not secrets:
            raise ValueError("Sealing requires a secret.")
        self._ciphers = [_cipher(secret, purpose) for secret in secrets]
        self._clock = clock

    def seal(self, value: Sealable) -> str:
        # Compress the state, because identity providers issue long codes that compress well.
        fields = [int(self._clock()) + value.seconds, *astuple(value)]  # type: ignore[call-overload]  # a dataclass
        content = zlib.compress(json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode(), 9)
        nonce = os.urandom(NONCE_LENGTH)
        return encoded(nonce + self._ciphers[0].encrypt(nonce, content, value.kind.encode()))

    def open(self, as_a: type[S], text: str) -> S | None:
        """Decrypt an object. Return None if it has expired, has another kind, or was not sealed by this server."""
        from cryptography.exceptions import InvalidTag

        raw = _decoded(text)
        for cipher in self._ciphers:
            try:
                content = cipher.decrypt(raw[:NONCE_LENGTH], raw[NONCE_LENGTH:], as_a.kind.encode())
            except (InvalidTag, ValueError):
                continue
            expiry, *fields = json.loads(zlib.decompress(content))
            return as_a(*fields) if self._clock() < expiry else None
        return None


def encoded(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


def fingerprint(*texts: str) -> str:
    """A short digest of several texts."""
    return encoded(sha256(json.dumps(texts).encode()).digest()[:16])


def _decoded(text: str) -> bytes:
    if len(text) > LONGEST:
        return b""
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return b""
    return raw if encoded(raw) == text else b""  # reject other encodings of the same bytes


def _cipher(secret: str, purpose: str) -> AESGCM:
    # A separate key for each purpose is derived from the secret, so text that was sealed for one purpose cannot be
    # opened for another.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.encode()).derive(secret.encode()))
