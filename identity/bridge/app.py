"""The sign-in bridge.

Some MCP clients register themselves or publish a metadata document. Through the bridge, such clients can sign in at an
authority that supports neither registration nor metadata documents. For clients, the bridge is an authorization server;
for the authority, the bridge is a registered app. The bridge does not issue its own access tokens: clients get the
authority's access token for this app.
"""

from __future__ import annotations

from typing import Any, Final, cast

from mcp.server.auth.handlers.register import RegistrationHandler
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.middleware.client_auth import ClientAuthenticator
from mcp.server.auth.provider import OAuthAuthorizationServerProvider
from mcp.server.auth.routes import cors_middleware
from mcp.server.auth.settings import ClientRegistrationOptions
from mcp.server.transport_security import RequestBodyLimitMiddleware
from mcp.shared.auth import DEFAULT_GRANT_TYPES
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from clients.public_fetch import PublicFetcher
from identity.bridge.authority import Authority, AuthorityClient
from identity.bridge.offer import BridgeOffer, NotOfferedError, Site, given, resources
from identity.bridge.pages import PRIVATE, refused_page
from identity.bridge.published import Fetch, PublishedClients
from identity.bridge.registrations import Registrations
from identity.bridge.sessions import BridgeSessions
from identity.bridge.sign_in import BridgedSignIn
from identity.bridge.tokens import TokenGrants
from identity.seals import Seals
from refusal import Refusal

LARGEST_REQUEST: Final = 64 * 1024
WELL_KNOWN: Final = ("oauth-authorization-server", "openid-configuration")
# Use a separate fetcher, because the bridge's clients have not signed in, and must not slow down signed-in callers.
_FETCHER: Final = PublicFetcher()


def sign_in_bridge(
    site: Site,
    authority: Authority,
    seals: Seals,
    sessions: BridgeSessions,
    fetch: Fetch = _FETCHER.fetch,
) -> ASGIApp:
    """Build the bridge for a site. All instances with the same seals and sessions behave in the same way."""
    offer = BridgeOffer(site, authority.scope)
    authority_client = AuthorityClient(authority, f"{site.origin}/callback")
    registrations = Registrations(seals, PublishedClients(fetch))
    sign_in = BridgedSignIn(offer, authority_client, registrations, seals)
    grants = TokenGrants(authority_client, registrations, sessions, seals, offer)
    return Starlette(
        routes=[*_metadata_routes(offer), *_browser_routes(sign_in), *_client_routes(grants, offer)],
        exception_handlers={Refusal: _refused},
        middleware=[Middleware(RequestBodyLimitMiddleware, max_body_size=LARGEST_REQUEST)],
    )


def _metadata_routes(offer: BridgeOffer) -> list[BaseRoute]:
    origin = offer.site.origin
    # Build this document without the SDK's model, because the model may normalize the issuer. Clients require that the
    # issuer and `iss` are identical.
    metadata = {
        "issuer": origin,
        "authorization_endpoint": f"{origin}/authorize",
        "token_endpoint": f"{origin}/token",
        "registration_endpoint": f"{origin}/register",
        "scopes_supported": [offer.first],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": DEFAULT_GRANT_TYPES,
        "token_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }

    async def tell(_request: Request) -> Response:
        return JSONResponse(metadata, headers={"Cache-Control": "public, max-age=3600"})

    endpoint = cors_middleware(tell, ["GET", "OPTIONS"])
    # Older clients use the server's URL, including its path, as the issuer.
    paths = [f"/.well-known/{name}{rest}" for name in WELL_KNOWN for rest in ("", "/{rest:path}")]
    return [Route(path, endpoint, methods=["GET", "OPTIONS"]) for path in paths]


def _browser_routes(sign_in: BridgedSignIn) -> list[BaseRoute]:
    return [
        Route("/authorize", sign_in.ask, methods=["GET"]),
        Route("/authorize", sign_in.decide, methods=["POST"]),
        Route("/callback", sign_in.come_back, methods=["GET"]),
    ]


def _client_routes(grants: TokenGrants, offer: BridgeOffer) -> list[BaseRoute]:
    # TokenGrants implements only the methods that these two handlers of the SDK call.
    provider = cast("OAuthAuthorizationServerProvider[Any, Any, Any]", grants)
    registration = RegistrationHandler(provider, ClientRegistrationOptions())
    handler = TokenHandler(provider, ClientAuthenticator(provider))

    async def register(request: Request) -> Response:
        answer = await registration.handle(request)
        answer.headers.update(PRIVATE)
        return answer

    async def token(request: Request) -> Response:
        form = await request.form()
        try:
            given(form)
            offer.check(None, resources(form))
        except Refusal as refusal:
            return _oauth_error(400, "invalid_request", str(refusal))
        except NotOfferedError as error:
            return _oauth_error(400, error.error, error.description)
        try:
            answer: Response = await handler.handle(request)
        except Refusal as refusal:
            return _oauth_error(503, "temporarily_unavailable", str(refusal))
        return answer

    return [
        Route("/register", cors_middleware(register, ["POST", "OPTIONS"]), methods=["POST", "OPTIONS"]),
        Route("/token", cors_middleware(token, ["POST", "OPTIONS"]), methods=["POST", "OPTIONS"]),
    ]


def _oauth_error(status: int, error: str, description: str) -> Response:
    return JSONResponse({"error": error, "error_description": description}, status, PRIVATE)


async def _refused(_request: Request, refusal: Exception) -> Response:
    return refused_page(str(refusal))
