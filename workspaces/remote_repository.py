"""Where a repository is: an address on a host that an operator named, and how one signs in there."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit

from invisible import is_printable
from refusal import Refusal
from workspaces.limits import SECONDS_OF_TRANSFER, WITHOUT_FILES, WITHOUT_LARGE_FILES

_LONGEST_URL: Final = 1000
# In the address of every repository of Azure DevOps, in the cloud and on premises.
AZURE_REPOS: Final = "/_git/"
_PATH: Final = re.compile(r"(?:/[^/]+)+/?")
_LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}
_HTTPS: Final = 443
_SHORTEST_SECRET: Final = 4


@dataclass(frozen=True, slots=True)
class RemoteRepository:
    """A repository on a server, how one signs in there, and how long it may take.

    The sign-in is a header, and goes to that server only.
    """

    url: str
    authorization: str = field(default="", repr=False)
    seconds: float = SECONDS_OF_TRANSFER

    def without_sign_in(self, text: str) -> str:
        """The text of a server, which may repeat what was sent to it."""
        _, _, sent = self.authorization.partition(" ")
        plain = _decoded(sent)
        for secret in (self.authorization, sent, plain, plain.partition(":")[2]):
            text = text.replace(secret, "***") if len(secret) >= _SHORTEST_SECRET else text
        return text

    @property
    def filters(self) -> tuple[bytes | None, ...]:
        """What a clone asks to be left out, in order of preference: a server refuses a filter that it does not have."""
        return (WITHOUT_FILES if AZURE_REPOS in self.url else WITHOUT_LARGE_FILES, None)

    @property
    def leaves_out_files(self) -> bool:
        return self.filters[0] == WITHOUT_FILES

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


def checked_url(url: str, hosts: Sequence[str]) -> str:
    """The address of a repository that may be worked with; a user's name in it, as Azure Repos writes, is left out.

    Raises:
        Refusal: It is none, or its host is none that an operator named.
    """
    try:
        parts = urlsplit(url) if len(url) <= _LONGEST_URL and url.isascii() and url.isprintable() else urlsplit("")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _no_address() from None
    if parts.password is not None:
        raise Refusal("The URL must not contain a password. Remove it: this server signs in itself.")
    is_here = host in _LOOPBACK and host in hosts
    if not host or parts.query or parts.fragment or " " in url or "\\" in url or not _is_plain(parts.path):
        raise _no_address()
    if host not in hosts:
        named = ", ".join(hosts) or "none"
        raise Refusal(f"Repositories at {host[:200]} are not worked with here. An operator named these hosts: {named}.")
    if not is_here and (parts.scheme != "https" or port not in {None, _HTTPS}):
        raise Refusal("Repositories are reached by https:// only, at its usual port.")
    if is_here and parts.scheme not in {"http", "https"}:
        raise _no_address()
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}{f':{port}' if port and is_here else ''}{parts.path.rstrip('/')}"


def _no_address() -> Refusal:
    return Refusal("repo_url looks like https://dev.azure.com/acme/shop/_git/shop or https://host/team/shop.git.")


def _is_plain(path: str) -> bool:
    names = [unquote(name) for name in path.strip("/").split("/")]
    return bool(_PATH.fullmatch(path)) and not any(
        name in {"", ".", ".."} or {*name} & {*"/\\%\0"} or not is_printable(name) for name in names
    )


def _decoded(text: str) -> str:
    try:
        return b64decode(text).decode(errors="replace")
    except ValueError:
        return ""
