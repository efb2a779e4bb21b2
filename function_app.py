"""The Azure Functions of this app. Each function only converts between the types of Azure Functions and
our own types.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import azure.functions as func

import cold_start
from answer_stream import OFFERED
from app.build import TASKS
from app.jobs import Job
from app.pages import AppPages
from app.plain_http import PlainHttp
from composition import APP
from identity.limits import address_of
from mcp_server.http.messages import HttpAnswer, HttpRequest, request_at

METHODS = [func.HttpMethod.GET, func.HttpMethod.POST, func.HttpMethod.DELETE, func.HttpMethod.OPTIONS]
ANY = list(func.HttpMethod)
METADATA = ".well-known/oauth-protected-resource"
SIGN_IN = {
    "sign_in_metadata": ".well-known/oauth-authorization-server",
    "sign_in_metadata_of": ".well-known/oauth-authorization-server/{*resource}",
    "sign_in_openid_metadata": ".well-known/openid-configuration",
    "sign_in_openid_metadata_of": ".well-known/openid-configuration/{*resource}",
    "sign_in_register": "register",
    "sign_in_authorize": "authorize",
    "sign_in_callback": "callback",
    "sign_in_token": "token",
}

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)
# With AUTH_MODE=key, the Functions host checks the key before it calls a protected function.
SIGN_IN_SETTINGS = APP.settings.sign_in
GUARDED = func.AuthLevel.FUNCTION if SIGN_IN_SETTINGS.mode == "key" else func.AuthLevel.ANONYMOUS
PAGES = AppPages(APP)
PLAIN = PlainHttp(APP.endpoint)
EXPORTED = [func.HttpMethod.GET, func.HttpMethod.HEAD, func.HttpMethod.DELETE]
WRITTEN = [func.HttpMethod.GET, func.HttpMethod.PUT, func.HttpMethod.DELETE]


@app.route("mcp", methods=METHODS, auth_level=GUARDED)
async def mcp(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await APP.endpoint.handle(_request(req, context)))


@app.route("mcp/x/{toolsets}", methods=METHODS, auth_level=GUARDED)
async def mcp_of_toolsets(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await APP.endpoint.handle(_request(req, context), req.route_params["toolsets"]))


@app.route("tools", methods=[func.HttpMethod.GET], auth_level=GUARDED)
async def tools(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PLAIN.list_tools(_request(req, context)))


@app.route("tools/execute", methods=[func.HttpMethod.POST], auth_level=GUARDED)
async def execute_tool(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PLAIN.execute(_request(req, context)))


@app.route("tools/{name}", methods=[func.HttpMethod.POST], auth_level=GUARDED)
async def tools_by_name(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PLAIN.call_tool(_request(req, context), req.route_params["name"]))


@app.route("mcp/initialize", methods=[func.HttpMethod.POST], auth_level=GUARDED)
async def mcp_initialize(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PLAIN.begin_session(_request(req, context)))


@app.route("mcp/tools", methods=[func.HttpMethod.GET], auth_level=GUARDED)
async def mcp_tools(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PLAIN.list_tools(_request(req, context)))


@app.route("mcp/tools/execute", methods=[func.HttpMethod.POST], auth_level=GUARDED)
async def mcp_execute_tool(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PLAIN.execute(_request(req, context)))


@app.route("resources", methods=WRITTEN, auth_level=GUARDED)
async def resources(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PLAIN.resources(_request(req, context)))


@app.route("resources/{*uri}", methods=WRITTEN, auth_level=GUARDED)
async def resources_by_path(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PLAIN.resources(_request(req, context)))


@app.route("openapi.json", methods=[func.HttpMethod.GET], auth_level=GUARDED)
async def openapi(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.openapi(_request(req, context)))


@app.route("health", methods=[func.HttpMethod.GET])
async def health(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.health(_request(req, context)))


@app.route("updates.csv", methods=EXPORTED, auth_level=GUARDED)
async def updates_csv(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.updates(_request(req, context), "csv"))


@app.route("updates.ics", methods=EXPORTED, auth_level=GUARDED)
async def updates_ics(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.updates(_request(req, context), "ics"))


@app.route("updates.rss", methods=EXPORTED, auth_level=GUARDED)
async def updates_rss(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.updates(_request(req, context), "rss"))


# Feed readers cannot sign in, so anyone with a feed's URL can read the feed, regardless of AUTH_MODE.
@app.route("watches.atom", methods=[func.HttpMethod.GET, func.HttpMethod.HEAD])
async def watches_atom(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.watch(_request(req, context)))


@app.route("updates.pdf", methods=EXPORTED, auth_level=GUARDED)
async def updates_pdf(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.updates(_request(req, context), "pdf"))


if APP.settings.server.explorer:

    @app.route("updates", methods=[func.HttpMethod.GET])
    async def updates(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.found_updates(_request(req, context)))

    @app.route("updates/{update}", methods=[func.HttpMethod.GET])
    async def update(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.update(_request(req, context), req.route_params["update"]))

    @app.route("retirements", methods=[func.HttpMethod.GET])
    async def retirements(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.retirements(_request(req, context)))

    @app.route("calendar", methods=[func.HttpMethod.GET])
    async def calendar(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.calendar(_request(req, context)))

    @app.route("here", methods=[func.HttpMethod.GET])
    async def here(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.here(_request(req, context)))

    @app.route("connect", methods=[func.HttpMethod.GET])
    async def connect(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.connect(_request(req, context)))


DECIDED = [func.HttpMethod.GET, func.HttpMethod.POST]


@app.route("changes", methods=DECIDED)
async def changes(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.changes(_request(req, context)))


@app.route("changes/{change}", methods=DECIDED)
async def change(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.change(_request(req, context), req.route_params["change"]))


@app.route("assets/{file}", methods=[func.HttpMethod.GET])
async def asset(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.asset(_request(req, context), req.route_params["file"]))


if APP.has_consents:

    @app.route("extensions/{name}", methods=DECIDED)
    async def extension(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.extension(_request(req, context), req.route_params["name"]))

    @app.route("extension-callback/{*of}", methods=[func.HttpMethod.GET])
    async def extension_callback(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.extension_callback(_request(req, context)))

    @app.route("extension-client.json", methods=[func.HttpMethod.GET])
    async def extension_client(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.extension_client(_request(req, context)))


@app.queue_trigger("message", queue_name=TASKS, connection="AzureWebJobsStorage")
async def work(message: func.QueueMessage) -> None:
    await APP.work(message.get_body().decode())


def _timer(job: Job) -> Callable[[func.TimerRequest], Awaitable[None]]:
    async def run(timer: func.TimerRequest) -> None:
        await job.run()

    return run


for job in APP.jobs.all():
    app.function_name(job.name)(app.timer_trigger("timer", schedule=job.schedule)(_timer(job)))


if SIGN_IN_SETTINGS.mode == "oauth":

    @app.route(METADATA, methods=[func.HttpMethod.GET])
    async def resource_metadata(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.resource_metadata(_request(req, context), "/mcp"))

    @app.route(f"{METADATA}/{{*resource}}", methods=[func.HttpMethod.GET])
    async def resource_metadata_of(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        return _response(await PAGES.resource_metadata(_request(req, context), f"/{req.route_params['resource']}"))


@app.route("{ignored:maxlength(0)?}", methods=ANY)
async def home(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.directions(_request(req, context)))


# Azure sorts functions by name and uses the first match, so the name of this catch-all function must sort last.
@app.route("{*elsewhere}", methods=ANY)
async def zz_elsewhere(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.directions(_request(req, context)))


async def _sign_in(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return _response(await PAGES.sign_in(_request(req, context)))


if SIGN_IN_SETTINGS.mode == "oauth" and SIGN_IN_SETTINGS.bridge_client_id:
    for name, route in SIGN_IN.items():
        app.function_name(name)(app.route(route, methods=METHODS)(_sign_in))


def _request(req: func.HttpRequest, context: func.Context) -> HttpRequest:
    headers = {**req.headers, "traceparent": context.trace_context.trace_parent or ""}
    address = address_of(headers) if APP.settings.place.is_on_azure else ""
    request = request_at(req.url, req.method, headers, req.get_body())
    return replace(request, address=address, invocation=context.invocation_id, stream=OFFERED.get())


def _response(answer: HttpAnswer) -> func.HttpResponse:
    return func.HttpResponse(
        answer.body,
        status_code=answer.status,
        headers=answer.headers,
        mimetype=answer.headers.get("content-type", "text/plain"),
    )


cold_start.finish()
