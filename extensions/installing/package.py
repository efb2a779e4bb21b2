"""A reference to a package: the registry, the name and the exact version."""

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
    # An archive that an azd registry lists.
    AZD = "azd"


# The syntax of package references. No package reference can be mistaken for an option, a path or a version range.
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
# The syntax of version constraints on dependencies, by registry.
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
    # The source of the archive. If this is empty, the first source that lists the archive is used.
    source: str = ""
    # Required versions of dependencies.
    constraints: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}{'==' if self.kind is PackageKind.PYPI else '@'}{self.version}"

    @property
    def bare_name(self) -> str:
        """The package name without its scope."""
        return self.name.rpartition("/")[2]


def package_in(text: str, source: str = "") -> Package:
    """Parse a package reference. Archives come from `source`, if it is given.

    Raises:
        Refusal: The text does not name a package with exactly one version.
    """
    kind, _, named = text.partition(":")
    form = _FORMS.get(PackageKind(kind)) if kind in list(PackageKind) else None
    found = form.fullmatch(named) if form and ".." not in named else None
    if not found:
        raise Refusal(f"{text[:200]!r} must be a package with one version, for example {_EXAMPLES}.")
    return Package(PackageKind(kind), found["name"], found["version"], source if kind == PackageKind.AZD else "")


def constrained(package: Package, constraints: Sequence[str]) -> Package:
    """Return the package with version constraints on its dependencies.

    Raises:
        Refusal: A constraint is invalid.
    """
    if package.kind not in _CONSTRAINTS:
        raise Refusal("`with` works only for PyPI and npm packages.")
    form, example = _CONSTRAINTS[package.kind]
    if wrong := [one for one in constraints if not form.fullmatch(one)]:
        raise Refusal(f"{wrong[0][:100]!r} must be a valid constraint, for example {example}.")
    return replace(package, constraints=tuple(sorted(constraints)))


@dataclass(frozen=True, slots=True)
class PackageLock:
    """A package with all its dependencies, each with a version and a content hash."""

    package: Package
    content: bytes = field(repr=False)
    count: int = 0
    # The location of the package, if it does not come from a registry that the operator chose.
    address: str = ""

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.content).hexdigest()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagedServer:
    """A packaged server: the package to install, and how to start it."""

    package: Package
    # The digest of the package lock. The digest is empty until somebody confirms the lock.
    digest: str = ""
    # The program to start, if the package contains several programs.
    program: str = ""
    arguments: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    # The working folder.
    folder: str = "/"
