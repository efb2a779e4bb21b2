"""The configuration of a document source: its location, its files, and the roles that may read it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from documents.patterns import matches
from documents.reading.texts import can_be_read
from documents.sources.source import SourceFile

# Everyone who can call the tools can read a source with this role.
EVERYONE: Final = "everyone"


class SourceKind(StrEnum):
    FOLDER = "folder"
    CONTAINER = "container"
    WIKI = "wiki"
    REPOSITORY = "repository"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A configured source. `place` is a folder, a container or `<project>/<name>`; `below` is a path within it."""

    name: str
    kind: SourceKind
    place: str
    roles: frozenset[str]
    below: str = ""
    files: tuple[str, ...] = ()
    branch: str = ""
    organization: str = ""
    link: str = ""

    @property
    def is_of_devops(self) -> bool:
        return self.kind in {SourceKind.WIKI, SourceKind.REPOSITORY}

    def opens_to(self, roles: frozenset[str]) -> bool:
        """Check whether these roles can read the source. Azure DevOps sources also check the user's permissions."""
        return EVERYONE in self.roles or not self.roles.isdisjoint(roles)

    def wants(self, entry: SourceFile) -> bool:
        if not can_be_read(entry.path):
            return False
        return not self.files or any(matches(pattern, entry.path) for pattern in self.files)
