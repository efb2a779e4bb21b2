"""Answers HTTP requests other than MCP: health, updates as files, pages and sign-in."""

from __future__ import annotations

import asyncio
from functools import partial
from hashlib import sha256
from typing import Any, Final

from app.build import VERSION, App
from app.directions import give_directions, is_for_people
from app.doubts import doubts_about, public_doubts_about
from app.signing_in import NAME, is_resource, resources_of
from identity.denial import Denial, Unavailable
from mcp_server.http.messages import JSON, HttpAnswer, HttpRequest, has, run
from mcp_server.http.pages import ANY_METHOD, PERSONAL, PLAIN_TEXT, Page, parameters_of, plain_error
from mcp_server.protocol.json_text import to_json
from mcp_server.visit import Trace
from tools.azure_updates import SEARCH
from tools.azure_updates.access import UPDATES, UpdatesAccess
from tools.extensions import toolset as looking_after
from tools.extensions.access import EXTENSIONS
from tools.watches.access import WATCH, WATCHES

# Feed and calendar clients send HEAD to check for changes. The Functions host removes the body from the response.
READ: Final = ("GET", "HEAD")
# The query parameter with the ID of a report that was created for one user.
REPORT: Final = "report"
_SIGN_IN_METHODS: Final = ("GET", "POST", "DELETE", "OPTIONS")
# The query parameter with the key for the Functions host. The host checks the key before the app gets the request.
_FUNCTIONS_KEY: Final = "code"
_OF_THE_ADDRESS: Final = {PERSONAL, _FUNCTIONS_KEY}
# The maximum number of requests that wait for a file to be created. Creating a file takes far less than a second.
_FILES_WAITING: Final = 16
_SECONDS_TO_WAIT: Final = 5
_TEXT: Final = {"content-type": PLAIN_TEXT}


class AppPages:
    def __init__(self, app: App) -> None:
        self._app = app
        self._settings = app.settings

    async def health(self, request: HttpRequest) -> HttpAnswer:
        """The health report for operators."""
        return await self._app.pages.handle(request, Page(self._health))

    async def directions(self, request: HttpRequest) -> HttpAnswer:
        """Answer the root and unknown paths with a list of all paths. Browsers see the explorer at the root."""
        if (
            request.path == "/"
            and request.method == "GET"
            and self._settings.server.explorer
            and is_for_people(request)
        ):
            return await self._app.explorer.home(request)
        return await self._app.pages.handle(
            request, Page(partial(give_directions, self._settings.server.notice), ANY_METHOD)
        )

    async def updates(self, request: HttpRequest, form: str) -> HttpAnswer:
        """For GET, return the matching updates as a file in this format. For DELETE, revoke the user's links."""
        if request.method == "DELETE":
            return await self._app.pages.handle(request, Page(self._end_addresses, ("DELETE",)))
        # App Service does not authenticate requests for these paths, so that calendars can read the files. Callers
        # could therefore forge App Service's identity headers.
        personal = self._settings.sign_in.mode == "platform"
        shown = Page(partial(self._export, form), READ, shows=SEARCH, is_only_personal=personal)
        return await self._app.pages.handle(request, shown)

    async def found_updates(self, request: HttpRequest) -> HttpAnswer:
        """A page to search and filter the updates."""
        return await self._app.explorer.updates(request)

    async def update(self, request: HttpRequest, update_id: str) -> HttpAnswer:
        """A page that shows one update and its history."""
        return await self._app.explorer.update(request, update_id)

    async def retirements(self, request: HttpRequest) -> HttpAnswer:
        """A page with a timeline of retirements."""
        return await self._app.explorer.retirements(request)

    async def calendar(self, request: HttpRequest) -> HttpAnswer:
        """A page with the retirements of a month."""
        return await self._app.explorer.calendar(request)

    async def here(self, request: HttpRequest) -> HttpAnswer:
        """A page with the retirements that affect the user's own Azure resources."""
        return await self._app.explorer.here(request)

    async def connect(self, request: HttpRequest) -> HttpAnswer:
        """A page that shows how to connect a client, and which tools the client will have."""
        return await self._app.explorer.connect(request)

    async def watch(self, request: HttpRequest) -> HttpAnswer:
        """The news feed of a watch. Anyone with the URL can read the feed."""
        return await self._app.pages.handle(request, Page(self._watch, READ))

    async def openapi(self, request: HttpRequest) -> HttpAnswer:
        """The tools that the caller has access to, as an OpenAPI document."""
        from mcp_server.http.openapi.document import About
        from mcp_server.http.openapi.page import openapi

        about = About(request.origin, self._settings.sign_in.mode, NAME, VERSION)
        return await openapi(self._app.endpoint, request, about)

    async def resource_metadata(self, request: HttpRequest, path: str) -> HttpAnswer:
        """The metadata that tells a client how to sign in for this path."""
        return await self._app.pages.handle(request, Page(partial(self._metadata, path), is_for_any_origin=True))

    async def change(self, request: HttpRequest, name: str) -> HttpAnswer:
        """The page of a change, where users approve or deny it."""
        return await self._app.decision_pages.change(request, name)

    async def changes(self, request: HttpRequest) -> HttpAnswer:
        """The page that lists the changes that the user can approve or deny."""
        return await self._app.decision_pages.changes(request)

    async def extension(self, request: HttpRequest, name: str) -> HttpAnswer:
        """The page where users sign in to an extension or sign out of it."""
        return await self._app.sign_in_pages.extension(request, name)

    async def extension_callback(self, request: HttpRequest) -> HttpAnswer:
        """The redirect URI, where an extension's issuer sends the browser after a sign-in."""
        return await self._app.sign_in_pages.come_back(request)

    async def extension_client(self, request: HttpRequest) -> HttpAnswer:
        """The client metadata that this server publishes for the issuers of extensions."""
        return await self._app.pages.handle(request, Page(self._client))

    async def asset(self, request: HttpRequest, file: str) -> HttpAnswer:
        """A static file of the pages, such as a style sheet."""
        return await self._app.pages.handle(request, Page(partial(self._asset, file)))

    async def sign_in(self, request: HttpRequest) -> HttpAnswer:
        """Serves the sign-in bridge, and the redirect URI of this server's pages."""
        if request.method == "GET" and request.path == "/callback" and self._app.visiting.is_back(request):
            return await self._app.visiting.come_back(request)
        return await self._app.pages.handle(request, Page(self._bridged, _SIGN_IN_METHODS, is_for_any_origin=True))

    async def _health(self, request: HttpRequest, trace: Trace) -> HttpAnswer:
        details, tasks = await asyncio.gather(self._app.providers.health(), self._app.health_of_tasks.report())
        warnings = doubts_about(self._settings, self._app.all_providers)
        if not await self._is_of_an_operator(request, trace):
            details.pop(EXTENSIONS.name, None)
            warnings = public_doubts_about(self._settings)
        document = {
            "status": "ok",
            "version": VERSION,
            **({"notice": notice} if (notice := self._settings.server.notice) else {}),
            "toolsets": [toolset.name for toolset in self._app.catalog.toolsets],
            **details,
            "tasks": tasks,
            "warnings": warnings,
        }
        return HttpAnswer(200, to_json(document), {"content-type": JSON})

    async def _is_of_an_operator(self, request: HttpRequest, trace: Trace) -> bool:
        """Whether the request proves that it comes from an operator, who is allowed to manage extensions."""
        # The path is public, so App Service and the Functions host do not check the request's headers.
        if self._settings.sign_in.mode not in {"none", "oauth"}:
            return False
        try:
            trace.let_in(await self._app.door.enter(request.headers))
        except Denial as denial:
            if denial.error:
                raise
            return False
        return self._app.door.grants_of(trace.requester.caller).opens(looking_after.name)

    async def _export(self, form: str, request: HttpRequest, trace: Trace) -> HttpAnswer:
        access = await self._app.providers.get(UPDATES)
        access.export_limit.take((request.address, trace.requester.caller.principal))
        if access.exports.waiting >= _FILES_WAITING:
            raise Unavailable("The server is busy creating files. Try again in a few seconds.", _SECONDS_TO_WAIT)
        filters = {name: value for name, value in parameters_of(request).items() if name not in _OF_THE_ADDRESS}
        if form == "pdf" and (name := filters.pop(REPORT, "")):
            return await self._kept_report(access, name, trace)
        file = await access.exports.file(await access.library.index(), form, filters)
        kept = "private" if trace.requester.view.cache_scope == "private" else "public"
        caching = {"cache-control": f"{kept}, max-age=300", "etag": file.etag}
        if has(request, file.etag):
            return HttpAnswer(304, b"", caching)
        headers = {"content-type": file.media_type, "x-content-type-options": "nosniff", **caching}
        return HttpAnswer(200, file.content, headers)

    async def _watch(self, request: HttpRequest, _trace: Trace) -> HttpAnswer:
        from watching.feed import MEDIA_TYPE

        kept = (await self._app.providers.get(WATCHES)).watches
        content = await kept.feed(parameters_of(request).get(WATCH, ""))
        if content is None:
            return plain_error(404, 0, "This feed no longer exists. Use update_watch to get a new URL.")
        tag = f'"{sha256(content).hexdigest()[:32]}"'
        caching = {"cache-control": "private, max-age=300", "etag": tag}
        if has(request, tag):
            return HttpAnswer(304, b"", caching)
        return HttpAnswer(200, content, {"content-type": MEDIA_TYPE, "x-content-type-options": "nosniff", **caching})

    async def _kept_report(self, access: UpdatesAccess, name: str, trace: Trace) -> HttpAnswer:
        from tasks.task import owner_of

        content = await access.reports.read(owner_of(trace.requester.caller), name)
        if content is None:
            return plain_error(404, 0, "This report has expired, or belongs to someone else. Request a new one.")
        headers = {"content-type": "application/pdf", "x-content-type-options": "nosniff", "cache-control": "private"}
        return HttpAnswer(200, content, headers)

    async def _end_addresses(self, request: HttpRequest, _trace: Trace) -> HttpAnswer:
        await self._app.addresses.end_all(parameters_of(request).get(PERSONAL, ""))
        return HttpAnswer(200, b"All addresses that you were given until now have ended.", _TEXT)

    async def _metadata(self, path: str, request: HttpRequest, _trace: Trace) -> HttpAnswer:
        if not is_resource(path):
            return plain_error(404, 0, "No sign-in is required for this path.")
        document = resources_of(self._settings, request.origin).document(path)
        # Pages of other origins may read this document. Sign-ins require this document, which contains no secrets.
        return HttpAnswer(200, to_json(document), {"content-type": JSON, "access-control-allow-origin": "*"})

    async def _client(self, request: HttpRequest, _trace: Trace) -> HttpAnswer:
        from extensions.sign_in.registering import document_of

        return HttpAnswer(200, to_json(document_of(request.origin)), {"content-type": JSON})

    async def _asset(self, file: str, _request: HttpRequest, _trace: Trace) -> HttpAnswer:
        from browsing.rendering import asset

        return asset(file) or plain_error(404, 0, "File not found.")

    async def _bridged(self, request: HttpRequest, trace: Trace) -> HttpAnswer:
        from app.bridge_steps import step_of
        from identity.bridge.sign_in import NOTED

        self._app.gate.check_body(request)
        noted: dict[str, Any] = {}
        answer = await run(self._app.bridge(request.origin), request, {NOTED: noted, "client": (request.address, 0)})
        if step := step_of(request, answer, noted):
            trace.let_in(step.caller)
            self._app.reception.record_step(trace, step)
        return answer
