"""Salted hashes of secrets. With these hashes, the server can check whether a later call contains the same secrets.

Each hash is expensive to compute, so that people who can read the storage cannot guess weak secrets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from hashlib import scrypt
from hmac import compare_digest
from secrets import token_hex
from typing import Any, Final

from pydantic_core import to_json

_BETWEEN: Final = ":"
COST: Final = 2**14
_BLOCKS: Final = 8


async def sealed(secrets: Mapping[str, Any]) -> str:
    """Hash these secrets with a new salt. Return an empty string if there are no secrets."""
    return await _hashed(secrets, token_hex(16)) if secrets else ""


async def seals(seal: str, secrets: Mapping[str, Any]) -> bool:
    """Whether the hash matches these secrets."""
    if not secrets:
        return not seal
    return compare_digest(seal, await _hashed(secrets, seal.partition(_BETWEEN)[0]))


async def _hashed(secrets: Mapping[str, Any], salt: str) -> str:
    content = to_json(sorted(secrets.items()))
    # Use a thread, because a hash takes tens of milliseconds by design.
    made = await asyncio.to_thread(scrypt, content, salt=salt.encode(), n=COST, r=_BLOCKS, p=1)
    return f"{salt}{_BETWEEN}{made.hex()}"
