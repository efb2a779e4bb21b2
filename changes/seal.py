"""A seal of secrets: detects whether they are the same without revealing them, even to readers of the storage.

Each has its own salt and takes time and memory to compute, so that guessing a weak secret is expensive.
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
_COST: Final = 2**14
_BLOCKS: Final = 8


async def sealed(secrets: Mapping[str, Any]) -> str:
    """A new seal of these; empty for none."""
    return await _made(secrets, token_hex(16)) if secrets else ""


async def seals(seal: str, secrets: Mapping[str, Any]) -> bool:
    """Whether a seal matches these."""
    if not seal or not secrets:
        return not seal and not secrets
    return compare_digest(seal, await _made(secrets, seal.partition(_BETWEEN)[0]))


async def _made(secrets: Mapping[str, Any], salt: str) -> str:
    content = to_json(sorted(secrets.items()))
    # In a thread, because it takes tens of milliseconds by design.
    made = await asyncio.to_thread(scrypt, content, salt=salt.encode(), n=_COST, r=_BLOCKS, p=1)
    return f"{salt}{_BETWEEN}{made.hex()}"
