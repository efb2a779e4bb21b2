"""A refresh token is good once: whoever brings it again ends the sign-in for all who hold a token of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from clients.folder_storage import FolderStorage
from clients.storage import Row, StorageError
from identity.bridge.sessions import LONGEST_SECONDS, BridgeSessions, SessionOver
from refusal import Refusal
from tests.fakes.issuer import LIFETIME
from tests.fakes.storages import Clock
from tests.identity.bridge.bench import Bench

pytestmark = pytest.mark.anyio

OVER = {"error": "invalid_grant", "error_description": "This sign-in has ended. Sign in again."}


async def first_token(bench: Bench, client_id: str) -> str:
    code = (await bench.signed_in(client_id))["code"]
    return str((await bench.redeem(client_id, code)).json()["refresh_token"])


async def next_token(bench: Bench, client_id: str, token: str) -> str:
    renewed = await bench.renew(client_id, token)
    assert renewed.status_code == 200, renewed.text
    return str(renewed.json()["refresh_token"])


async def kept(folder: Path) -> list[Row]:
    return await FolderStorage(folder).scan("sessions", "")


@pytest.mark.parametrize("uses", [1, 3])
async def test_a_token_that_was_used_ends_the_sign_in_when_it_comes_again(
    bench: Bench, uses: int, caplog: pytest.LogCaptureFixture
) -> None:
    client_id = await bench.register()
    tokens = [await first_token(bench, client_id)]
    for _ in range(uses):
        tokens.append(await next_token(bench, client_id, tokens[-1]))
    asked = bench.issuer.count(bench.issuer.token_path)
    for token in (tokens[0], tokens[-1], *tokens):
        refused = await bench.renew(client_id, token)
        assert (refused.status_code, refused.json()) == (400, OVER)
    assert bench.issuer.count(bench.issuer.token_path) == asked
    assert "A refresh token was used twice, so its sign-in has ended" in caplog.text


async def test_a_token_that_was_used_at_one_instance_is_known_at_the_other(bench: Bench) -> None:
    client_id = await bench.register()
    token = await first_token(bench, client_id)
    bench.switch(bench.build())
    following = await next_token(bench, client_id, token)
    bench.switch(bench.build())
    assert (await bench.renew(client_id, token)).json() == OVER
    bench.switch(bench.build())
    assert (await bench.renew(client_id, following)).json() == OVER


async def test_of_several_who_use_a_token_at_once_one_at_most_gets_another_which_is_worth_nothing(bench: Bench) -> None:
    client_id = await bench.register()
    token = await first_token(bench, client_id)
    bench.switch(bench.build(), bench.build())
    answers = await asyncio.gather(*(bench.renew(client_id, token) for _ in range(6)))
    good = [answer.json()["refresh_token"] for answer in answers if answer.status_code == 200]
    assert len(good) <= 1
    for later in (token, *good):
        assert (await bench.renew(client_id, later)).json() == OVER


async def test_other_sign_ins_of_the_same_client_go_on(bench: Bench) -> None:
    client_id = await bench.register()
    one, other = [await first_token(bench, client_id) for _ in range(2)]
    await next_token(bench, client_id, one)
    assert (await bench.renew(client_id, one)).json() == OVER
    await next_token(bench, client_id, await next_token(bench, client_id, other))


async def test_who_is_another_client_cannot_end_a_sign_in(bench: Bench) -> None:
    client_id, stranger = await bench.register(), await bench.register()
    token = await first_token(bench, client_id)
    following = await next_token(bench, client_id, token)
    assert (await bench.renew(stranger, token)).json()["error"] == "invalid_grant"
    await next_token(bench, client_id, following)


async def test_a_token_is_not_used_up_where_the_authority_did_not_answer(bench: Bench) -> None:
    client_id = await bench.register()
    token = await first_token(bench, client_id)
    bench.page.token_failure = {"error": "temporarily_unavailable"}
    assert (await bench.renew(client_id, token)).status_code == 503
    bench.page.token_failure = {}
    await next_token(bench, client_id, token)


async def test_the_newest_token_of_the_authority_is_the_one_that_is_used(bench: Bench) -> None:
    client_id = await bench.register()
    token = await first_token(bench, client_id)
    for _ in range(3):
        given = {*bench.page.refresh_tokens}
        token = await next_token(bench, client_id, token)
        (newest,) = bench.page.refresh_tokens - given
        bench.page.refresh_tokens = {newest}


async def test_an_authority_that_gives_no_new_token_means_the_old_one(bench: Bench) -> None:
    client_id = await bench.register()
    token = await first_token(bench, client_id)
    bench.page.garbage = json.dumps({"access_token": "a.b.c", "expires_in": LIFETIME}).encode()
    following = await next_token(bench, client_id, token)
    assert following != token
    bench.page.garbage = b""
    await next_token(bench, client_id, following)


async def test_nothing_is_renewed_or_lost_while_the_storage_is_away(bench: Bench, tmp_path: Path) -> None:
    client_id = await bench.register()
    token = await first_token(bench, client_id)
    asked = bench.issuer.count(bench.issuer.token_path)
    no_folder = tmp_path / "file"
    no_folder.write_text("", encoding="utf-8")
    bench.switch(bench.build(folder=no_folder))
    refused = await bench.renew(client_id, token)
    assert (refused.status_code, refused.json()["error"]) == (503, "temporarily_unavailable")
    assert bench.issuer.count(bench.issuer.token_path) == asked
    bench.switch(bench.build())
    await next_token(bench, client_id, token)


async def test_a_sign_in_ends_after_a_year_however_often_it_was_renewed(bench: Bench) -> None:
    client_id = await bench.register()
    token = await first_token(bench, client_id)
    bench.clock.now += LONGEST_SECONDS - 60
    token = await next_token(bench, client_id, token)
    bench.clock.now += 60
    assert (await bench.renew(client_id, token)).json() == OVER


async def test_a_sign_in_leaves_one_row_which_goes_when_it_is_of_no_more_use(bench: Bench) -> None:
    client_id = await bench.register()
    for _ in range(3):
        token = await next_token(bench, client_id, await first_token(bench, client_id))
        await next_token(bench, client_id, token)
    early = await kept(bench.folder)
    assert len(early) == 3
    bench.clock.now += LONGEST_SECONDS
    client_id = await bench.register()
    await next_token(bench, client_id, await first_token(bench, client_id))
    (row,) = await kept(bench.folder)
    assert row.key not in {old.key for old in early}


async def test_a_session_lasts_for_a_year_and_of_expired_ones_ten_go_when_one_comes(tmp_path: Path) -> None:
    clock = Clock()
    sessions = BridgeSessions(lambda: FolderStorage(tmp_path), clock)
    begun = [sessions.begin() for _ in range(11)]
    assert begun[0].startswith(f"{int(clock.now) + 31_536_000:011}.")
    for session in begun:
        await sessions.renew(await sessions.check(session, 0))
    clock.now += 31_536_000 - 1
    await sessions.renew(await sessions.check(begun[0], 1))
    await sessions.renew(await sessions.check(sessions.begin(), 0))
    assert len(await kept(tmp_path)) == 12
    clock.now += 1
    with pytest.raises(SessionOver):
        await sessions.check(begun[0], 2)
    await sessions.renew(await sessions.check(sessions.begin(), 0))
    assert len(await kept(tmp_path)) == 3


class Answerless(FolderStorage):
    """Writes, and is then asked again because no answer came."""

    async def put_rows(self, partition: str, guard: Row, rows: Sequence[Row]) -> Row:
        await super().put_rows(partition, guard, rows)
        return await super().put_rows(partition, guard, rows)


async def test_a_writing_that_was_tried_again_is_nobody_elses(tmp_path: Path) -> None:
    sessions = BridgeSessions(lambda: Answerless(tmp_path))
    session = sessions.begin()
    for renewals in range(3):
        await sessions.renew(await sessions.check(session, renewals))
    with pytest.raises(SessionOver):
        await sessions.check(session, 1)


class Forgetful(FolderStorage):
    """Is away when something is to be written."""

    async def put_rows(self, partition: str, guard: Row, rows: Sequence[Row]) -> Row:
        raise StorageError("away")


async def test_what_could_not_be_counted_was_not_used(tmp_path: Path) -> None:
    clock = Clock()
    session = BridgeSessions(lambda: FolderStorage(tmp_path), clock).begin()
    away = BridgeSessions(lambda: Forgetful(tmp_path), clock)
    unused = await away.check(session, 0)
    with pytest.raises(Refusal, match="cannot check this sign-in now"):
        await away.renew(unused)
    sessions = BridgeSessions(lambda: FolderStorage(tmp_path), clock)
    row = await sessions.check(session, 0)
    await sessions.renew(row)
    with pytest.raises(SessionOver):
        await sessions.renew(row)


async def test_storage_is_prepared_once_and_closed_if_it_was_opened(tmp_path: Path) -> None:
    done = []

    class Noting(FolderStorage):
        async def prepare(self) -> None:
            done.append("prepared")

        async def close(self) -> None:
            done.append("closed")

    sessions = BridgeSessions(lambda: Noting(tmp_path))
    await sessions.close()
    assert not done
    for _ in range(2):
        await sessions.check(sessions.begin(), 0)
    await sessions.close()
    assert done == ["prepared", "closed"]
