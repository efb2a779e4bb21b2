"""Approvers hear of a change three times at most: when it waits, before its time is over, and what became of it."""

from __future__ import annotations

import asyncio
import json
import logging
from base64 import b64encode
from hashlib import sha256
from hmac import digest
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from notifying.targets import places_in
from refusal import Refusal
from tests.fakes.watches.receiver import BOARD, HOSTS, SLACK, TEAMS, Heard, fine
from tests.notifying.place import KEY, PLACES, Office, opened, with_place

pytestmark = pytest.mark.anyio
HOSTILE = (
    "<at>All</at> <!channel> <@U1> **bold** [x](https://evil.example) @<11111111-1111-1111-1111-111111111111> #7"
    "\u202e\n# H"
)


def headings(office: Office) -> list[str]:
    return [json.loads(one.body)["attachments"][0]["content"]["body"][0]["inlines"][0]["text"] for one in office.heard]


async def test_approvers_hear_of_it_at_the_start_and_before_its_end_and_what_became_of_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        await office.asked()
        await office.after(1)
        assert headings(office) == ["A change waits for approval"]
        await office.after(2998)
        assert len(office.heard) == 1
        await office.after(60)
        assert headings(office)[1:] == ["A change still waits for approval and expires soon"]
        await office.after(7200)
        assert headings(office)[2:] == ["Nobody decided on a change in time"]


@pytest.mark.parametrize(("is_yes", "told"), [(True, "A change was approved"), (False, "A change was denied")])
async def test_what_was_decided_is_told_at_once_and_once(tmp_path: Path, is_yes: bool, told: str) -> None:
    async with opened(tmp_path) as office:
        change = await office.asked()
        await office.after(5)
        await office.decided(change, is_yes=is_yes)
        await office.after(5)
        assert headings(office)[1:] == [told]
        assert b"Bea" in office.heard[1].body
        await office.after(7200)
        assert len(office.heard) == 2


async def test_what_is_outdated_is_told_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        change = await office.asked()
        await office.after(5)
        found = await office.ledger.find(change.id)
        assert found
        await office.ledger.outdate(found)
        await office.after(5)
        assert headings(office)[1:] == ["A change is outdated: its effect would now be different"]


async def test_of_what_was_decided_before_anybody_was_told_there_is_nothing_to_tell(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        await office.decided(await office.asked())
        await office.after(7200)
        assert office.heard == []


async def test_it_says_what_who_where_and_until_when_and_nothing_secret(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        change = await office.asked("Delete the disk", "ops", "chat", "board", of=("Admin",))
        await office.after(5)
        assert [one.host for one in in_order(office)] == [TEAMS, SLACK, BOARD]
        for one in office.heard:
            told = one.body.decode()
            for text in ("Delete the disk", "Ada", "subscription Shop", "2027-01-15 09:00 UTC", "the role Admin"):
                assert text in told
            assert f"https://mcp.example.com/changes/{change.id}" in told
            assert "s3cret" not in told
            assert change.code not in told
        assert in_order(office)[2].path == "/acme/Shop/_apis/wit/workItems/42/comments?api-version=7.1-preview.4"
        assert in_order(office)[2].headers["authorization"] == f"Basic {b64encode(b':s3crettoken').decode()}"


async def test_each_is_signed_over_its_id_its_time_and_its_body(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        change = await office.asked()
        await office.after(0)
        (one,) = office.heard
        assert one.headers["webhook-id"] == f"{change.id}.asked"
        assert one.headers["webhook-timestamp"] == "1800000000"
        signed = f"{one.headers['webhook-id']}.{one.headers['webhook-timestamp']}.".encode() + one.body
        assert one.headers["webhook-signature"] == f"v1,{b64encode(digest(KEY, signed, sha256)).decode()}"


def in_order(office: Office) -> list[Heard]:
    return sorted(office.heard, key=lambda one: HOSTS.index(one.host))


def texts_by_type(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        own = [(value.get("type", ""), text) for text in value.values() if isinstance(text, str)]
        return own + [found for one in value.values() for found in texts_by_type(one)]
    return [found for one in value for found in texts_by_type(one)] if isinstance(value, list) else []


async def test_no_text_of_others_is_markup_or_mentions_anybody(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        await office.asked(HOSTILE, "ops", "chat", "board", name=HOSTILE)
        await office.after(0)
        teams, slack, board = (json.loads(one.body) for one in in_order(office))
        assert {kind for kind, text in texts_by_type(teams) if "evil" in text} == {"TextRun"}
        assert {kind for kind, text in texts_by_type(slack) if "evil" in text} == {"plain_text"}
        assert slack["text"] == "A change waits for approval"
        for one in office.heard:
            told = one.body.decode()
            assert not [sign for sign in ("<at>", "<!channel>", "<@U1>", "\\u202e") if sign in told.replace("<b>", "")]
        assert "@" not in board["text"]
        assert "#" not in board["text"]


def answering(*statuses: int, **headers: str) -> Any:
    left = list(statuses)

    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        status = left.pop(0) if left else 202
        return web.Response(status=status, headers=headers if status >= 300 else {})

    return answer


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_what_was_not_taken_is_sent_again(tmp_path: Path, status: int) -> None:
    async with opened(tmp_path, answering(status, status)) as office:
        await office.asked()
        await office.after(5)
        assert len(office.heard) == 1
        await office.after(600)
        assert headings(office) == ["A change waits for approval"] * 3
        await office.after(1800)
        assert len(office.heard) == 3


async def test_a_place_that_asks_to_wait_is_left_alone_for_so_long(tmp_path: Path) -> None:
    async with opened(tmp_path, answering(429, **{"Retry-After": "200"})) as office:
        await office.asked()
        await office.after(190)
        assert len(office.heard) == 1
        await office.after(20)
        assert len(office.heard) == 2


@pytest.mark.parametrize("status", [302, 307, 400, 401, 404, 410])
async def test_what_is_refused_or_sent_elsewhere_is_not_sent_again(tmp_path: Path, status: int) -> None:
    async with opened(tmp_path, answering(*[status] * 9, Location=f"https://{SLACK}/elsewhere")) as office:
        await office.asked()
        await office.after(3000)
        assert [one.host for one in office.heard] == [TEAMS]


async def test_of_a_slow_place_nobody_knows_and_it_is_not_told_twice(tmp_path: Path) -> None:
    over = asyncio.Event()

    async def slow(_request: web.BaseRequest) -> web.StreamResponse:
        await over.wait()
        return web.Response()

    async with opened(tmp_path, slow) as office:
        slowed = Office(tmp_path, office.open_session, office.heard, seconds=0.2)
        await slowed.asked()
        await slowed.after(2000)
        over.set()
        assert len(office.heard) == 1


async def test_nothing_of_a_huge_answer_is_read(tmp_path: Path) -> None:
    async def endless(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b"x" * 65536)
        except ConnectionError:
            return response

    async with opened(tmp_path, endless) as office:
        await office.asked()
        await office.after(2000)
        assert len(office.heard) == 1


async def test_a_place_that_is_down_holds_up_neither_the_change_nor_other_places(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    # What the server of the test logs itself.
    caplog.set_level(logging.CRITICAL, "aiohttp.access")

    async def teams_is_down(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=503) if request.host.startswith(TEAMS) else await fine(request)

    async with opened(tmp_path, teams_is_down) as office:
        change = await office.asked("Delete the disk", "ops", "chat")
        await office.after(60)
        assert [one.host for one in office.heard if one.host == SLACK] == [SLACK]
        assert (await office.decided(change)).decision
        await office.after(90_000)
        assert [one.host for one in office.heard].count(SLACK) == 2
    assert "s3cret" not in caplog.text
    assert "/services/" not in caplog.text


async def test_without_a_queue_or_a_store_of_tasks_a_change_goes_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:

        async def away(*_: Any, **__: Any) -> None:
            raise Refusal("Tasks cannot be kept at present.")

        office.worker.tasks.store.add = away  # type: ignore[method-assign, assignment]
        change = await office.asked()
        assert (await office.decided(change)).decision


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "168.63.129.16", "::1"])
async def test_nothing_is_sent_to_a_host_that_leads_to_a_private_address(tmp_path: Path, address: str) -> None:
    async with opened(tmp_path, addresses=[address]) as office:
        await office.asked()
        await office.after(3000)
        assert office.heard == []


async def test_nothing_is_sent_to_a_host_that_is_not_listed(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        with_place(office, "ops", "https://evil.example/hook")
        await office.asked()
        await office.after(3000)
        assert office.heard == []


async def test_who_asks_too_often_does_not_flood_approvers(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        for number in range(30):
            await office.asked(f"Disk {number}")
        await office.after(5)
        assert len(office.heard) == 20


WRONG = [
    "ops",
    "ops teams",
    "Ops teams https://hooks.slack.com/x",
    "ops mail https://hooks.slack.com/s3cret",
    "ops slack http://hooks.slack.com/s3cret",
    "ops slack https://evil.example/s3cret",
    "ops slack https://127.0.0.1/s3cret",
    "ops slack https://hooks.slack.com/s3cret token",
    "board azure-devops https://dev.azure.com/acme/Shop/_workitems/edit/42",
    "board azure-devops https://dev.azure.com/acme s3cret",
    "a slack https://hooks.slack.com/1;a slack https://hooks.slack.com/2",
    ";".join(f"a{number} slack https://hooks.slack.com/{number}" for number in range(11)),
]


@pytest.mark.parametrize("text", WRONG)
def test_places_that_cannot_be_right_are_refused_without_a_word_of_them(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        places_in(text, HOSTS)
    assert "s3cret" not in str(refused.value)


def test_a_place_shows_nobody_its_address() -> None:
    assert "s3cret" not in repr(places_in(PLACES, HOSTS))
