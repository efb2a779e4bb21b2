"""Watches as a model has them: each tool, what it answers, who may call it, and what it never says."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.fakes.watches.receiver import SLACK, TEAMS
from tests.sweeps import Sweep
from tests.tools.watches.office import Office, office
from tests.watching.place import HOOK, SECRET, lamp, slipped

pytestmark = pytest.mark.anyio

LAMPS = {"products": ["Lamps"]}
HOOKED = {"to": "webhook", "url": HOOK, "secret": SECRET}


async def test_a_watch_is_created_tested_notified_listed_shown_and_deleted(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        made = await place.call("create_watch", name="lamps", filters=LAMPS, when="immediately", **HOOKED)
        assert made["to"] == f"webhook at {SLACK}"
        assert (made["findsNow"], made["state"], made["owner"]) == (3, "active", "ada@example.com")
        assert made["next"] == {"tool": "send_test", "name": "lamps"}
        tested = await place.call("send_test", name="lamps")
        assert tested["delivered"] is True
        await place.syncs(slipped(1, 2027, "September"))
        await place.timer()
        await place.timer()
        assert [body["type"] for body in place.bodies] == ["watch.test", "watch.news"]
        (listed,) = (await place.call("list_watches"))["watches"]
        assert listed["filters"] == LAMPS
        shown = await place.call("show_watch", name="lamps")
        assert [(one["state"], one["changes"]) for one in shown["notices"]] == [("delivered", 1)]
        result = await place.caller().agreed("delete_watch", name="lamps")
        assert result["structuredContent"] == {"deleted": "lamps"}
        assert "There are no watches yet" in await place.told("show_watch", name="lamps")


async def test_places_of_the_operator_are_listed_without_their_addresses(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        listed = await place.call("list_watches")
        assert {one["name"]: one["form"] for one in listed["places"]} == {
            "ops": "teams",
            "chat": "slack",
            "board": "azure-devops",
        }
        assert "s3cret" not in json.dumps(listed)


async def test_a_feed_is_read_at_its_address_and_revoked(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        made = await place.call("create_watch", name="lamps", filters=LAMPS, to="feed", when="immediately")
        await place.syncs(lamp(7))
        await place.timer()
        answer = await place.get(made["feed"])
        assert (answer.status, answer.headers["content-type"]) == (200, "application/atom+xml; charset=utf-8")
        assert b"Retirement: Lamp 7 retires" in answer.body
        again = await place.get(made["feed"], **{"if-none-match": answer.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        other = await place.call("update_watch", name="lamps", new_feed_address=True)
        assert (await place.get(made["feed"])).status == 404
        assert (await place.get(other["feed"])).status == 200
        assert "feed" not in await place.call("show_watch", name="lamps")


async def test_a_watch_is_changed_as_far_as_a_call_says(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        await place.call("create_watch", name="lamps", filters=LAMPS, **HOOKED)
        changed = await place.call("update_watch", name="lamps", when="weekly", query="retires")
        assert (changed["when"], changed["query"], changed["filters"]) == ("weekly", "retires", LAMPS)
        assert changed["to"] == f"webhook at {SLACK}"
        moved = await place.call("update_watch", name="lamps", to="ops", filters={})
        assert moved["to"] == "ops"
        assert "filters" not in moved
        await place.syncs(lamp(7))
        teams = f"https://{TEAMS}/workflows/s3cret-other"
        moved = await place.call("update_watch", name="lamps", to="teams", url=teams, when="immediately")
        assert moved["to"] == f"teams at {TEAMS}"
        await place.timer()
        assert [one.path for one in place.heard] == ["/workflows/s3cret-other"]


async def test_a_renewed_watch_says_until_when(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        made = await place.call("create_watch", name="lamps", to="feed")
        assert (await place.call("renew_watch", name="lamps"))["expires"] >= made["expires"]


async def test_what_was_set_aside_is_sent_again(tmp_path: Path) -> None:
    statuses = [404]

    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=statuses.pop() if statuses else 200)

    async with office(tmp_path, answer) as place:
        await place.call("create_watch", name="lamps", when="immediately", **HOOKED)
        await place.syncs(lamp(7))
        await place.timer()
        ((notice),) = (await place.call("show_watch", name="lamps"))["notices"]
        assert (notice["state"], notice["why"]) == (
            "set aside",
            "The destination 'webhook of lamps' rejected a notice (HTTP status 404).",
        )
        assert (await place.call("resend_notices", name="lamps"))["sending"] == 1
        await place.timer()
        ((notice),) = (await place.call("show_watch", name="lamps"))["notices"]
        assert notice["state"] == "delivered"
        assert (await place.call("resend_notices", name="lamps"))["sending"] == 0


@Sweep(
    ("arguments", "why"),
    [
        ({"name": "Lamps", "to": "feed"}, "`name` must be"),
        ({"name": "lamps", "to": "nowhere"}, "Channels on this server: board, chat, ops"),
        ({"name": "lamps", "to": "webhook"}, "With a `url`"),
        ({"name": "lamps", "to": "webhook", "url": HOOK}, "requires a `secret`"),
        ({"name": "lamps", "to": "webhook", "url": HOOK, "secret": "s3cret"}, "24 bytes"),
        ({"name": "lamps", "to": "teams", "url": HOOK, "secret": SECRET}, "only for webhooks"),
        ({"name": "lamps", "to": "feed", "url": HOOK}, "must be one of webhook, teams, slack"),
        ({"name": "lamps", "to": "feed", "secret": SECRET}, "Pass the webhook's `url`"),
        ({"name": "lamps", "to": "webhook", "url": "https://evil.example/s3cret", "secret": SECRET}, "NOTIFY_HOSTS"),
        ({"name": "lamps", "to": "feed", "filters": {"products": ["Lanps"]}}, "No product is called 'Lanps'"),
        ({"name": "lamps", "to": "feed", "filters": {"changedSince": "2026-01-01"}}, "changedSince"),
        ({"name": "lamps", "to": "feed", "filters": {"dateFrom": "soon"}}, "dateFrom"),
        ({"name": "lamps", "to": "feed", "when": "hourly"}, "when"),
    ],
    every=2,
)
async def test_what_is_wrong_is_said_and_nothing_is_kept(tmp_path: Path, arguments: Any, why: str) -> None:
    async with office(tmp_path) as place:
        told = await place.told("create_watch", **arguments)
        assert why in told
        assert "s3cret" not in told
        assert (await place.call("list_watches"))["watches"] == []


async def test_an_address_without_a_form_is_refused_with_the_forms_for_users(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        await place.call("create_watch", name="lamps", to="feed")
        told = await place.told("update_watch", name="lamps", url=HOOK)
        assert told.startswith("With `url`, set `to` to webhook, teams")


async def test_no_answer_and_no_record_has_an_address_or_a_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=500, text=f"{HOOK} {SECRET}")

    async with office(tmp_path, answer) as place:
        caplog.set_level(logging.CRITICAL, "aiohttp.access")
        answers = [
            await place.call("create_watch", name="lamps", when="immediately", **HOOKED),
            await place.call("send_test", name="lamps"),
            await place.call("update_watch", name="lamps", **HOOKED),
            await place.call("show_watch", name="lamps"),
            await place.call("list_watches"),
        ]
        await place.syncs(lamp(7))
        await place.app.jobs.keep_house()
        answers.append(await place.call("show_watch", name="lamps"))
        asked = await place.caller().call("delete_watch", name="lamps")
    assert "s3cret" not in json.dumps([*answers, asked])
    assert "s3cret" not in caplog.text


async def test_reading_does_not_change_and_writing_does_not_destroy(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        await place.call("create_watch", name="lamps", to="feed")
        reader, developer = place.caller(roles=["Reader"]), place.caller(roles=["Developer"])
        assert not (await reader.call("show_watch", name="lamps"))["isError"]
        for tool in ("create_watch", "update_watch", "renew_watch", "send_test", "resend_notices", "delete_watch"):
            answer = await reader.send("tools/call", {"name": tool, "arguments": {"name": "lamps"}})
            assert "Unknown tool" in answer.body.decode(), tool
        assert not (await developer.call("renew_watch", name="lamps"))["isError"]
        assert len((await place.call("list_watches"))["watches"]) == 1


async def test_who_may_not_search_may_not_watch(tmp_path: Path) -> None:
    roles = tmp_path / "roles.yaml"
    roles.write_text("signed-in:\n  me: read\nroles:\n  Admin:\n    watches: destroy\n", encoding="utf-8")
    async with office(tmp_path, AUTH_ROLES_FILE=str(roles)) as place:
        assert "your roles do not give access" in await place.told("create_watch", name="lamps", to="feed")


async def test_watches_of_another_tenant_are_not_there(tmp_path: Path) -> None:
    other = "0b1ec7ed-0000-4000-8000-0000000000aa"
    async with office(tmp_path) as place:
        await place.call("create_watch", name="lamps", to="feed")
        stranger = place.caller(tid=other)
        told = await stranger.call("list_watches")
        if not told.get("isError"):
            assert told["structuredContent"]["watches"] == []
        assert "not found" in await stranger.told("show_watch", name="lamps")


async def test_tests_are_not_sent_without_end(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        await place.call("create_watch", name="lamps", **HOOKED)
        results = [await place.caller().call("send_test", name="lamps") for _ in range(8)]
        refused = [result for result in results if result.get("isError")]
        assert refused
        assert len(place.heard) < 8
        assert "Nothing was sent" in refused[0]["content"][0]["text"]


async def test_two_who_create_one_name_at_once_get_one_watch(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        calls = [place.caller().call("create_watch", name="lamps", to="feed") for _ in range(4)]
        results = await asyncio.gather(*calls)
        assert sum(not result.get("isError") for result in results) == 1


async def test_health_tells_how_watches_do(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        await place.call("create_watch", name="lamps", to="feed")
        health: Any = (await place.app.providers.health())["watches"]
        assert health == {"status": "ok", "watches": 1, "expired": 0, "failing": 0, "setAside": 0}


async def preview_of(place: Office, tool: str, **arguments: Any) -> str:
    result = await place.caller().call(tool, **arguments)
    return "\n".join(part["text"] for part in result["content"])


async def test_who_deletes_is_shown_what_goes_and_how_it_comes_back(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        await place.call("create_watch", name="lamps", filters=LAMPS, to="ops")
        shown = await preview_of(place, "delete_watch", name="lamps")
        for words in ("Delete the watch lamps", "ops", "create_watch(", '"Lamps"'):
            assert words in shown
