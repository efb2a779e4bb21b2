"""What a registry offers: one version of another server, and the ways in which it can be had."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

ACTIVE: Final = "active"


class Origin(StrEnum):
    """Where the package of a server that runs as a process comes from."""

    NPM = "npm"
    PYPI = "pypi"
    AZD = "azd"
    # Those that are told, and cannot be had from here.
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallInput:
    """What whoever installs it has to say, or may: a header, a part of an address, a variable, an argument."""

    name: str
    about: str = ""
    default: str = ""
    choices: tuple[str, ...] = ()
    is_required: bool = False
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A server at an address, in which `{name}` stands for what is wanted."""

    url: str
    wants: tuple[InstallInput, ...] = ()
    headers: tuple[InstallInput, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedPackage:
    """A server that is started as a process. `digest` begins with `sha256:`, or is empty where there is none."""

    origin: Origin
    # Such as @azure/mcp; for azd the address of what is to be unpacked.
    identifier: str
    version: str
    digest: str = ""
    arguments: tuple[str, ...] = ()
    variables: tuple[InstallInput, ...] = ()
    # Which file of an archive is started.
    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOffer:
    """All texts are of others, cut to a length, and without what cannot be sent."""

    name: str
    version: str
    source: str
    title: str = ""
    description: str = ""
    repository: str = ""
    # Such as deprecated or deleted, with the words of whoever said so.
    status: str = ACTIVE
    status_words: str = ""
    remotes: tuple[Remote, ...] = ()
    packages: tuple[OfferedPackage, ...] = ()
    # Ways that the registry names and that nothing here can go, such as containers.
    other_ways: tuple[str, ...] = ()
    # What has to be there first, such as a version of azd.
    needs: tuple[str, ...] = ()

    @property
    def is_active(self) -> bool:
        return self.status == ACTIVE

    def has(self, words: tuple[str, ...]) -> bool:
        """Whether each of these words, in small letters, stands somewhere in what is said of it."""
        said = f"{self.name} {self.title} {self.description}".casefold()
        return all(word in said for word in words)
