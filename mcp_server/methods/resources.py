"""Lists and reads resources."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final

from mcp_server.bounds import LONGEST_URI
from mcp_server.declarations.invalid_arguments import problems_of
from mcp_server.declarations.resource import Resource
from mcp_server.declarations.uri_template import TraversalError
from mcp_server.failures import report_failure
from mcp_server.methods import remote_content, shelves
from mcp_server.methods.answers import (
    NEVER_KEPT,
    Answer,
    Params,
    freshness_beside_tools,
    refuse_cursor,
)
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import INTERNAL_ERROR, INVALID_PARAMS
from mcp_server.protocol.results import InputRequired, Json
from mcp_server.view import View
from mcp_server.visit import Context
from mcp_server.wording import listing, speakable
from refusal import Refusal

_LONGEST_URI_REPEATED: Final = 1000


async def list_resources(params: Params, context: Context) -> Answer:
    view, cursor = context.visit.view, params.get("cursor")
    if not view.shelves:
        refuse_cursor(params)
    kept, following = await shelves.listed(context, cursor)
    resources = [*(await _declared(context) if not cursor else ()), *kept]
    fresh = NEVER_KEPT if view.shelves else freshness_beside_tools(view)
    return {"resources": resources, **({"nextCursor": following} if following else {}), **fresh}


async def _declared(context: Context) -> list[Json]:
    """The entries for resources that do not belong to a shelf. All of these entries are on the first page."""
    declared = [resource.published for resource in context.visit.view.resources if not resource.is_template]
    return [*declared, *await remote_content.listed(context, "resources")]


async def list_templates(params: Params, context: Context) -> Answer:
    refuse_cursor(params)
    view = context.visit.view
    templates = [resource.published for resource in view.resources if resource.is_template]
    templates += [template.published for shelf in view.shelves.values() for template in shelf.templates]
    templates += await remote_content.listed(context, "resourceTemplates")
    return {"resourceTemplates": templates, **freshness_beside_tools(view)}


async def read_resource(params: Params, context: Context) -> Answer:
    uri = params["uri"]
    if (kept := await shelves.read(context, uri, params.get("_meta"))) is not None:
        return {"contents": [kept], **NEVER_KEPT}
    if (theirs := await remote_content.read(context, uri)) is not None:
        return {**theirs, **NEVER_KEPT}
    view = context.visit.view
    resource, variables = _resource_at(uri, view)
    content = await _content(resource, uri, variables, context)
    if isinstance(content, InputRequired):
        return content
    return {"contents": [_part(resource, uri, content)], "ttlMs": resource.ttl_ms, "cacheScope": view.cache_scope}


def _resource_at(uri: str, view: View) -> tuple[Resource, Mapping[str, str]]:
    for resource in view.resources if len(uri) <= LONGEST_URI else ():
        try:
            variables = resource.addresses.matches(uri)
        except TraversalError:
            break
        if variables is not None:
            return resource, variables
    known = listing(resource.uri for resource in view.resources)
    raise ProtocolError(INVALID_PARAMS, f"Unknown resource. Available: {known or 'none'}.", {"uri": _cut(uri)})


async def _content(
    resource: Resource, uri: str, variables: Mapping[str, str], context: Context
) -> str | bytes | InputRequired:
    """The content of a resource.

    Raises:
        ProtocolError: The resource cannot be read.
    """
    from pydantic import ValidationError

    data: Any = {"uri": _cut(uri)}
    try:
        given = resource.signature.taken(variables)
    except ValidationError as invalid:
        raise ProtocolError(INVALID_PARAMS, "; ".join(problems_of(invalid, {})), data) from None
    try:
        return await resource.content(given, context)
    except ProtocolError:
        raise
    except Exception as cause:
        code = INVALID_PARAMS if isinstance(cause, Refusal) else INTERNAL_ERROR
        raise ProtocolError(code, report_failure(f"Resource {resource.uri}", cause), data) from cause


def _cut(uri: str) -> str:
    return speakable(uri[:_LONGEST_URI_REPEATED])


def _part(resource: Resource, uri: str, content: str | bytes) -> Json:
    if isinstance(content, bytes):
        return {"uri": uri, "mimeType": resource.mime_type, "blob": base64.b64encode(content).decode()}
    return {"uri": uri, "mimeType": resource.mime_type, "text": speakable(content), **resource.meta}
