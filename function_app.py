"""The Azure Functions of this app. Each only translates between Functions and our code."""

from __future__ import annotations

import json

import azure.functions as func

import cold_start
import composition
from mcp_server.exchange import HttpAnswer, HttpRequest
from updates.report import SyncKind

METHODS = [func.HttpMethod.GET, func.HttpMethod.POST, func.HttpMethod.DELETE, func.HttpMethod.OPTIONS]

# A setting that cannot be right is told when the app starts, and not by every request.
composition.quiet_libraries()
composition.catalog()

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)


@app.route("mcp", methods=METHODS)
async def mcp(req: func.HttpRequest) -> func.HttpResponse:
    return _response(await composition.endpoint().handle(_request(req)))


@app.route("mcp/x/{toolsets}", methods=METHODS)
async def mcp_of_toolsets(req: func.HttpRequest) -> func.HttpResponse:
    return _response(await composition.endpoint().handle(_request(req), req.route_params["toolsets"]))


@app.route("health", methods=[func.HttpMethod.GET])
async def health(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse(json.dumps(await composition.health()), mimetype="application/json")


@app.route("updates.csv", methods=[func.HttpMethod.GET])
async def updates_csv(req: func.HttpRequest) -> func.HttpResponse:
    return _response(await composition.export("csv", req.params))


@app.route("updates.ics", methods=[func.HttpMethod.GET])
async def updates_ics(req: func.HttpRequest) -> func.HttpResponse:
    return _response(await composition.export("ics", req.params))


@app.route("updates.rss", methods=[func.HttpMethod.GET])
async def updates_rss(req: func.HttpRequest) -> func.HttpResponse:
    return _response(await composition.export("rss", req.params))


@app.timer_trigger("timer", schedule=composition.settings().updates_delta_schedule)
async def sync_updates_delta(timer: func.TimerRequest) -> None:
    await composition.library().sync(SyncKind.DELTA)


@app.timer_trigger("timer", schedule=composition.settings().updates_reconcile_schedule)
async def sync_updates_reconcile(timer: func.TimerRequest) -> None:
    await composition.library().sync(SyncKind.RECONCILE)


def _request(req: func.HttpRequest) -> HttpRequest:
    return HttpRequest(req.method, "/mcp", req.headers, req.get_body())


def _response(answer: HttpAnswer) -> func.HttpResponse:
    return func.HttpResponse(
        answer.body,
        status_code=answer.status,
        headers=answer.headers,
        mimetype=answer.headers.get("content-type", "text/plain"),
    )


cold_start.finish()
