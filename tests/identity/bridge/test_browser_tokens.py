"""The token of someone who signed in with a browser is for that browser and person alone, and while it is valid."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, ClassVar

import pytest

from clients.folder_storage import FolderStorage
from clients.storage import Row, StorageError
from identity.bridge.browser_tokens import BrowserTokens
from identity.caller import Caller, CallerKind
from refusal import Refusal
from tests.fakes.issuer import encoded
from tests.fakes.storages import Clock

pytestmark = pytest.mark.anyio

KEYS = ["a key of at least thirty-two characters"]
PARTITION = "tokens of browsers"


def person(until: float, subject: str = "ada", more: str = "") -> Caller:
    claims = json.dumps({"exp": until}).encode()
    token = f"{encoded(b'{}')}.{encoded(claims)}.{more or 'AA'}"
    return Caller(CallerKind.USER, tenant="home", subject=subject, token=token)


class Away(FolderStorage):
    """A storage that does not answer."""

    async def read_rows(self, partition: str, keys: Collection[str]) -> list[Row]:
        raise StorageError("away")

    async def remove_row(self, partition: str, key: str) -> None:
        raise StorageError("away")

    async def prepare(self) -> None:
        raise StorageError("away")


@pytest.fixture
def clock() -> Clock:
    return Clock()


def browser_tokens(
    folder: Path, clock: Clock, storage: type[FolderStorage] = FolderStorage, **more: Any
) -> BrowserTokens:
    return BrowserTokens(KEYS, lambda: storage(folder), more.get("is_for", lambda _: True), clock)


async def names(folder: Path) -> list[str]:
    return [row.key for row in await FolderStorage(folder).scan(PARTITION, "")]


async def test_a_token_is_for_its_browser_and_its_person(tmp_path: Path, clock: Clock) -> None:
    tokens, ada = browser_tokens(tmp_path, clock), person(clock.now + 600)
    name = await tokens.keep("browser", ada)
    assert await tokens.token(name, "browser", ada) == ada.token
    assert await tokens.token(name, "another", ada) == ""
    assert await tokens.token(name, "browser", replace(ada, subject="grace")) == ""
    assert await tokens.token(name, "browser", replace(ada, tenant="office")) == ""
    assert await tokens.token("", "browser", ada) == ""
    assert await tokens.token(f"{name}x", "browser", ada) == ""


async def test_a_token_is_given_until_it_expires(tmp_path: Path, clock: Clock) -> None:
    tokens, ada = browser_tokens(tmp_path, clock), person(clock.now + 600)
    name = await tokens.keep("browser", ada)
    clock.now += 599
    assert await tokens.token(name, "browser", ada) == ada.token
    clock.now += 1
    assert await tokens.token(name, "browser", ada) == ""


async def test_a_token_is_given_for_an_hour_at_most(tmp_path: Path, clock: Clock) -> None:
    tokens, ada = browser_tokens(tmp_path, clock), person(clock.now + 86400)
    name = await tokens.keep("browser", ada)
    clock.now += 3599
    assert await tokens.token(name, "browser", ada) == ada.token
    clock.now += 1
    assert await tokens.token(name, "browser", ada) == ""


@pytest.mark.parametrize(("seconds", "is_kept"), [(-1, False), (0, False), (1, True)])
async def test_an_expired_token_is_not_kept(tmp_path: Path, clock: Clock, seconds: int, is_kept: bool) -> None:
    tokens, ada = browser_tokens(tmp_path, clock), person(clock.now + seconds)
    assert bool(await tokens.keep("browser", ada)) == is_kept
    assert bool(await names(tmp_path)) == is_kept


@pytest.mark.parametrize(("size", "is_kept"), [(12_000, True), (16_300, False)])
async def test_a_token_that_could_not_be_opened_again_is_not_kept(
    tmp_path: Path, clock: Clock, size: int, is_kept: bool
) -> None:
    tokens, ada = browser_tokens(tmp_path, clock), person(clock.now + 600, more=token_urlsafe(size)[:size])
    name = await tokens.keep("browser", ada)
    assert await tokens.token(name, "browser", ada) == (ada.token if is_kept else "")
    assert len(await names(tmp_path)) == is_kept


async def test_the_longest_token_that_can_be_opened_again_is_kept(tmp_path: Path, clock: Clock) -> None:
    tokens, more, name = browser_tokens(tmp_path, clock), token_urlsafe(16_300), ""
    kept, too_long = 12_000, 16_300
    while too_long - kept > 1:
        size = (kept + too_long) // 2
        ada = person(clock.now + 600, more=more[:size])
        if name := await tokens.keep("browser", ada, instead_of=name):
            kept = size
            (row,) = await FolderStorage(tmp_path).scan(PARTITION, "")
            assert await tokens.token(name, "browser", ada) == ada.token
        else:
            too_long = size
    assert len(row.content) == 16_384


async def test_only_the_tokens_of_people_whose_tokens_are_useful_are_kept(tmp_path: Path, clock: Clock) -> None:
    tokens = browser_tokens(tmp_path, clock, is_for=lambda caller: caller.subject == "ada")
    assert await tokens.keep("browser", person(clock.now + 600)) != ""
    assert await tokens.keep("browser", person(clock.now + 600, "grace")) == ""
    assert len(await names(tmp_path)) == 1


async def test_a_token_takes_the_place_of_the_earlier_one(tmp_path: Path, clock: Clock) -> None:
    tokens, ada = browser_tokens(tmp_path, clock), person(clock.now + 600)
    first = await tokens.keep("browser", ada)
    second = await tokens.keep("browser", ada, instead_of=first)
    assert await names(tmp_path) == [second] != [first]
    await tokens.forget("")
    await tokens.forget(second)
    assert await names(tmp_path) == []


async def test_of_expired_tokens_ten_go_when_one_comes(tmp_path: Path, clock: Clock) -> None:
    tokens = browser_tokens(tmp_path, clock)
    for _ in range(11):
        await tokens.keep("browser", person(clock.now + 600))
    clock.now += 599
    await tokens.keep("browser", person(clock.now + 600))
    assert len(await names(tmp_path)) == 12
    clock.now += 1
    await tokens.keep("browser", person(clock.now + 600))
    assert len(await names(tmp_path)) == 3


class Closing(FolderStorage):
    """Notes which storages were opened and closed."""

    noted: ClassVar[list[str]] = []

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.noted.append("opened")

    async def close(self) -> None:
        self.noted.append("closed")


async def test_the_storage_is_closed_if_it_was_opened(tmp_path: Path, clock: Clock) -> None:
    tokens = browser_tokens(tmp_path, clock, Closing)
    await tokens.close()
    assert Closing.noted == []
    await tokens.keep("browser", person(clock.now + 600))
    await tokens.close()
    assert Closing.noted == ["opened", "closed"]


async def test_a_sign_in_works_without_the_storage_but_no_token_is_given_or_forgotten(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    tokens, ada = browser_tokens(tmp_path, clock, Away), person(clock.now + 600)
    assert await tokens.keep("browser", ada) == ""
    assert "A browser token was not stored, because the storage is not responding" in caplog.text
    assert await tokens.keep("browser", ada, instead_of="earlier") == ""
    with pytest.raises(Refusal, match="cannot read your stored sign-in"):
        await tokens.token("name", "browser", ada)
    with pytest.raises(Refusal, match="still signed in"):
        await tokens.forget("name")
    await tokens.forget("")
