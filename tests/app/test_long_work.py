"""Long work of the app: begun by a timer, told by its health."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from app.build import TASKS, App
from app.pages import AppPages
from clients.azure_queue import AzureQueue
from mcp_server.http.messages import HttpRequest
from tasks.in_process_queue import QueueHere
from tasks.task import TaskState
from tests.fakes.azurite import connection_string_of_azurite
from tests.fakes.updates.api import UpdatesApi
from tests.offline import app_of, offline
from tests.updates.syncing import record
from tools.azure_updates.access import UPDATES
from tools.jobs import OF_THIS_SERVER
from updates.library import UpdatesLibrary


async def health_of(app: App) -> dict[str, object]:
    answer = await AppPages(app).health(HttpRequest("GET", "/health", {"host": "localhost:7071"}, b""))
    document: dict[str, object] = json.loads(answer.body)["tasks"]
    return document


async def run(app: App, name: str) -> None:
    (job,) = [job for job in app.jobs.all() if job.name == name]
    await job.run()


async def settled(app: App) -> None:
    queue = app.worker.tasks.sending.queue
    assert isinstance(queue, QueueHere)
    await queue.settled()


async def test_the_daily_timer_begins_a_task_that_compares_everything(tmp_path: Path) -> None:
    async with UpdatesApi([record(1)]).serving() as url:
        app = app_of(offline(tmp_path) | {"UPDATES_API_URL": url})
        # A server that has nothing yet begins by itself, and one comparison at a time is made.
        await (await app.providers.get(UPDATES)).library.settled()
        await run(app, "sync_updates_reconcile")
        await settled(app)
        (task,) = await app.worker.tasks.all_of(OF_THIS_SERVER)
        assert task.state is TaskState.COMPLETED
        assert (await app.worker.tasks.result(task))["received"] == 1
        assert await health_of(app) == {"status": "ok", "waiting": 0, "failed": {}, "setAside": 0}
        await app.close()


async def test_health_says_that_the_storage_of_tasks_is_away(tmp_path: Path) -> None:
    gone = connection_string_of_azurite().replace("127.0.0.1", "127.0.0.2")
    app = app_of({**offline(tmp_path), "STORAGE_FOLDER": "", "AzureWebJobsStorage": gone})
    # Of the tasks alone: what else the page tells waits for the same storage, and longer.
    assert (await app.health_of_tasks.report())["status"] == "unavailable"
    await app.close()


async def test_health_does_not_wait_for_what_never_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def waits_for_ever(_: UpdatesLibrary) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(UpdatesLibrary, "health", waits_for_ever)
    monkeypatch.setattr("tools.provider.SECONDS_TO_REPORT", 0.01)
    app = app_of(offline(tmp_path))
    health = await AppPages(app).health(HttpRequest("GET", "/health", {"host": "localhost:7071"}, b""))
    document = json.loads(health.body)
    assert (document["updates"]["status"], document["tasks"]["status"]) == ("unavailable", "ok")
    await app.close()


async def test_messages_go_to_the_queue_of_the_account(tmp_path: Path) -> None:
    connection = connection_string_of_azurite()
    app = app_of({**offline(tmp_path), "STORAGE_FOLDER": "", "AzureWebJobsStorage": connection})
    queue = AzureQueue.from_connection_string(connection, TASKS)
    before = await queue.waiting()
    await run(app, "sync_updates_reconcile")
    assert await queue.waiting() == before + 1
    await queue.close()
    await app.close()
