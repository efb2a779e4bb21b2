"""The ways in which a server that a source offers can be had by a tool: nothing that only an operator may give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from extensions.installing.archives import check_archive
from extensions.installing.package import Package as Named
from extensions.installing.package import package_in
from extensions.registries.offer import OfferedPackage, Origin, Remote, ServerOffer
from refusal import Refusal

# What stands between the name of a package and its version.
_BETWEEN: Final = {Origin.NPM: "@", Origin.PYPI: "==", Origin.AZD: "@"}
_WANTED: Final = re.compile(r"\{([^{}]*)\}")
# What is put into an address cannot become another host, nor another part of it.
_VALUE: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")


def remote_of(offer: ServerOffer) -> Remote:
    """The way to have an offer without anything that only an operator may give.

    Raises:
        Refusal: There is none.
    """
    if not offer.remotes:
        ways = [f"{one.origin} {one.identifier} {one.version}" for one in offer.packages]
        others = "; ".join([*ways, *offer.other_ways]) or "none"
        raise Refusal(
            f"{offer.name} {offer.version} has no address: it is for an entry in the file of extensions."
            f" Ways: {others}."
        )
    for remote in offer.remotes:
        wanted = [one for one in (*remote.headers, *remote.wants) if one.is_required and not one.default]
        if not any(one in remote.headers or one.is_secret for one in wanted):
            return remote
    names = ", ".join(one.name for one in offer.remotes[0].headers if one.is_required)
    raise Refusal(
        f"{offer.name} wants a secret or a header ({names or 'in its address'}), which nothing that a tool installs may"
        " have: name it in the file of extensions."
    )


def package_of(offer: ServerOffer) -> OfferedPackage | None:
    """The package that it can be had in, if that takes nothing that only an operator may give."""
    return next(
        (
            one
            for one in offer.packages
            if one.origin in _BETWEEN and not any(each.is_required and not each.default for each in one.variables)
        ),
        None,
    )


def named_by(offer: ServerOffer, package: OfferedPackage) -> Named:
    """The name under which the package of an offer is installed.

    Raises:
        Refusal: It is called as no package can be, or is an archive that cannot be installed.
    """
    name = package.identifier
    if package.origin is Origin.AZD:
        check_archive(package)
        name = offer.name
    return package_in(f"{package.origin}:{name}{_BETWEEN[package.origin]}{package.version}", offer.source)


def arguments_of(package: OfferedPackage, values: Sequence[str]) -> tuple[str, ...]:
    """The words that it is started with; those of an archive are in its lock."""
    return tuple(filled(() if package.origin is Origin.AZD else package.arguments, values))


def filled(texts: Sequence[str], values: Sequence[str]) -> list[str]:
    """Texts of others, in which what they want is put in its place."""
    given: dict[str, str] = {}
    for name, _, value in (one.partition("=") for one in values):
        if not _VALUE.fullmatch(value):
            raise Refusal(f"{name[:100]!r} is given as name=value, with letters, digits and any of -_. as its value.")
        given[name] = value
    wanted = [name for text in texts for name in _WANTED.findall(text)]
    if missing := [name for name in wanted if name not in given]:
        named = ", ".join(f'"{name[:100]}=..."' for name in missing)
        raise Refusal(f"It wants what only you can say: give it as values=[{named}].")
    if strays := [name for name in given if name not in wanted]:
        raise Refusal(f"There is no {strays[0][:100]!r} in it. It wants: {', '.join(wanted) or 'nothing'}.")
    return [_WANTED.sub(lambda found: given[found[1]], text) for text in texts]
