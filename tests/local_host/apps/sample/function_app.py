"""An app that shows what a host hands to functions, and makes of their answers."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from pathlib import Path
from typing import Any

import azure.functions as func

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)

EVERY_METHOD = list(func.HttpMethod)

arrivals: dict[int, asyncio.Barrier] = {}
timer_events: list[dict[str, Any]] = []
ticked = asyncio.Event()


def as_json(content: object) -> func.HttpResponse:
    return func.HttpResponse(json.dumps(content), mimetype="application/json")


@app.route("echo/{*rest}", methods=EVERY_METHOD)
async def echo(req: func.HttpRequest) -> func.HttpResponse:
    return as_json(
        {
            "method": req.method,
            "url": req.url,
            "headers": dict(req.headers),
            "query": dict(req.params),
            "route": dict(req.route_params),
            "body": req.get_body().decode(),
        }
    )


@app.route("items/recent", methods=["GET"])
async def recent(req: func.HttpRequest) -> func.HttpResponse:
    return as_json(["recent", dict(req.route_params)])


@app.route("items/{id:int}", methods=["GET"])
async def by_id(req: func.HttpRequest) -> func.HttpResponse:
    return as_json(["by_id", dict(req.route_params)])


@app.route("items/{name}", methods=["GET"])
async def a_name(req: func.HttpRequest) -> func.HttpResponse:
    return as_json(["a_name", dict(req.route_params)])


@app.route("items/{name}", methods=["DELETE"])
async def remove(req: func.HttpRequest) -> func.HttpResponse:
    return as_json(["remove", dict(req.route_params)])


@app.route("without_methods")
async def without_methods(req: func.HttpRequest) -> func.HttpResponse:
    return as_json(req.method)


@app.route(methods=["GET"])
async def without_route(req: func.HttpRequest) -> func.HttpResponse:
    return as_json("without_route")


@app.route("setting/{name}", methods=["GET"])
async def setting(req: func.HttpRequest) -> func.HttpResponse:
    return as_json(os.environ.get(req.route_params["name"]))


@app.route("text", methods=["GET"])
async def text(req: func.HttpRequest) -> str:
    return "just text"


@app.route("nothing", methods=["GET"], binding_arg_name="res")
async def nothing(req: func.HttpRequest, res: func.Out[func.HttpResponse]) -> None:
    pass


@app.route("out", methods=["GET"], binding_arg_name="res")
async def out(req: func.HttpRequest, res: func.Out[func.HttpResponse]) -> None:
    res.set(func.HttpResponse("by parameter", status_code=202))


@app.route("status/{status:int}", methods=["GET", "HEAD"])
async def status(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse("body", status_code=int(req.route_params["status"]))


@app.route("cookies", methods=["GET"])
async def cookies(req: func.HttpRequest) -> func.HttpResponse:
    answer = func.HttpResponse("cookies")
    answer.headers.add("Set-Cookie", "one=1; Path=/; HttpOnly")
    answer.headers.add("Set-Cookie", "two=2")
    return answer


@app.route("wrong_length", methods=["GET"])
async def wrong_length(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse("12345", headers={"Content-Length": "99", "Transfer-Encoding": "chunked", "X-Kept": "yes"})


@app.route("boom", methods=["GET"])
async def boom(req: func.HttpRequest) -> func.HttpResponse:
    raise ValueError("a secret of the server")


@app.route("sync_boom", methods=["GET"])
def sync_boom(req: func.HttpRequest) -> func.HttpResponse:
    raise ValueError("a secret of a thread")


@app.route("leaving", methods=["GET"])
async def leaving(req: func.HttpRequest) -> func.HttpResponse:
    raise SystemExit(3)


@app.route("sync_leaving", methods=["GET"])
def sync_leaving(req: func.HttpRequest) -> func.HttpResponse:
    raise KeyboardInterrupt


@app.route("cancelled", methods=["GET"])
async def cancelled(req: func.HttpRequest) -> func.HttpResponse:
    raise asyncio.CancelledError


@app.route("wrong_answer", methods=["GET"])
async def wrong_answer(req: func.HttpRequest) -> func.HttpResponse:
    return 42  # type: ignore[return-value] # the mistake that is tested


@app.route("log/{word}", methods=["GET"])
async def log(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    logging.getLogger("sample").info("heard %s", req.route_params["word"])
    return as_json(context.invocation_id)


@app.route("thread", methods=["GET"])
def thread(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    logging.getLogger("sample").info("in a thread")
    return as_json([threading.current_thread() is threading.main_thread(), context.invocation_id])


@app.route("arrive/{together:int}", methods=["GET"])
async def arrive(req: func.HttpRequest) -> func.HttpResponse:
    """Answer when as many requests as it says are under way at once."""
    together = int(req.route_params["together"])
    barrier = arrivals.setdefault(together, asyncio.Barrier(together))
    await barrier.wait()
    return as_json(together)


@app.route("pipe/async", methods=["POST"])
async def wait_for_pipe(req: func.HttpRequest) -> func.HttpResponse:
    """Say that it has come, and answer when somebody lets it go."""
    folder = Path(req.get_body().decode())
    await asyncio.to_thread((folder / "arrived").write_text, "yes")
    return as_json(await asyncio.to_thread((folder / "go").read_text))


@app.route("pipe/sync", methods=["POST"])
def block_on_pipe(req: func.HttpRequest) -> func.HttpResponse:
    folder = Path(req.get_body().decode())
    (folder / "arrived").write_text("yes")
    return as_json((folder / "go").read_text())


@app.timer_trigger("timer", schedule="0 0 3 * * *")
async def nightly(timer: func.TimerRequest) -> None:
    # The declared type lacks the last two, which the class of the library has.
    given: Any = timer
    timer_events.append({"past_due": given.past_due, "status": given.schedule_status, "schedule": given.schedule})


@app.timer_trigger("timer", schedule="%EVERY_SECOND%")
async def ticking(timer: func.TimerRequest) -> None:
    ticked.set()


@app.timer_trigger("timer", schedule="0 0 0 1 1 *", run_on_startup=True)
async def at_start(timer: func.TimerRequest) -> None:
    logging.getLogger("sample").info("started with the host")


@app.timer_trigger("timer", schedule="0 0 0 1 1 *")
async def failing(timer: func.TimerRequest) -> None:
    raise ValueError("a night without data")


@app.route("timers/nightly", methods=["GET"])
async def nightly_events(req: func.HttpRequest) -> func.HttpResponse:
    return as_json(timer_events)


@app.route("timers/ticking", methods=["GET"])
async def first_tick(req: func.HttpRequest) -> func.HttpResponse:
    await ticked.wait()
    return as_json("ticked")
