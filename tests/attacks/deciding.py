"""What attacks on the pages of changes must not gain."""

from __future__ import annotations

from typing import Final

from tests.changes.bench import ADA, BRICK, Office

FORM: Final = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
# Where another person has to agree.
CELLAR: Final = "cellar"


async def state_of(house: Office, path: str) -> str:
    found = await house.app.approvals.kept().find(path.rpartition("/")[2])
    assert found is not None
    return found.state


async def nothing_is_done(house: Office, path: str, room: str = CELLAR) -> None:
    assert await state_of(house, path) == "waiting"
    assert "Nothing was done yet" in await house.client(**ADA).told(BRICK, room=room)
