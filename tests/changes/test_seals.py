"""A seal tells whether secrets are the same, and not what they are."""

from __future__ import annotations

from hashlib import scrypt
from typing import Any

import pytest

from changes.seal import COST, sealed, seals

SECRETS: dict[str, Any] = {"key": "marked", "more": {"a": 1}}


async def test_a_seal_is_of_its_secrets_alone() -> None:
    seal = await sealed(SECRETS)
    assert await seals(seal, dict(reversed(SECRETS.items())))
    for others in ({**SECRETS, "key": "other"}, {"key": "marked"}, {**SECRETS, "third": ""}, {}):
        assert not await seals(seal, others)
    assert not await seals("", SECRETS)


async def test_no_secrets_have_no_seal() -> None:
    assert await sealed({}) == ""
    assert await seals("", {})


async def test_a_seal_is_salted_and_dear_to_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("changes.seal.COST", COST)
    salt, _, made = (await sealed(SECRETS)).partition(":")
    assert len(salt) == 32
    content = b'[["key","marked"],["more",{"a":1}]]'
    assert made == scrypt(content, salt=salt.encode(), n=2**14, r=8, p=1).hex()
