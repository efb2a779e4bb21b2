"""The MCP server: answers each method from the view that the request carries."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Final

import mcp_types
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.server.mcpserver.resources import Resource as ReadableResource
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import ValidationError

from mcp_server.bounds import LONGEST_COMPLETED, LONGEST_OF_A_PROMPT, LONGEST_URI, bounded, excess
from mcp_server.calls.call import call
from mcp_server.calls.notice import Handler, Notice
from mcp_server.calls.until_answered import until_answered
from mcp_server.catalog.right_call import LEARN, repeated
from mcp_server.declarations.invalid_arguments import problems_of
from mcp_server.declarations.names import Names
from mcp_server.declarations.prompt import Prompt
from mcp_server.declarations.resource import Resource
from mcp_server.declarations.tool import Result, Tool
from mcp_server.failures import denial_behind, report_failure
from mcp_server.long_work.methods import TasksExtension, announced
from mcp_server.long_work.telling import begun, begun_document
from mcp_server.remote_content import completed, got
from mcp_server.remote_content import listed as listed_remotely
from mcp_server.remote_content import read as read_remotely
from mcp_server.shelves import listed, read
from mcp_server.view import View, why_tool_absent
from mcp_server.visit import view_of, view_under_way, visit_of
from mcp_server.wording import listing, nearest, speakable
from refusal import Refusal
from tasks.task import Task

# How long a client may keep a list: the time after which a deployment's new tools are noticed.
LIST_TTL_MS: Final = 5 * 60 * 1000
_COMPLETIONS: Final = 100
_LONGEST_URI_REPEATED: Final = 1000
_NO_PAGES: Final = "There are no further pages: lists are answered whole, so leave the cursor out."

# What comes and goes is asked for each time.
_NEVER_KEPT: Final[dict[str, Any]] = {"ttl_ms": 0, "cache_scope": "private"}

RequestContext = ServerRequestContext[Any, Any]
Services = Callable[[], AbstractAsyncContextManager[object]]


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What the server says of itself. The name is also the audience of the request states that it seals.

    `notice` is a sentence in every answer, and in the instructions.
    """

    name: str
    title: str
    version: str
    instructions: str
    notice: str = ""


def build_server(info: ServerInfo, services: Services, keys: Sequence[str]) -> Server[Any]:
    """Build the server; `services` gives what tools may ask for, `keys` seal request states over all instances.

    Each of the SDK's two ways to answer enters `services` once, so what they give is to be the same each time.

    It knows of no catalog: toolsets come and go while it runs, and each request brings the view that it may see. So
    every method is there from the start, and completes or lists nothing where there is nothing.
    """
    notice = Notice(info.notice)
    server: Server[Any] = Server(
        info.name,
        title=info.title,
        version=info.version,
        instructions=f"{info.notice}\n\n{info.instructions}" if info.notice else info.instructions,
        lifespan=lambda _: services(),
        cache_hints={"server/discover": CacheHint(ttl_ms=LIST_TTL_MS, scope="public")},
        get_tool_input_schema=_schema_with_headers,
        on_list_tools=_list_tools,
        on_call_tool=_with_tasks(notice.around(until_answered(_call_tool))),
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_resource_templates,
        on_read_resource=notice.around(_read_resource),
        on_list_prompts=_list_prompts,
        on_get_prompt=notice.around(_get_prompt),
        on_completion=_complete,
    )
    security = RequestStateSecurity(keys=keys or [os.urandom(32)], bind_principal=_principal)
    TasksExtension(notice).offer(server)
    # The SDK's own middleware for traces tells of each request what callers sent.
    server.middleware = [_tell_defects, announced, RequestStateBoundary(security, default_audience=info.name)]
    return server


def _schema_with_headers(name: str) -> Mapping[str, Any] | None:
    """The schema that tells which arguments a client has to repeat in headers, if it has to repeat any."""
    tools = view_under_way().called(name)
    return tools[0].input_schema if len(tools) == 1 and tools[0].takes_headers else None


def _principal(ctx: RequestContext) -> str:
    return json.dumps(visit_of(ctx).caller.principal)


async def _tell_defects(ctx: RequestContext, call_next: CallNext) -> HandlerResult:
    """Nothing of an exception that nobody expected may reach a caller, in whichever method it was raised."""
    try:
        return await call_next(ctx)
    except MCPError as refused:
        visit_of(ctx).denial = denial_behind(refused)
        raise MCPError(refused.code, bounded(refused.error.message), refused.error.data) from refused.__cause__
    except Exception as failure:
        visit_of(ctx).denial = denial_behind(failure)
        if isinstance(failure, ValidationError):
            raise
        raise MCPError(INTERNAL_ERROR, report_failure("The request", failure)) from failure


def _listed_view(ctx: RequestContext, params: mcp_types.PaginatedRequestParams | None) -> View:
    if params is not None and params.cursor is not None:
        raise MCPError(INVALID_PARAMS, _NO_PAGES)
    return view_of(ctx)


def _freshness(view: View) -> dict[str, Any]:
    return {"ttl_ms": LIST_TTL_MS, "cache_scope": view.cache_scope}


def _freshness_beside_tools(view: View) -> dict[str, Any]:
    return _NEVER_KEPT if view.remote_content else _freshness(view)


async def _list_tools(
    ctx: RequestContext, params: mcp_types.PaginatedRequestParams | None
) -> mcp_types.ListToolsResult:
    view = _listed_view(ctx, params)
    return mcp_types.ListToolsResult(tools=view.listed_tools, **_freshness(view))


def _with_tasks(calling: Handler[mcp_types.CallToolRequestParams, Result]) -> Callable[..., Awaitable[Any]]:
    """Answer with a task in the form of the protocol, which is none of those that the SDK knows."""

    async def handle(ctx: RequestContext, params: mcp_types.CallToolRequestParams) -> Any:
        result = await calling(ctx, params)
        return begun_document(result, visit_of(ctx).tasks()) if isinstance(result, Task) else result

    return handle


async def _call_tool(ctx: RequestContext, params: mcp_types.CallToolRequestParams) -> Result:
    view = view_of(ctx)
    tools = view.called(params.name)
    if len(tools) != 1:
        raise MCPError(INVALID_PARAMS, _no_such_tool(params, tools, view))
    result = await call(tools[0], params.arguments or {}, Context(request_context=ctx, input_params=params))
    return begun(result, ctx) if isinstance(result, Task) else result


def _no_such_tool(params: mcp_types.CallToolRequestParams, meant: Sequence[Tool], view: View) -> str:
    name = params.name
    if meant:
        names = " or ".join(tool.qualified_name for tool in meant)
        return f"Several toolsets have a tool {name!r}. Call {names}."
    unknown = f"Unknown tool: {name[:100]!r}."
    if told := _told_of_reached(params, view):
        return f"{unknown} It is not called by its own name.{told}"
    if lacking := why_tool_absent(name, view.absent):
        return f"{unknown} {lacking}"
    hint = f' Others are called through {LEARN!r}: send it {{"learn": true}}.' if LEARN in view.tools else ""
    return f"{unknown}{nearest(name, list(view.tools))} The tools are {listing(view.tools)}.{hint}"


def _told_of_reached(params: mcp_types.CallToolRequestParams, view: View) -> str:
    """The call of a tool of this name that is not listed, and is reached; nothing if there is not just one."""
    reached = Names(tool for toolset in view.toolsets for tool in toolset.tools).named(params.name)
    return repeated(reached[0], params.arguments or {}, view) if len(reached) == 1 else ""


async def _list_resources(
    ctx: RequestContext, params: mcp_types.PaginatedRequestParams | None
) -> mcp_types.ListResourcesResult:
    view, cursor = view_of(ctx), params.cursor if params else None
    if not view.shelves:
        _listed_view(ctx, params)
    # The first page has what is declared, too.
    declared = [] if cursor else [resource.published for resource in view.resources if not resource.is_template]
    kept, following = await listed(ctx, cursor)
    if not cursor:
        declared += await listed_remotely(ctx, "resources")
    freshness = _NEVER_KEPT if view.shelves else _freshness_beside_tools(view)
    return mcp_types.ListResourcesResult(resources=[*declared, *kept], next_cursor=following, **freshness)


async def _list_resource_templates(
    ctx: RequestContext, params: mcp_types.PaginatedRequestParams | None
) -> mcp_types.ListResourceTemplatesResult:
    view = _listed_view(ctx, params)
    templates = [resource.published_template for resource in view.resources if resource.is_template]
    templates += [template.published for shelf in view.shelves.values() for template in shelf.templates]
    templates += await listed_remotely(ctx, "resourceTemplates")
    return mcp_types.ListResourceTemplatesResult(resource_templates=templates, **_freshness_beside_tools(view))


async def _read_resource(
    ctx: RequestContext, params: mcp_types.ReadResourceRequestParams
) -> mcp_types.ReadResourceResult | mcp_types.InputRequiredResult:
    uri = str(params.uri)
    if (kept := await read(ctx, uri, params.meta)) is not None:
        return mcp_types.ReadResourceResult(contents=[kept], **_NEVER_KEPT)
    if (theirs := await read_remotely(ctx, uri)) is not None:
        return theirs.model_copy(update=_NEVER_KEPT)
    resource, variables = _resource_at(uri, view_of(ctx))
    context = Context(request_context=ctx, input_params=params)
    try:
        found = await resource.sdk.create_resource(uri, variables, context)
        if isinstance(found, mcp_types.InputRequiredResult):
            return found
        content = await found.read()
    except ResourceError as failure:
        raise _unreadable(resource, uri, failure.__cause__ or failure) from failure
    contents = [_contents(uri, found, content)]
    return mcp_types.ReadResourceResult(contents=contents, ttl_ms=resource.ttl_ms, cache_scope=view_of(ctx).cache_scope)


def _resource_at(uri: str, view: View) -> tuple[Resource, dict[str, Any]]:
    for resource in view.resources if len(uri) <= LONGEST_URI else ():
        try:
            variables = resource.sdk.matches(uri)
        except ValueError:  # a variable that tries to leave its place in the address
            break
        if variables is not None:
            return resource, dict(variables)
    known = listing(resource.uri for resource in view.resources)
    raise MCPError(INVALID_PARAMS, f"Unknown resource. The resources are {known or 'none'}.", {"uri": _cut(uri)})


def _unreadable(resource: Resource, uri: str, cause: BaseException) -> MCPError:
    data = {"uri": _cut(uri)}
    if isinstance(cause, ValidationError) and cause.title == resource.function.__name__:
        return MCPError(INVALID_PARAMS, "; ".join(problems_of(cause, {})), data)
    code = INVALID_PARAMS if isinstance(cause, Refusal | ResourceError) else INTERNAL_ERROR
    return MCPError(code, report_failure(f"Resource {resource.uri}", cause), data)


def _cut(uri: str) -> str:
    return speakable(uri[:_LONGEST_URI_REPEATED])


def _contents(
    uri: str, resource: ReadableResource, content: str | bytes
) -> mcp_types.TextResourceContents | mcp_types.BlobResourceContents:
    if isinstance(content, bytes):
        blob = base64.b64encode(content).decode()
        return mcp_types.BlobResourceContents(uri=uri, blob=blob, mime_type=resource.mime_type)
    return mcp_types.TextResourceContents(uri=uri, text=speakable(content), mime_type=resource.mime_type)


async def _list_prompts(
    ctx: RequestContext, params: mcp_types.PaginatedRequestParams | None
) -> mcp_types.ListPromptsResult:
    view = _listed_view(ctx, params)
    prompts = [prompt.published for prompt in view.prompts.values()]
    prompts += await listed_remotely(ctx, "prompts")
    return mcp_types.ListPromptsResult(prompts=prompts, **_freshness_beside_tools(view))


async def _get_prompt(
    ctx: RequestContext, params: mcp_types.GetPromptRequestParams
) -> mcp_types.GetPromptResult | mcp_types.InputRequiredResult:
    prompts = view_of(ctx).prompts
    prompt = prompts.get(params.name)
    if prompt is None and (theirs := await _remote_prompt(ctx, params)):
        return theirs
    if prompt is None:
        hint = nearest(params.name, list(prompts))
        raise MCPError(
            INVALID_PARAMS,
            f"Unknown prompt: {params.name[:100]!r}.{hint} The prompts are {listing(prompts) or 'none'}.",
        )
    _refuse_too_much(params.arguments or {}, LONGEST_OF_A_PROMPT)
    _refuse_wrong_arguments(prompt, params.arguments or {})
    try:
        messages = await prompt.sdk.render(
            dict(params.arguments or {}), Context(request_context=ctx, input_params=params)
        )
    except ValueError as failure:
        raise _unrendered(prompt, failure.__cause__ or failure) from failure
    if isinstance(messages, mcp_types.InputRequiredResult):
        return messages
    rendered = [mcp_types.PromptMessage(role=message.role, content=message.content) for message in messages]
    return mcp_types.GetPromptResult(description=prompt.sdk.description, messages=rendered)


async def _remote_prompt(
    ctx: RequestContext, params: mcp_types.GetPromptRequestParams
) -> mcp_types.GetPromptResult | None:
    _refuse_too_much(params.arguments or {}, LONGEST_OF_A_PROMPT)
    return await got(ctx, params.name, params.arguments or {})


def _refuse_too_much(texts: Mapping[str, str], longest: int) -> None:
    if too_much := excess(texts):
        raise MCPError(INVALID_PARAMS, too_much)
    if any(len(text) > longest for text in texts.values()):
        raise MCPError(INVALID_PARAMS, f"A value is longer than {longest} characters.")


def _refuse_wrong_arguments(prompt: Prompt, arguments: dict[str, str]) -> None:
    declared = prompt.published.arguments or []
    missing = [argument.name for argument in declared if argument.required and not arguments.get(argument.name)]
    unknown = arguments.keys() - {argument.name for argument in declared}
    if missing:
        raise MCPError(INVALID_PARAMS, f"The prompt {prompt.name} needs {listing(missing)}.")
    if unknown:
        names = listing(argument.name for argument in declared)
        raise MCPError(INVALID_PARAMS, f"The prompt {prompt.name} takes only {names or 'no arguments'}.")


def _unrendered(prompt: Prompt, cause: BaseException) -> MCPError:
    if isinstance(cause, ValidationError) and cause.title == prompt.name:
        return MCPError(INVALID_PARAMS, "; ".join(problems_of(cause, {})))
    code = INVALID_PARAMS if isinstance(cause, Refusal) else INTERNAL_ERROR
    return MCPError(code, report_failure(f"Prompt {prompt.name}", cause))


async def _complete(ctx: RequestContext, params: mcp_types.CompleteRequestParams) -> mcp_types.CompleteResult:
    """Complete an argument. One that nobody completes has no completions, of whatever it is said to be."""
    of = params.ref.name if isinstance(params.ref, mcp_types.PromptReference) else params.ref.uri
    _refuse_too_much({params.argument.name: params.argument.value}, LONGEST_COMPLETED)
    completer = view_of(ctx).completers.get((of, params.argument.name))
    try:
        if completer:
            found = await completer(params.argument.value, Context(request_context=ctx))
        else:
            found = await completed(ctx, params)
    except Refusal as refusal:
        raise MCPError(INVALID_PARAMS, str(refusal)) from refusal
    return mcp_types.CompleteResult(
        completion=mcp_types.Completion(
            values=found[:_COMPLETIONS], total=len(found), has_more=len(found) > _COMPLETIONS
        )
    )
