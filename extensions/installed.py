"""The stored form of extensions that a tool installed. Installed extensions cannot have sign-in settings."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from yarl import URL

from extensions.entry import AccessRule, Entry, Installed
from extensions.installing.package import PackagedServer, package_in
from identity.access import Access

_Names = Annotated[tuple[str, ...], Field(max_length=100)]


class InstalledEntry(BaseModel):
    """The extension settings that a tool may set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: str
    url: str = ""
    # A package that is used instead of a URL, and the hash of all its dependencies.
    package: str = ""
    hash: str = ""
    arguments: _Names = ()
    source: str = ""
    server: str = ""
    version: str = ""
    values: _Names = ()
    read: _Names = ()
    write: _Names = ()

    def entry(self, name: str, origins: Collection[str]) -> Entry:
        """Create the configuration. The extension's server may be in the private network only if `origins` contains the
        server's origin.
        """
        return Entry(
            name=name,
            description=self.description,
            url=self.url,
            package=self.wanted if self.package else None,
            is_private=bool(self.url) and origin_of(self.url) in origins,
            rules=(
                *(AccessRule(pattern, Access.READ) for pattern in self.read),
                *(AccessRule(pattern, Access.WRITE) for pattern in self.write),
            ),
            installed=Installed(source=self.source, server=self.server, version=self.version, values=self.values),
        )

    @property
    def wanted(self) -> PackagedServer:
        return PackagedServer(package=package_in(self.package, self.source), digest=self.hash, arguments=self.arguments)

    @property
    def content(self) -> bytes:
        return self.model_dump_json().encode()


def record_in(content: bytes) -> InstalledEntry | None:
    """Parse a stored extension. Return None if this version of the server does not support the stored format; the
    extension is then not used.
    """
    try:
        return InstalledEntry.model_validate_json(content)
    except ValidationError:
        return None


def record_of(entry: Entry) -> InstalledEntry:
    about = entry.installed or Installed()
    named = {level: tuple(rule.pattern for rule in entry.rules if rule.access is level) for level in Access}
    return InstalledEntry(
        description=entry.description,
        url=entry.url,
        package=str(entry.package.package) if entry.package else "",
        hash=entry.package.digest if entry.package else "",
        arguments=tuple(entry.package.arguments) if entry.package else (),
        source=about.source,
        server=about.server,
        version=about.version,
        values=about.values,
        read=named[Access.READ],
        write=named[Access.WRITE],
    )


def origin_of(address: str) -> str:
    try:
        url = URL(address)
        return str(url.origin()) if url.is_absolute() and url.host else ""
    except ValueError:
        return ""
