"""The settings of git workspaces: hosts, sign-in and sizes."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from typing import Final

from settings import setting
from settings.forms import names, within

_PLACE: Final = re.compile(r"[a-z0-9.-]{1,253}(?:/[A-Za-z0-9 ._%-]{1,200}){0,4}", re.ASCII)
_TOKEN: Final = re.compile(
    r"(?P<host>[a-z0-9.-]{1,253})=(?:(?P<user>[\w.@-]{1,100}):)?(?P<token>[!-~]{1,500})", re.ASCII
)
_USUAL_USER: Final = "git"
_PROTECTED: Final = ("main", "master", "release/*")


def places(text: str) -> tuple[str, ...]:
    if not all(map(_PLACE.fullmatch, found := names(text))):
        raise ValueError("each entry is a host such as github.com, or a host with a path prefix: dev.azure.com/acme")
    return tuple(entry.rstrip("/") for entry in found)


def tokens(text: str) -> str:
    if not all(map(_TOKEN.fullmatch, names(text))):
        raise ValueError("each entry is host=token or host=user:token, separated by commas")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacesSettings:
    """Git workspaces: hosts and sizes."""

    places: tuple[str, ...] = setting(
        "GIT_HOSTS",
        places,
        (),
        "Comma-separated hosts whose repositories can be cloned, each with an optional path prefix, for example"
        " `dev.azure.com/acme,github.com/acme`. Without hosts, there are no workspaces.",
    )
    tokens: str = setting(
        "GIT_TOKENS",
        tokens,
        "",
        "Tokens for hosts, as `github.com=token` or `host=user:token`, separated by commas. For dev.azure.com, the"
        " default is the signed-in user's access.",
        secret=True,
    )
    protected: tuple[str, ...] = setting(
        "GIT_PROTECTED_BRANCHES",
        names,
        _PROTECTED,
        "Branches that workspaces cannot push to. `*` matches any text.",
    )
    folder: str = setting(
        "GIT_WORKSPACES_FOLDER",
        str,
        "",
        "The folder for workspaces, instead of a storage container.",
        set_by="laptop",
    )
    days: int = setting(
        "GIT_WORKSPACE_DAYS",
        within(1, 3650),
        7,
        "The number of days without a change after which a workspace is deleted.",
    )
    megabytes: int = setting("GIT_WORKSPACE_MB", within(1, 4096), 200, "The maximum size of a workspace in MB.")

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(place.partition("/")[0] for place in self.places))


def signed_in(settings: WorkspacesSettings) -> dict[str, str]:
    """Return the authorization header for each host that has a token."""
    found = filter(None, map(_TOKEN.fullmatch, names(settings.tokens)))
    return {one["host"]: _basic(one["user"] or _USUAL_USER, one["token"]) for one in found}


def _basic(user: str, token: str) -> str:
    return f"Basic {b64encode(f'{user}:{token}'.encode()).decode()}"


HINTS: Final = {"workspaces": "git_workspaces lists yours."}
