"""A git repository on an allowed host, with its URL and credentials."""

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
# A part of the URL of every Azure DevOps repository (Azure DevOps Services and Azure DevOps Server).
AZURE_REPOS: Final = "/_git/"
_PATH: Final = re.compile(r"(?:/[^/]+)+/?")
_LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}
_HTTPS: Final = 443
_SHORTEST_SECRET: Final = 4


@dataclass(frozen=True, slots=True)
class RemoteRepository:
    """A repository on a git server, with the credentials and the time limit.

    The credentials are a request header that is sent only to this git server.
    """

    url: str
    authorization: str = field(default="", repr=False)
    seconds: float = SECONDS_OF_TRANSFER

    def without_sign_in(self, text: str) -> str:
        """Remove the credentials from a text that the git server sent, because the text may contain parts of the
        request.
        """
        _, _, sent = self.authorization.partition(" ")
        plain = _decoded(sent)
        for secret in (self.authorization, sent, plain, plain.partition(":")[2]):
            text = text.replace(secret, "***") if len(secret) >= _SHORTEST_SECRET else text
        return text

    @property
    def filters(self) -> tuple[bytes | None, ...]:
        """The filters for a clone. If the server rejects a filter, the next filter is tried."""
        return (WITHOUT_FILES if AZURE_REPOS in self.url else WITHOUT_LARGE_FILES, None)

    @property
    def leaves_out_files(self) -> bool:
        return self.filters[0] == WITHOUT_FILES

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


def checked_url(url: str, hosts: Sequence[str]) -> str:
    """Check the URL of a repository. The user name that Azure Repos adds to URLs is removed.

    Raises:
        Refusal: The URL is invalid, or its host is not allowed.
    """
    try:
        parts = urlsplit(url) if len(url) <= _LONGEST_URL and url.isascii() and url.isprintable() else urlsplit("")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _no_address() from None
    if parts.password is not None:
        raise Refusal("The URL must not contain a password. Remove the password: this server handles sign-in.")
    is_here = host in _LOOPBACK and host in hosts
    if not host or parts.query or parts.fragment or " " in url or "\\" in url or not _is_plain(parts.path):
        raise _no_address()
    if host not in hosts:
        named = ", ".join(hosts) or "none"
        raise Refusal(f"The host {host[:200]} is not allowed. Allowed hosts: {named}.")
    if not is_here and (parts.scheme != "https" or port not in {None, _HTTPS}):
        raise Refusal("repo_url must start with https:// and use the default port.")
    if is_here and parts.scheme not in {"http", "https"}:
        raise _no_address()
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}{f':{port}' if port and is_here else ''}{parts.path.rstrip('/')}"


def _no_address() -> Refusal:
    return Refusal("repo_url must look like https://dev.azure.com/acme/shop/_git/shop or https://host/team/shop.git.")


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
