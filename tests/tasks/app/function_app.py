"""An app that counts to some number, a step at a time, by the very room of tasks, over a storage account."""

from __future__ import annotations

import asyncio
import json
import os
from functools import cache
from pathlib import Path

import azure.functions as func

from clients.azure_queue import AzureQueue
from clients.azure_storage import AzureStorage
from tasks.keeping import TaskStore
from tasks.sending import Sending
from tasks.tasks import Tasks
from tasks.work import Next, StepDone, StepOutcome, Work, WorkStep
from tasks.worker import Worker

STORE, NAME = os.environ["STORE"], os.environ["NAME"]
STEPS, OWNER = 4, "owner"

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)


def _tell(line: str) -> None:
    with Path(os.environ["WORLD"]).open("a", encoding="utf-8") as world:
        world.write(line)


async def count(step: WorkStep) -> StepOutcome:
    # The world outside: a line for each time, so that what was done again is seen.
    await asyncio.to_thread(_tell, f"{step.task} {step.number}\n")
    await asyncio.sleep(0.05)
    counted = [*step.left.get("counted", []), step.number]
    return StepDone({"counted": counted}) if len(counted) == STEPS else Next({"counted": counted})


@cache
def worker() -> Worker:
    kinds = {"counting": Work("counting", count)}
    store = TaskStore(lambda: AzureStorage.from_connection_string(STORE, NAME))
    return Worker(Tasks(store, Sending(AzureQueue.from_connection_string(STORE, NAME)), kinds), kinds, seconds=2.0)


@app.queue_trigger("message", queue_name="%NAME%", connection="STORE")
async def work(message: func.QueueMessage) -> None:
    await worker().do(message.get_body().decode())


@app.route("begin/{count}", methods=["POST"])
async def begin(req: func.HttpRequest) -> func.HttpResponse:
    """Begins tasks one by one, and answers with those that were kept."""
    names = [
        (await worker().tasks.begin("counting", OWNER, {"number": number}, "Counting")).id
        for number in range(int(req.route_params["count"]))
    ]
    return func.HttpResponse(json.dumps(names))


@app.route("finished", methods=["GET"])
async def finished(req: func.HttpRequest) -> func.HttpResponse:
    """Answers once no task is working any more."""
    found = await worker().tasks.all_of(OWNER, 1000)
    while any(task.state == "working" for task in found):
        await asyncio.sleep(0.1)
        await worker().sweep()
        found = await worker().tasks.all_of(OWNER, 1000)
    return func.HttpResponse(json.dumps({task.id: [task.state, task.trouble] for task in found}))


@app.route("results", methods=["GET"])
async def results(req: func.HttpRequest) -> func.HttpResponse:
    found = await worker().tasks.all_of(OWNER, 1000)
    told = await asyncio.gather(*(worker().tasks.result(task) for task in found))
    return func.HttpResponse(json.dumps(dict(zip([task.id for task in found], told, strict=True))))
