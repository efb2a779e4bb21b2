"""What a receiver gets that takes notices, fails, is slow, redirects, or is at a private address."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from hashlib import sha256
from hmac import digest
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from notifying.forms import CHANNELS, WEBHOOK
from notifying.targets import places_in
from refusal import Refusal
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.fakes.watches.receiver import BOARD, HOSTS, SLACK, TEAMS, Heard
from tests.sweeps import Sweep
from tests.watching.place import HOOK, HOSTILE, SECRET, Bureau, Process, lamp, opened
from watching.delivery import WatchDeliveryState
from watching.watches import NamedAddress

pytestmark = pytest.mark.anyio

DAY = 86400


def answering(*statuses: int, **headers: str) -> Any:
    """Answers with these statuses, one after the other, and takes everything after that."""
    left = list(statuses)

    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        status = left.pop(0) if left else 202
        return web.Response(status=status, headers=headers if status >= 300 else {})

    return answer


async def states(place: Bureau, name: str = "lamps") -> list[tuple[WatchDeliveryState, str]]:
    notices = await place.watches.notices(await place.watch(name))
    return [(notice.state, notice.trouble) for notice in notices]


async def test_a_webhook_gets_json_that_its_own_secret_signs(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created()
        await place.syncs(lamp(7))
        await place.round()
        (one,) = place.heard
        assert (one.host, one.path) == (SLACK, "/hooks/s3cret-path")
        signed = f"{one.headers['webhook-id']}.{one.headers['webhook-timestamp']}.".encode() + one.body
        assert one.headers["webhook-signature"] == f"v1,{b64encode(digest(SECRET.encode(), signed, sha256)).decode()}"
        (body,) = place.bodies
        assert (body["type"], body["id"]) == ("watch.news", one.headers["webhook-id"])
        assert (body["data"]["watch"], body["data"]["part"], body["data"]["parts"]) == ("lamps", 1, 1)
        assert await states(place) == [(WatchDeliveryState.DELIVERED, "")]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_fails_is_sent_again_with_the_same_id(tmp_path: Path, status: int) -> None:
    async with opened(tmp_path, answering(status, status)) as place:
        await place.created()
        await place.syncs(lamp(7))
        await place.round()
        assert await states(place) == [(WatchDeliveryState.WAITING, place_words(status))]
        await place.after(600)
        assert len(place.heard) == 3
        assert len({one.headers["webhook-id"] for one in place.heard}) == 1
        assert await states(place) == [(WatchDeliveryState.DELIVERED, "")]


def place_words(status: int) -> str:
    return f"The destination 'webhook of lamps' did not accept a notice: the destination answered with {status}."


async def test_what_fails_for_a_day_is_set_aside_and_can_be_sent_again(tmp_path: Path) -> None:
    async with opened(tmp_path, answering(*[503] * 8)) as place:
        await place.created()
        await place.syncs(lamp(7))
        await place.round()
        await place.after(2 * DAY)
        assert len(place.heard) == 8
        watch = await place.watch()
        assert await states(place) == [(WatchDeliveryState.SET_ASIDE, place_words(503))]
        assert (await place.watches.health())["setAside"] == 1
        assert await place.process.worker.failed() == {"send-watch-notice": 1}
        await place.watches.resend(await place.watches.set_aside(watch), place.process.tasks)
        await place.after(1)
        assert await states(place) == [(WatchDeliveryState.DELIVERED, "")]
        assert (await place.watches.health())["setAside"] == 0
        assert len({one.headers["webhook-id"] for one in place.heard}) == 1


@Sweep("status", [301, 302, 307, 308, 400, 401, 404, 410], every=3)
async def test_what_is_refused_or_redirected_is_set_aside_and_not_sent_elsewhere(tmp_path: Path, status: int) -> None:
    async with opened(tmp_path, answering(*[status] * 9, Location=f"https://{TEAMS}/elsewhere")) as place:
        await place.created()
        await place.syncs(lamp(7))
        await place.round()
        await place.after(2 * DAY)
        assert [one.host for one in place.heard] == [SLACK]
        ((state, why),) = await states(place)
        assert state is WatchDeliveryState.SET_ASIDE
        assert str(status) in why


@Sweep("address", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "168.63.129.16", "::1", "fd00::1"], every=3)
async def test_nothing_is_sent_to_a_private_address(tmp_path: Path, address: str) -> None:
    async with opened(tmp_path, addresses=[address]) as place:
        watch = await place.created()
        await place.syncs(lamp(7))
        await place.round()
        await place.after(2 * DAY)
        assert place.heard == []
        ((state, why),) = await states(place)
        assert (state, why) == (WatchDeliveryState.SET_ASIDE, f"{SLACK} does not resolve to a public address.")
        assert (await place.watches.send_test(watch)).why == why


@asynccontextmanager
async def slow_place(folder: Path) -> AsyncIterator[Bureau]:
    """A receiver that does not answer before the test is over."""
    over = asyncio.Event()

    async def slow(_request: web.BaseRequest) -> web.StreamResponse:
        await over.wait()
        return web.Response()

    async with opened(folder, slow) as place:
        place.seconds = 0.2
        place.process = Process(place)
        yield place
        over.set()


async def test_a_slow_webhook_is_tried_again_because_it_knows_the_id(tmp_path: Path) -> None:
    async with slow_place(tmp_path) as place:
        await place.created()
        await place.syncs(lamp(7))
        await place.round()
        await place.after(80)
        assert len(place.heard) == 3
        assert len({one.headers["webhook-id"] for one in place.heard}) == 1
        assert await states(place) == [(WatchDeliveryState.SENDING, "The receiver did not answer in time.")]


@pytest.mark.parametrize("form", ["teams", "slack"])
async def test_a_slow_chat_is_not_told_twice_and_the_watch_says_so(tmp_path: Path, form: str) -> None:
    async with slow_place(tmp_path) as place:
        await place.created(to=form)
        await place.syncs(lamp(7))
        await place.round()
        await place.after(2 * DAY)
        assert len(place.heard) == 1
        ((state, why),) = await states(place)
        assert state is WatchDeliveryState.UNKNOWN
        assert "not sent again" in why


async def test_each_place_gets_a_form_in_which_texts_of_others_do_nothing(tmp_path: Path) -> None:
    places = (
        f"ops teams https://{TEAMS}/hook;chat slack https://{SLACK}/hook;"
        f"board azure-devops https://{BOARD}/acme/Web/_workitems/edit/1 token;"
        f"page azure-devops-wiki https://{BOARD}/acme/Web/_wiki/wikis/Web.wiki?pagePath=/News token"
    )
    fake = FakeAzureDevOps()
    item = fake.work_items.add("Web", "Bug", "Lamps")
    assert item == 1

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return await fake.handle(request) if request.host.startswith(BOARD) else web.Response(status=202)

    async with opened(tmp_path, answer) as place:
        place.targets.update(places_in(places, HOSTS))
        for name in ("ops", "chat", "board", "page"):
            await place.created(name, name)
        await place.syncs(lamp(7, title=HOSTILE, description=f"<p>{HOSTILE}</p>", status=HOSTILE))
        await place.syncs(lamp(7, title=f"{HOSTILE}!", description="<p>x</p>", status="Launched"))
        await place.round()
        teams, slack = (json.loads(one.body) for one in sorted(place.heard, key=heard_by) if heard_by(one) < BOARD)
        comment = fake.work_items.comments[1][0]["text"]
        page = fake.wikis.pages["Web.wiki"]["/News"].content
    assert {kind for kind, text in texts_by_type(teams) if "evil" in text} == {"TextRun"}
    assert {kind for kind, text in texts_by_type(slack) if "evil" in text} == {"plain_text"}
    for told in (json.dumps(teams, ensure_ascii=False), json.dumps(slack, ensure_ascii=False), comment, page):
        assert not [
            sign for sign in ("<at>", "<script", "<!channel", "<@U1", "\u202e", "\u200b", "\x07") if sign in told
        ]
    for told in (comment, page):
        assert "@" not in told
        assert "#7" not in told
    assert len(slack["blocks"]) <= 50
    assert all(len(block["text"]["text"]) <= 3000 for block in slack["blocks"] if "text" in block)


def heard_by(one: Heard) -> str:
    return {TEAMS: "a", SLACK: "b"}.get(one.host, one.host)


def texts_by_type(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        own = [(value.get("type", ""), text) for text in value.values() if isinstance(text, str)]
        return own + [found for one in value.values() for found in texts_by_type(one)]
    return [found for one in value for found in texts_by_type(one)] if isinstance(value, list) else []


async def test_a_card_stays_below_what_teams_takes_and_a_message_below_what_slack_takes(tmp_path: Path) -> None:
    long = "An update with a title that goes on and on, " * 40
    async with opened(tmp_path) as place:
        for form in ("teams", "slack"):
            await place.created(form, form)
        await place.syncs(*(lamp(n, title=f"{n} {long}", products=["Lamps", long]) for n in range(100, 110)))
        await place.syncs(
            *(lamp(n, title=f"Now {n} {long}", products=["Lamps"], status=long, tags=[long]) for n in range(100, 110))
        )
        await place.round()
        for body in place.bodies:
            if "attachments" in body:
                assert len(json.dumps(body).encode()) <= 28 * 1024
            else:
                assert len(body["blocks"]) <= 50


async def test_a_test_says_what_happened(tmp_path: Path) -> None:
    async with opened(tmp_path, answering(404, 503)) as place:
        watch = await place.created()
        told = [await place.watches.send_test(watch) for _ in range(3)]
        assert [one.state for one in told] == [
            WatchDeliveryState.SET_ASIDE,
            WatchDeliveryState.SET_ASIDE,
            WatchDeliveryState.DELIVERED,
        ]
        assert [one.why for one in told] == [
            "The destination 'webhook of lamps' rejected a notice (HTTP status 404).",
            place_words(503),
            "",
        ]
        assert {body["type"] for body in place.bodies} == {"watch.test"}
        assert await states(place) == []


async def test_news_waits_for_a_place_that_the_operator_removed_and_goes_to_the_new_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        watch = await place.created(to="ops")
        await place.syncs(lamp(7))
        await place.process.round()
        del place.targets["ops"]
        await place.after(1)
        ((state, why),) = await states(place)
        assert (state, "no longer exists" in why) == (WatchDeliveryState.SET_ASIDE, True)
        watch = await place.watch()
        moved = place.watches.destination(watch.id, "webhook", NamedAddress(HOOK, SECRET))
        changed, _ = await place.watches.update(watch, replace(watch, destination=moved), NamedAddress(HOOK, SECRET))
        await place.watches.resend(await place.watches.set_aside(changed), place.process.tasks)
        await place.after(1)
        assert [change["id"] for change in place.changes] == ["100007"]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://hooks.slack.com/x", "https"),
        ("https://evil.example/x", "NOTIFY_HOSTS"),
        ("https://user@hooks.slack.com/x", "NOTIFY_HOSTS"),
        ("https://hooks.slack.com:8443/x", "NOTIFY_HOSTS"),
        ("https://127.0.0.1/x", "NOTIFY_HOSTS"),
        ("https://hooks.slack.com.evil.example/x", "NOTIFY_HOSTS"),
        ("https://hooks.slack.com\\@evil.example/x", "NOTIFY_HOSTS"),
        ("file:///etc/passwd", "NOTIFY_HOSTS"),
    ],
)
async def test_an_address_elsewhere_is_refused_without_a_word_of_it(tmp_path: Path, url: str, why: str) -> None:
    async with opened(tmp_path) as place:
        with pytest.raises(Refusal) as refused:
            place.watches.destination("w", "webhook", NamedAddress(f"{url}?s3cret", SECRET))
        assert why in str(refused.value)
        assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("secret", ["", "short", "whsec_c2hvcnQ=", "whsec_!!!"])
async def test_a_secret_that_protects_nothing_is_refused(tmp_path: Path, secret: str) -> None:
    async with opened(tmp_path) as place:
        with pytest.raises(Refusal, match="24 bytes"):
            place.watches.destination("w", "webhook", NamedAddress(HOOK, secret))


@pytest.mark.parametrize("form", [form for form in CHANNELS if form != WEBHOOK])
async def test_a_secret_for_a_chat_is_refused_in_the_name_of_the_chat(tmp_path: Path, form: str) -> None:
    async with opened(tmp_path) as place:
        with pytest.raises(Refusal, match=f"only for webhooks: {CHANNELS[form].label} identifies"):
            place.watches.destination("w", form, NamedAddress(HOOK, SECRET))


async def test_a_secret_may_be_base64_as_the_standard_webhooks_have_it(tmp_path: Path) -> None:
    key = bytes(range(32))
    async with opened(tmp_path) as place:
        named = NamedAddress(HOOK, f"whsec_{b64encode(key).decode()}")
        watch = await place.created()
        destination = place.watches.destination(watch.id, "webhook", named)
        changed = replace(watch, destination=destination)
        assert place.watches.destinations.target_of(changed).key == key


async def test_nothing_that_is_kept_has_an_address_or_a_secret_in_the_clear(tmp_path: Path) -> None:
    async with opened(tmp_path, answering(503)) as place:
        watch = await place.created()
        await place.syncs(lamp(7))
        await place.round()
        assert "s3cret" not in repr(watch)
        kept = (tmp_path / "watches" / "storage.sqlite").read_bytes() + (
            tmp_path / "tasks" / "storage.sqlite"
        ).read_bytes()
        assert b"s3cret" not in kept


async def test_what_was_sealed_for_one_watch_opens_for_no_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        one, other = await place.created("one"), await place.created("other", "feed")
        stolen = replace(other, destination=one.destination)
        with pytest.raises(Refusal, match="can no longer be decrypted"):
            place.watches.destinations.target_of(stolen)
