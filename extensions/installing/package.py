"""Which package is meant: of which registry, under which name, in which one version."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from refusal import Refusal


class PackageKind(StrEnum):
    NPM = "npm"
    PYPI = "pypi"
    # An archive that a registry of azd names.
    AZD = "azd"


# None can be taken for an option, for a path, or for a version that is a range.
_FORMS: Final[Mapping[PackageKind, re.Pattern[str]]] = {
    PackageKind.NPM: re.compile(
        r"(?P<name>(?:@[a-z0-9][a-z0-9._-]{0,99}/)?[a-z0-9][a-z0-9._-]{0,99})"
        r"@(?P<version>[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}(?:-[0-9A-Za-z.-]{1,50})?)"
    ),
    PackageKind.PYPI: re.compile(
        r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)==(?P<version>[0-9][0-9A-Za-z.!+-]{0,50})"
    ),
    PackageKind.AZD: re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{0,99})@(?P<version>[0-9][0-9A-Za-z.+-]{0,50})"),
}
# What a dependency must be, as the tools of each registry write it.
_CONSTRAINTS: Final[Mapping[PackageKind, tuple[re.Pattern[str], str]]] = {
    PackageKind.PYPI: (
        re.compile(
            r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)"
            r"(?:[<>]=?|[=!~]=)[0-9][0-9A-Za-z.!+*-]{0,50}(?:,(?:[<>]=?|[=!~]=)[0-9][0-9A-Za-z.!+*-]{0,50}){0,9}"
        ),
        "mcp<2 or mcp>=1.9,<2",
    ),
    PackageKind.NPM: (
        re.compile(
            r"(?:@[a-z0-9][a-z0-9._-]{0,99}/)?[a-z0-9][a-z0-9._-]{0,99}"
            r"@(?:[<>]=?|[~^])?[0-9][0-9A-Za-z.+-]{0,50}(?: (?:[<>]=?)[0-9][0-9A-Za-z.+-]{0,50})?"
        ),
        "zod@^3 or zod@>=3.1 <4",
    ),
}
_EXAMPLES: Final = "npm:@scope/name@1.2.3, pypi:name==1.2.3 or azd:some.name@1.2.3"


@dataclass(frozen=True, slots=True)
class Package:
    kind: PackageKind
    name: str
    version: str
    # Which source names the archive; nothing for the first that does.
    source: str = ""
    # Versions that its dependencies must have.
    constraints: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}{'==' if self.kind is PackageKind.PYPI else '@'}{self.version}"

    @property
    def bare_name(self) -> str:
        """Its name without whose it is."""
        return self.name.rpartition("/")[2]


def package_in(text: str, source: str = "") -> Package:
    """The package of this name; archives are those of the source, where one is named.

    Raises:
        Refusal: It names no package in one version.
    """
    kind, _, named = text.partition(":")
    form = _FORMS.get(PackageKind(kind)) if kind in list(PackageKind) else None
    found = form.fullmatch(named) if form and ".." not in named else None
    if not found:
        raise Refusal(f"{text[:200]!r} names no package in one version, such as {_EXAMPLES}.")
    return Package(PackageKind(kind), found["name"], found["version"], source if kind == PackageKind.AZD else "")


def constrained(package: Package, constraints: Sequence[str]) -> Package:
    """The package with versions that its dependencies must have.

    Raises:
        Refusal: A constraint is invalid.
    """
    if package.kind not in _CONSTRAINTS:
        raise Refusal("`with` is for packages of PyPI and npm only.")
    form, example = _CONSTRAINTS[package.kind]
    if wrong := [one for one in constraints if not form.fullmatch(one)]:
        raise Refusal(f"{wrong[0][:100]!r} is not a constraint. Write one such as {example}.")
    return replace(package, constraints=tuple(sorted(constraints)))


@dataclass(frozen=True, slots=True)
class PackageLock:
    """All that a package needs, each in one version and with the hash of its content."""

    package: Package
    content: bytes = field(repr=False)
    count: int = 0
    # From where it comes, where that is no registry that an operator chose.
    address: str = ""

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.content).hexdigest()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagedServer:
    """A server in a package: what has to be there before it is started, and how it is."""

    package: Package
    # Of its lock; nothing where nobody has said yet that this is what is meant.
    digest: str = ""
    # Which of its programs, where there are several.
    program: str = ""
    arguments: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    # The working folder.
    folder: str = "/"
