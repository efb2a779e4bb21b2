"""The steps of a sign-in: the browser goes from the client to the bridge, to the authority, and back the same way."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_urlsafe
from typing import ClassVar, Final

from starlette.requests import Request
from starlette.responses import Response

from identity.bridge import pages
from identity.bridge.authority import AuthorityClient, safe_description
from identity.bridge.browsers import Browser, Browsers
from identity.bridge.client import BridgeClient
from identity.bridge.offer import BridgeOffer, NotOfferedError, given, resources
from identity.bridge.redirects import is_loopback, with_query
from identity.bridge.registrations import Registrations
from identity.limits import networks_of
from identity.seals import Seals, encoded
from refusal import Refusal

LONGEST_STATE: Final = 1000
# The key in a request's ASGI scope under which the client and the redirect URI are stored for the audit log.
NOTED: Final = "azure_team_mcp.noted"
LOST: Final = (
    "This sign-in has expired, or was started in another browser. If you started the sign-in, start again in your"
    " client. If someone sent you here, close this page."
)
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
# The authority's errors that the client may see. For each error, the client gets an error code of RFC 6749, section
# 4.1.2.1. All other errors from the authority are caused by this server.
_TOLD: Final = {
    "access_denied": "access_denied",
    "consent_required": "access_denied",
    "interaction_required": "access_denied",
    "login_required": "access_denied",
    "temporarily_unavailable": "temporarily_unavailable",
}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A client's authorization request.

    `client` is the client's fingerprint. `further` contains the requested scopes, without the scope that every token
    has.
    """

    client: str
    redirect: str
    challenge: str
    state: str
    further: str


@dataclass(frozen=True, slots=True)
class Consent(AuthorizationRequest):
    kind: ClassVar[str] = "consent"
    seconds: ClassVar[int] = 600

    browser: str


@dataclass(frozen=True, slots=True)
class Journey(AuthorizationRequest):
    kind: ClassVar[str] = "state"
    seconds: ClassVar[int] = 600

    browser: str
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Code:
    """A one-time code for the client.

    This code contains the authority's own code, and can be redeemed only by the client that started the sign-in.
    """

    kind: ClassVar[str] = "code"
    seconds: ClassVar[int] = 120

    client: str
    redirect: str
    challenge: str
    further: str
    code: str = field(repr=False)
    verifier: str = field(repr=False)


class BridgedSignIn:
    """Handles the steps of a sign-in.

    The server stores nothing: the browser carries the encrypted state from step to step.
    """

    def __init__(
        self, offer: BridgeOffer, authority: AuthorityClient, registrations: Registrations, seals: Seals
    ) -> None:
        self._offer = offer
        self._authority = authority
        self._registrations = registrations
        self._seals = seals
        self._browsers = Browsers(seals, offer.site.origin)

    async def ask(self, request: Request) -> Response:
        """Start a sign-in. The bridge always asks the user for consent.

        Without consent, an attacker who knows the client and the state could make a browser complete a sign-in that its
        user did not start.
        """
        parameters = given(request.query_params)
        client = await self._registrations.find(parameters.get("client_id", ""), _asker(request))
        redirect = client.redirect(parameters.get("redirect_uri", ""))
        further = self._offer.further(parameters.get("scope", "").split())
        asked = AuthorizationRequest(
            client.print, redirect, parameters.get("code_challenge", ""), _state(parameters), further
        )
        try:
            _check_form(parameters)
            self._offer.check(parameters.get("scope"), resources(request.query_params))
        except NotOfferedError as error:
            return self._tell(asked, error.error, error.description)
        return self._question(client, asked, self._browsers.met(request))

    async def decide(self, request: Request) -> Response:
        """Process the user's answer on the consent page."""
        form = given(await request.form())
        consent, browser = self._seals.open(Consent, form.get("consent", "")), self._browsers.of(request)
        if not (self._is_own(request) and consent and browser and consent.browser == browser.id):
            raise Refusal(LOST)
        _note(request, consent)
        if form.get("decision") == "approve":
            return pages.onward_page(self._to_authority(consent, browser))
        answer = self._answer(consent, error="access_denied", error_description="The user denied access.")
        return pages.denied_page(consent.redirect, answer)

    def _is_own(self, request: Request) -> bool:
        """Whether the form was sent from our own page, according to the headers Sec-Fetch-Site and Origin.

        Browsers send the origin `null` for forms on our page, because the page disables the referrer.
        """
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        return site in {None, "same-origin"} and origin in {None, "null", self._offer.site.origin}

    async def come_back(self, request: Request) -> Response:
        """Process the authority's redirect after a sign-in that succeeded or failed."""
        parameters = given(request.query_params)
        journey, browser = self._seals.open(Journey, parameters.get("state", "")), self._browsers.of(request)
        if not (journey and browser and journey.browser == browser.id):
            raise Refusal(LOST)
        _note(request, journey)
        if code := parameters.get("code", ""):
            ours = Code(journey.client, journey.redirect, journey.challenge, journey.further, code, journey.verifier)
            return pages.redirect(self._answer(journey, code=self._seals.seal(ours)))
        return pages.redirect(self._answer(journey, **_failure(parameters)))

    def _tell(self, asked: AuthorizationRequest, error: str, description: str) -> Response:
        # Do not redirect to other hosts without consent. Anyone can register any URL, and users would trust the target
        # because they trust this server.
        if is_loopback(asked.redirect):
            return pages.redirect(self._answer(asked, error=error, error_description=description))
        raise Refusal(description)

    def _question(self, client: BridgeClient, asked: AuthorizationRequest, browser: Browser) -> Response:
        consent = Consent(asked.client, asked.redirect, asked.challenge, asked.state, asked.further, browser.id)
        page = pages.consent_page(self._offer.site.name, client, asked.redirect, self._seals.seal(consent))
        return self._browsers.remember(browser, page)

    def _to_authority(self, asked: AuthorizationRequest, browser: Browser) -> str:
        verifier = token_urlsafe(32)
        challenge = encoded(sha256(verifier.encode()).digest())
        journey = self._seals.seal(
            Journey(asked.client, asked.redirect, asked.challenge, asked.state, asked.further, browser.id, verifier)
        )
        return self._authority.sign_in_url(self._offer.wanted(asked.further), journey, challenge)

    def _answer(self, asked: AuthorizationRequest, **parameters: str) -> str:
        """The URL that returns the answer to the client.

        `iss` identifies the bridge, so that the client can check the issuer.
        """
        state = {"state": asked.state} if asked.state else {}
        return with_query(asked.redirect, {**parameters, **state, "iss": self._offer.site.origin})


def _asker(request: Request) -> str:
    """The network of the requester's site, which has a rate limit."""
    return networks_of(request.client.host if request.client else "")[-1]


def _note(request: Request, asked: AuthorizationRequest) -> None:
    request.scope.setdefault(NOTED, {}).update(client=asked.client, redirect=asked.redirect)


def _check_form(parameters: Mapping[str, str]) -> None:
    if parameters.get("response_type") != "code":
        raise NotOfferedError("unsupported_response_type", "response_type must be code.")
    if not _CHALLENGE.fullmatch(parameters.get("code_challenge", "")):
        raise NotOfferedError("invalid_request", "PKCE is required: code_challenge must have 43 characters.")
    if parameters.get("code_challenge_method") != "S256":
        raise NotOfferedError("invalid_request", "code_challenge_method must be S256.")


def _state(parameters: Mapping[str, str]) -> str:
    state = parameters.get("state", "")
    if len(state) > LONGEST_STATE:
        raise Refusal(f"The client's state is longer than {LONGEST_STATE} characters.")
    return state


def _failure(parameters: Mapping[str, str]) -> dict[str, str]:
    error, description = parameters.get("error", ""), safe_description(parameters.get("error_description", ""))
    if error not in _TOLD:
        logger.error("The sign-in service rejected a sign-in: %s", description)
    return {"error": _TOLD.get(error, "server_error"), "error_description": description}
