"""Waiting for a denial."""

from __future__ import annotations

from collections.abc import Awaitable

import pytest

from identity.denial import Denial


async def denied(asked: Awaitable[object]) -> Denial:
    with pytest.raises(Denial) as caught:
        await asked
    return caught.value
