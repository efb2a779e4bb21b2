"""Configures the approval of changes from the settings and the roles file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from app.access import roles_of
from app.offered import takes_arguments
from clients.storage import Storage
from identity.caller import Caller
from identity.door import Door
from mcp_server.declarations.toolset import Toolset
from settings import Settings

if TYPE_CHECKING:
    from changes.approvals import Approvals
    from changes.rule import Rule

# The common name of the table and the blob container that store changes.
CHANGES: Final = "changes"
# The path where App Service signs in a user with a browser. The URL of the page that the user returns to is appended to
# this path.
_PLATFORM_SIGN_IN: Final = "/.auth/login/aad?post_login_redirect_uri="
_NOBODY: Final = (
    "Users cannot sign in to pages of this server, because AUTH_MODE is none. Ask an operator to set another mode."
)
_BY_KEY: Final = (
    "Users cannot sign in to pages of this server, because AUTH_MODE is key. Ask an operator to set AUTH_MODE to"
    " platform, or to set both AUTH_MODE=oauth and AUTH_BRIDGE_CLIENT_ID. Alternatively, a rule in roles.yaml can"
    " set `ask: nobody`."
)
_NO_BRIDGE: Final = (
    "Users cannot sign in to pages of this server. Ask an operator to set AUTH_BRIDGE_CLIENT_ID, the app registration"
    " for user sign-in. Alternatively, a rule in roles.yaml can set `ask: nobody`."
)


def approvals_of(
    settings: Settings, toolsets: Sequence[Toolset], door: Door, rules: Sequence[Rule], storage: Callable[[], Storage]
) -> Approvals:
    """Configure the approval of changes on this server."""
    from changes.approvals import Approvals
    from changes.ledger import Ledger
    from changes.rules import Rules

    mode = settings.sign_in.mode
    is_laptop = mode == "none" and not settings.place.is_on_azure
    page, lacking = _page(settings)
    return Approvals(
        rules=Rules(rules, settings.server.consent_waived),
        ledger=Ledger(storage, seconds=settings.server.change_minutes * 60),
        page=page,
        lacking=lacking,
        by_argument=takes_arguments(settings),
        is_laptop=is_laptop,
        laptop_keeps_rules=settings.server.laptop_keeps_rules,
        grants_of=door.grants_of,
        has_to_ask=roles_of(settings, toolsets).has_to_ask if mode != "none" else _nobody,
        notify=settings.notify.always,
    )


def _nobody(_caller: Caller) -> bool:
    return False


def page_lacking(settings: Settings) -> str:
    """The reason why users cannot sign in to pages of this server, or an empty string if they can."""
    page, lacking = _page(settings)
    return "" if page else lacking


def _page(settings: Settings) -> tuple[Callable[[str, str], str] | None, str]:
    """Return a function that builds page URLs. If pages are unavailable, return None and the missing setting."""
    match settings.sign_in.mode:
        case "none":
            return (None, _NOBODY) if settings.place.is_on_azure else (_plain, "")
        case "platform":
            return _behind_the_platform, ""
        case "oauth" if settings.sign_in.bridge_client_id:
            return _plain, ""
        case "oauth":
            return None, _NO_BRIDGE
        case _:
            return None, _BY_KEY


def _plain(origin: str, path: str) -> str:
    return f"{origin}{path}"


def _behind_the_platform(origin: str, path: str) -> str:
    return f"{origin}{_PLATFORM_SIGN_IN}{quote(path, safe='')}"
