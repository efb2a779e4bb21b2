"""An offer of a registry: one version of an MCP server, and the ways to install it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

ACTIVE: Final = "active"


class Origin(StrEnum):
    """The package registry of a server that runs as a local process."""

    NPM = "npm"
    PYPI = "pypi"
    AZD = "azd"
    # A package registry that this server does not support.
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallInput:
    """A required or optional input for an installation: a header, part of a URL, an environment variable or an
    argument.
    """

    name: str
    about: str = ""
    default: str = ""
    choices: tuple[str, ...] = ()
    is_required: bool = False
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A server at a URL. `{name}` in the URL is the placeholder for an input."""

    url: str
    wants: tuple[InstallInput, ...] = ()
    headers: tuple[InstallInput, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedPackage:
    """A package of a server that runs as a local process. `digest` starts with `sha256:`, or is empty."""

    origin: Origin
    # The package name, for example @azure/mcp. For azd, the URL of the archive.
    identifier: str
    version: str
    digest: str = ""
    arguments: tuple[str, ...] = ()
    variables: tuple[InstallInput, ...] = ()
    # The path of the program in an archive.
    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOffer:
    """An offered MCP server. All texts in the offer are untrusted, so they are truncated and cleaned."""

    name: str
    version: str
    source: str
    title: str = ""
    description: str = ""
    repository: str = ""
    # A status such as deprecated or deleted, with the publisher's explanation.
    status: str = ACTIVE
    status_words: str = ""
    remotes: tuple[Remote, ...] = ()
    packages: tuple[OfferedPackage, ...] = ()
    # Unsupported ways to install the server, for example as a container.
    other_ways: tuple[str, ...] = ()
    # Prerequisites for the installation, such as a version of azd.
    needs: tuple[str, ...] = ()

    @property
    def is_active(self) -> bool:
        return self.status == ACTIVE

    def has(self, words: tuple[str, ...]) -> bool:
        """Check whether the texts of the offer contain all of these lowercase words."""
        said = f"{self.name} {self.title} {self.description}".casefold()
        return all(word in said for word in words)
