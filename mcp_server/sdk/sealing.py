"""Response conversions that only the SDK can perform.

They adapt responses to a protocol version, and encrypt the state that a client stores.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from mcp.server import ServerRequestContext
from mcp.server.request_state import RequestStateBoundary
from mcp_types.methods import serialize_server_result
from pydantic import ValidationError

from mcp_server.http.wire.plain_request import PlainRequest
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import INTERNAL_ERROR
from mcp_server.protocol.results import InputRequired, Json
from mcp_server.sdk.exchange import SCOPE_KEY, SdkExchange
from mcp_server.visit import Context


def shaped(plain: PlainRequest, document: Json) -> Json:
    """A copy of a result without parts that do not exist in the request's protocol version.

    Raises:
        ProtocolError: The result is not valid in this protocol version.
    """
    try:
        whole = {"resultType": "complete", **document}
        return serialize_server_result(plain.method, plain.client.version, whole)
    except ValidationError:
        raise ProtocolError(INTERNAL_ERROR, "Handler returned an invalid result") from None


async def sealed(
    boundary: RequestStateBoundary, plain: PlainRequest, question: InputRequired, context: Context
) -> Json:
    document = shaped(plain, question.document)
    request = SimpleNamespace(scope={SCOPE_KEY: SdkExchange(context.visit)})
    ctx: ServerRequestContext[Any, Any] = ServerRequestContext(
        session=cast("Any", None),
        lifespan_context=None,
        protocol_version=plain.client.version,
        method=plain.method,
        params=plain.params,
        request=request,
    )

    async def asked(_: object) -> Json:
        return document

    return cast("Json", await boundary(ctx, asked))
