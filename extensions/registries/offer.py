"""What a registry offers: one version of a server, and its install options."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

ACTIVE: Final = "active"


class Origin(StrEnum):
    """The registry of a packaged server that runs as a process."""

    NPM = "npm"
    PYPI = "pypi"
    AZD = "azd"
    # Listed, but not installable from here.
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallInput:
    """An input that the installer must or may provide: a header, part of a URL, a variable, an argument."""

    name: str
    about: str = ""
    default: str = ""
    choices: tuple[str, ...] = ()
    is_required: bool = False
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A server at a URL, in which `{name}` stands for an input."""

    url: str
    wants: tuple[InstallInput, ...] = ()
    headers: tuple[InstallInput, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedPackage:
    """A server that runs as a process. `digest` starts with `sha256:`, or is empty."""

    origin: Origin
    # For example @azure/mcp; for azd, the URL of the archive.
    identifier: str
    version: str
    digest: str = ""
    arguments: tuple[str, ...] = ()
    variables: tuple[InstallInput, ...] = ()
    # The program in an archive.
    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOffer:
    """All texts are untrusted, truncated and without unsendable characters."""

    name: str
    version: str
    source: str
    title: str = ""
    description: str = ""
    repository: str = ""
    # For example deprecated or deleted, with the publisher's explanation.
    status: str = ACTIVE
    status_words: str = ""
    remotes: tuple[Remote, ...] = ()
    packages: tuple[OfferedPackage, ...] = ()
    # Options that are not supported here, such as containers.
    other_ways: tuple[str, ...] = ()
    # Prerequisites, such as a version of azd.
    needs: tuple[str, ...] = ()

    @property
    def is_active(self) -> bool:
        return self.status == ACTIVE

    def has(self, words: tuple[str, ...]) -> bool:
        """Whether its texts contain all of these lowercase words."""
        said = f"{self.name} {self.title} {self.description}".casefold()
        return all(word in said for word in words)
