"""The API versions of resource types, from Azure's list of providers for a subscription."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

# The API version of the list of providers itself.
PROVIDERS_VERSION: Final = "2021-04-01"
SUBSCRIPTIONS_VERSION: Final = "2022-12-01"
_PREVIEW: Final = re.compile(r"[a-z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Types:
    """Maps the lowercase names of the resource types in a subscription to the newest API version of the type.

    `offered` contains all API versions of each type.
    """

    versions: Mapping[str, str]
    offered: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, providers: Iterable[Any]) -> Types:
        """Parse a list of providers."""
        offered = dict(entry for provider in providers for entry in _types_of(provider))
        chosen = {name: newest(versions) for name, versions in offered.items()}
        return cls({name: version for name, version in chosen.items() if version}, offered)

    def version_of(self, name: str) -> str | None:
        """The newest version of a type.

        If the type is not listed, returns the newest version of the closest parent that is listed.
        """
        wanted = name.lower()
        while "/" in wanted:
            if found := self.versions.get(wanted):
                return found
            wanted = wanted.rpartition("/")[0]
        return None

    def offered_for(self, name: str) -> Sequence[str]:
        """All versions of a type. If the type is not listed, all versions of the closest parent that is listed."""
        wanted = name.lower()
        while wanted and wanted not in self.offered:
            wanted = wanted.rpartition("/")[0]
        return self.offered.get(wanted, ())

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.versions


def _types_of(provider: Any) -> Iterable[tuple[str, Sequence[str]]]:
    namespace = str(provider.get("namespace", ""))
    for entry in provider.get("resourceTypes") or ():
        versions = [str(version) for version in entry.get("apiVersions") or ()]
        yield f"{namespace}/{entry.get('resourceType', '')}".lower(), versions


def newest(versions: Iterable[str]) -> str | None:
    """The newest stable version or, if there is none, the newest preview version."""
    found = sorted(map(str, versions), reverse=True)
    return next((version for version in found if not _PREVIEW.search(version)), found[0] if found else None)


def supported_in(message: str) -> list[str]:
    """The supported versions that an error message from Azure lists."""
    _, _, supported = message.partition("supported api-versions")
    return re.findall(r"\d{4}-\d{2}-\d{2}(?:-[a-z]+)?", supported or message.partition("api-versions")[2])
