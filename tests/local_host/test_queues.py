"""Queue triggers: messages of a real queue reach functions, come back, and are set aside, as on Azure."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import ClientSession
from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.storage.queue import QueueMessage
from azure.storage.queue.aio import QueueClient

from local_host.cannot_start import CannotStartError
from local_host.polling import Handling
from local_host.process import LISTENING, AppDidNotStartError
from local_host.queue_settings import SETTING, QueueSettings
from tests.fakes.azurite import connection_string_of_azurite
from tests.local_host.sample import WriteApp
from tests.warm.app import serving, start

# It keeps what it was told in a file of its folder, a line for each time, and the test waits for lines.
SOURCE = '''
import asyncio, json, os, signal
from pathlib import Path

@app.queue_trigger("message", queue_name="%QUEUE%", connection="STORE")
async def work(message: func.QueueMessage) -> None:
    text = message.get_body().decode()
    about = {"text": text, "id": message.id, "tries": message.dequeue_count, "at": str(message.insertion_time)}
    with open(os.environ["LINES"], "a") as lines:
        lines.write(json.dumps(about) + "\\n")
    if text.startswith("fail"):
        raise ValueError("It cannot be done.")
    if text.startswith("die") and message.dequeue_count == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if text.startswith("stop"):
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.5)
    if text.startswith("long"):
        await asyncio.sleep(5)

@app.route("lines/{count}", methods=["GET"])
async def lines(req: func.HttpRequest) -> func.HttpResponse:
    """Answers when there are so many lines."""
    wanted = int(req.route_params["count"])
    while len(found := Path(os.environ["LINES"]).read_text().splitlines()) < wanted:
        await asyncio.sleep(0.02)
    return func.HttpResponse("[" + ",".join(found) + "]")
'''
QUICK = {"extensions": {"queues": {"maxPollingInterval": "00:00:01", "batchSize": 4, "maxDequeueCount": 3}}}


class Place:
    def __init__(self, folder: Path, app: Path) -> None:
        self.app, self.lines = app, folder / "lines"
        self.lines.touch()
        self.queue = f"q{uuid4().hex}"
        self.settings = {
            "STORE": connection_string_of_azurite(),
            "QUEUE": self.queue,
            "LINES": str(self.lines),
            SETTING: "2",
        }

    @asynccontextmanager
    async def client(self, ending: str = "") -> AsyncIterator[QueueClient]:
        client = QueueClient.from_connection_string(self.settings["STORE"], self.queue + ending)
        async with client:
            yield client

    async def send(self, *texts: str) -> None:
        async with self.client() as client:
            with suppress(ResourceExistsError):
                await client.create_queue()
            for text in texts:
                await client.send_message(b64encode(text.encode()).decode())

    async def empty(self) -> None:
        """Wait until no message is left, seen or unseen."""
        async with self.client() as client:
            while (await client.get_queue_properties()).approximate_message_count:  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.05)

    async def began(self) -> None:
        """Wait until the app has noted the first message."""
        while not self.lines.read_text():  # noqa: ASYNC110 - it is another process that writes
            await asyncio.sleep(0.01)

    async def told(self, url: str, count: int) -> list[dict[str, Any]]:
        async with ClientSession(url) as session, session.get(f"/api/lines/{count}") as answer:
            found: list[dict[str, Any]] = json.loads(await answer.text())
            return found


@pytest.fixture
def place(tmp_path: Path, write_app: WriteApp) -> Place:
    return Place(tmp_path, write_app(SOURCE, {"version": "2.0", **QUICK}))


@contextmanager
def killed_at_some_time(place: Place) -> Iterator[str]:
    """The app in a process that may die."""
    process = start(place.app, ["--port", "0"], settings={**os.environ, **place.settings}, stdout=-1)
    assert process.stdout
    line = next(line for line in map(bytes.decode, process.stdout) if line.startswith(LISTENING))
    try:
        yield line.removeprefix(LISTENING).strip()
    finally:
        process.kill()
        process.communicate()


async def test_each_message_reaches_the_function_with_what_is_told_of_it_and_is_gone(place: Place) -> None:
    await place.send(*(f"message {number}" for number in range(20)), "ä 中")
    with serving(place.app, settings=place.settings) as url:
        told = await place.told(url, 21)
        await place.empty()
    assert {one["text"] for one in told} == {*(f"message {number}" for number in range(20)), "ä 中"}
    assert {one["tries"] for one in told} == {1}
    assert len({one["id"] for one in told}) == 21
    assert all(one["at"].startswith("20") for one in told)


async def test_a_queue_that_is_made_later_is_found(place: Place) -> None:
    with serving(place.app, settings=place.settings) as url:
        await place.send("late")
        assert [one["text"] for one in await place.told(url, 1)] == ["late"]


async def test_what_fails_comes_back_and_is_set_aside_in_the_end(place: Place, tmp_path: Path) -> None:
    await place.send("fail always", "fine")
    async with place.client("-poison") as poison:
        with serving(place.app, settings=place.settings, log=tmp_path / "log") as url:
            told = await place.told(url, 4)
            assert sorted(one["tries"] for one in told if one["text"] == "fail always") == [1, 2, 3]
            await place.empty()
        content = [message.content async for message in poison.receive_messages()]
    assert content == [b64encode(b"fail always").decode()]
    assert "failed permanently" in (tmp_path / "log").read_text()


async def test_a_text_that_is_not_encoded_is_set_aside(place: Place) -> None:
    async with place.client() as client:
        await client.create_queue()
        await client.send_message("not *** encoded")
    with serving(place.app, settings=place.settings) as url:
        await place.send("after it")
        await place.told(url, 1)
        await place.empty()
    async with place.client("-poison") as poison:
        assert [message.content async for message in poison.receive_messages()] == ["not *** encoded"]


async def test_the_message_of_a_host_that_was_killed_comes_back(place: Place) -> None:
    await place.send("die once")
    with killed_at_some_time(place):
        await place.began()
    with serving(place.app, settings=place.settings) as url:
        told = await place.told(url, 2)
        await place.empty()
    assert [one["tries"] for one in told] == [1, 2]


def test_where_there_is_no_storage_account_it_is_said_and_the_rest_is_served(place: Place, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(place.app, settings={**place.settings, "STORE": ""}, log=log):
        pass
    assert "work: disabled, because STORE is not set" in log.read_text()


def test_a_host_starts_while_the_storage_is_away_and_says_so_once(place: Place, tmp_path: Path) -> None:
    log, away = tmp_path / "log", place.settings["STORE"].replace("127.0.0.1", "127.0.0.2")
    with serving(place.app, settings={**place.settings, "STORE": away}, log=log) as url:
        assert url
    assert log.read_text().count("does not answer") <= 1


async def test_a_message_that_takes_longer_is_held_until_it_is_done(place: Place) -> None:
    await place.send("long work")
    with serving(place.app, settings={**place.settings, SETTING: "3"}) as url:
        await place.told(url, 1)
        await place.empty()
    assert len(place.lines.read_text().splitlines()) == 1


async def test_what_is_under_way_when_the_host_is_told_to_stop_is_done_and_not_again(place: Place) -> None:
    await place.send("stop while this is done")
    with serving(place.app, settings={**place.settings, SETTING: "600"}):
        await place.began()
    async with place.client() as queue:
        assert (await queue.get_queue_properties()).approximate_message_count == 0


class Function:
    """Notes what it is run for."""

    def __init__(self, *, succeeds: bool = True) -> None:
        self.texts: list[str] = []
        self._succeeds = succeeds

    async def run(self, text: str, _told: object) -> bool:
        self.texts.append(text)
        return self._succeeds


@asynccontextmanager
async def received(place: Place, times: int, function: Function, said: dict[str, Any]) -> AsyncIterator[list[Handling]]:
    """The only message of the queue, received so many times, as by hosts that all lost it but the last."""
    async with place.client() as queue, place.client("-poison") as aside:
        found = list[QueueMessage]()
        for _ in range(times):
            for lost in found[-1:]:
                await queue.update_message(lost.id, lost.pop_receipt, visibility_timeout=0)
            message = await queue.receive_message()
            assert message
            found.append(message)
        yield [Handling(QueueSettings.of(said), function.run, queue, aside, message) for message in found]


@pytest.mark.parametrize("succeeds", [True, False])
async def test_a_message_that_came_back_to_somebody_else_is_left_to_them(
    place: Place, caplog: pytest.LogCaptureFixture, *, succeeds: bool
) -> None:
    await place.send("slow")
    function = Function(succeeds=succeeds)
    async with received(place, 2, function, {"visibilityTimeout": "01:00:00"}) as (first, second):
        await first.run()
        assert (await first.queue.get_queue_properties()).approximate_message_count == 1
        await second.run()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert function.texts == ["slow", "slow"]


async def test_a_message_that_killed_whoever_had_it_is_set_aside_without_being_run_again(place: Place) -> None:
    await place.send("deadly")
    function = Function()
    async with received(place, 3, function, {"maxDequeueCount": 2}) as (*_, last):
        await last.run()
        assert [message.content async for message in last.aside.receive_messages()] == [b64encode(b"deadly").decode()]
    await place.empty()
    assert function.texts == []


async def test_what_fails_in_the_queue_of_what_is_aside_stays_there(place: Place) -> None:
    place.queue += "-poison"
    await place.send("hopeless")
    async with received(place, 1, Function(succeeds=False), {"maxDequeueCount": 1}) as (only,):
        await only.run()
        assert (await only.queue.get_queue_properties()).approximate_message_count == 1
        with pytest.raises(ResourceNotFoundError):
            await only.aside.get_queue_properties()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"STORE": "an account"}, "STORE is not a connection string for a storage account."),
        ({SETTING: "soon"}, f"{SETTING} must be a number of seconds"),
        ({SETTING: "0"}, f"{SETTING} must be a number of seconds"),
    ],
)
def test_settings_that_lead_nowhere_are_told_at_the_start(place: Place, settings: dict[str, str], words: str) -> None:
    with pytest.raises(AppDidNotStartError) as told, serving(place.app, settings={**place.settings, **settings}):
        pass
    assert words in str(told.value)
    assert "Traceback" not in str(told.value)


@pytest.mark.parametrize(
    "said",
    [
        {"batchSize": 33},
        {"batchSize": 0},
        {"batchSize": "many"},
        {"newBatchThreshold": -1},
        {"maxDequeueCount": 0},
        {"maxDequeueCount": True},
        {"maxPollingInterval": "soon"},
        {"visibilityTimeout": 30},
        {"messageEncoding": "rot13"},
    ],
)
def test_what_host_json_cannot_mean_is_refused_at_the_start(said: dict[str, Any]) -> None:
    with pytest.raises(CannotStartError, match=next(iter(said))):
        QueueSettings.of(said)


def test_the_defaults_are_those_of_the_platform() -> None:
    assert QueueSettings.of({}) == QueueSettings(16, 8, 60.0, 0.0, 5, is_encoded=True, seconds_unseen=600.0)
