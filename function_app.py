"""The Azure Functions of this app. Each only translates between Functions and our code."""

from __future__ import annotations

import json

import azure.functions as func

import cold_start
import composition
from mcp_server.exchange import HttpAnswer, HttpRequest

METHODS = [func.HttpMethod.GET, func.HttpMethod.POST, func.HttpMethod.DELETE, func.HttpMethod.OPTIONS]

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)


@app.route("mcp", methods=METHODS)
async def mcp(req: func.HttpRequest) -> func.HttpResponse:
    return _response(await composition.endpoint().handle(_request(req)))


@app.route("mcp/x/{toolsets}", methods=METHODS)
async def mcp_of_toolsets(req: func.HttpRequest) -> func.HttpResponse:
    return _response(await composition.endpoint().handle(_request(req), req.route_params["toolsets"]))


@app.route("health", methods=[func.HttpMethod.GET])
async def health(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse(json.dumps(composition.health()), mimetype="application/json")


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
