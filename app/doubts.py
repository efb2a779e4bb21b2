"""Configuration problems that an operator should fix. These problems are logged at startup and shown in `/health`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from mcp_server.wording import nearest
from settings import OWN_GROUPS, Settings, names_of
from tools.provider import Provider

NOBODY_SIGNS_IN: Final = (
    "AUTH_MODE is none, so users cannot sign in, and can read only public toolsets. Set another mode."
)
CALLED_A_LAPTOP: Final = (
    "AZURE_FUNCTIONS_ENVIRONMENT is Development, but Azure runs this app, so the setting has no effect. Remove it."
)
_UNSEALED: Final = (
    "MCP_REQUEST_STATE_KEY is not set: if a call asks the client a question, only the same instance can continue"
    " the call."
)
_CLOSED: Final = "AUTH_MODE is platform, but App Service authentication is off: nobody can sign in."
_ECHOED: Final = 64


def doubts_about(settings: Settings, providers: Iterable[Provider[Any, Any]]) -> list[str]:
    """The configuration problems, one sentence each.

    Invalid settings that prevent startup are not listed.
    """
    providers = list(providers)
    doubts = (provider.doubts(settings.of(provider.settings)) for provider in providers)
    return [*public_doubts_about(settings), *_unknown(settings, providers), *filter(None, doubts)]


def public_doubts_about(settings: Settings) -> list[str]:
    """The configuration problems that anyone may see, because every user would notice the effects."""
    return list(_wrong(settings))


def _wrong(settings: Settings) -> Iterator[str]:
    server, sign_in, place = settings.server, settings.sign_in, settings.place
    if place.is_on_azure and not server.request_state_keys:
        yield _UNSEALED
    if place.is_on_azure and sign_in.mode == "none":
        yield NOBODY_SIGNS_IN
    if place.is_called_a_laptop:
        yield CALLED_A_LAPTOP
    if sign_in.mode == "platform" and not sign_in.platform_signs_in:
        yield _CLOSED


def _unknown(settings: Settings, providers: Iterable[Provider[Any, Any]]) -> Iterator[str]:
    known = names_of([*OWN_GROUPS.values(), *(provider.settings for provider in providers)])
    for name in settings.unknown:
        yield f"Unknown setting {name[:_ECHOED]}.{nearest(name, known)}"
