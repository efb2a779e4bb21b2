"""The settings of git workspaces: from where, signed in how, and how large."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from settings import setting
from settings.forms import count, names

if TYPE_CHECKING:
    pass


_PLACE: Final = re.compile(r"[a-z0-9.-]{1,253}(?:/[A-Za-z0-9 ._%-]{1,200}){0,4}", re.ASCII)
_TOKEN: Final = re.compile(
    r"(?P<host>[a-z0-9.-]{1,253})=(?:(?P<user>[\w.@-]{1,100}):)?(?P<token>[!-~]{1,500})", re.ASCII
)
_USUAL_USER: Final = "git"
_PROTECTED: Final = ("main", "master", "release/*")


def places(text: str) -> tuple[str, ...]:
    if not all(map(_PLACE.fullmatch, found := names(text))):
        raise ValueError("each entry is a host such as github.com, or with how paths there begin: dev.azure.com/acme")
    return tuple(entry.rstrip("/") for entry in found)


def tokens(text: str) -> str:
    if not all(map(_TOKEN.fullmatch, names(text))):
        raise ValueError("each entry is host=token or host=user:token, separated by commas")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacesSettings:
    """Git workspaces: from where, and how large."""

    places: tuple[str, ...] = setting(
        "GIT_HOSTS",
        places,
        (),
        "The hosts whose repositories may be worked with, separated by commas, each also with how paths there have to"
        " begin, as in `dev.azure.com/acme,github.com/acme`. Without it there are no workspaces.",
    )
    tokens: str = setting(
        "GIT_TOKENS",
        tokens,
        "",
        "Tokens for hosts, as `github.com=token` or `host=user:token`, separated by commas. At dev.azure.com the user"
        " who signed in is represented, unless there is a token.",
        secret=True,
    )
    protected: tuple[str, ...] = setting(
        "GIT_PROTECTED_BRANCHES",
        names,
        _PROTECTED,
        "Branches to which nothing is pushed from workspaces, with `*` for any text.",
    )
    folder: str = setting("GIT_WORKSPACES_FOLDER", str, "", "Where they are kept on a laptop, in place of a container.")
    days: int = setting("GIT_WORKSPACE_DAYS", count, 7, "After how many days without a change a workspace goes.")
    megabytes: int = setting("GIT_WORKSPACE_MB", count, 200, "How large a workspace may be.")

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(place.partition("/")[0] for place in self.places))


def signed_in(settings: WorkspacesSettings) -> dict[str, str]:
    """The header that signs in at each host for which there is a token."""
    found = filter(None, map(_TOKEN.fullmatch, names(settings.tokens)))
    return {one["host"]: _basic(one["user"] or _USUAL_USER, one["token"]) for one in found}


def _basic(user: str, token: str) -> str:
    return f"Basic {b64encode(f'{user}:{token}'.encode()).decode()}"


HINTS: Final = {"workspaces": "git_workspaces lists yours."}
