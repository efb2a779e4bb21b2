"""Decides how to install a server from a source, and whether this is possible without settings from an operator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from extensions.installing.archives import check_archive
from extensions.installing.package import Package as Named
from extensions.installing.package import package_in
from extensions.registries.offer import OfferedPackage, Origin, Remote, ServerOffer
from refusal import Refusal

# The separator between the name and the version of a package.
_BETWEEN: Final = {Origin.NPM: "@", Origin.PYPI: "==", Origin.AZD: "@"}
_WANTED: Final = re.compile(r"\{([^{}]*)\}")
# Matches values that are allowed in a URL because they cannot change its host or its structure.
_VALUE: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")


def remote_of(offer: ServerOffer) -> Remote:
    """Return the first URL in an offer that works without settings from an operator.

    Raises:
        Refusal: The offer has no URL, or each of its URLs requires a setting from an operator.
    """
    if not offer.remotes:
        ways = [f"{one.origin} {one.identifier} {one.version}" for one in offer.packages]
        others = "; ".join([*ways, *offer.other_ways]) or "none"
        raise Refusal(
            f"{offer.name} {offer.version} has no URL. Ask an operator to add the server to the extensions file."
            f" Options: {others}."
        )
    for remote in offer.remotes:
        wanted = [one for one in (*remote.headers, *remote.wants) if one.is_required and not one.default]
        if not any(one in remote.headers or one.is_secret for one in wanted):
            return remote
    names = ", ".join(one.name for one in offer.remotes[0].headers if one.is_required)
    required = f"a secret or a header ({names})" if names else "a secret in its URL"
    raise Refusal(
        f"{offer.name} requires {required}, so a tool cannot install it. Ask an operator to add the server to the"
        " extensions file."
    )


def package_of(offer: ServerOffer) -> OfferedPackage | None:
    """Return a package from an offer, or None if every package requires settings from an operator."""
    return next(
        (
            one
            for one in offer.packages
            if one.origin in _BETWEEN and not any(each.is_required and not each.default for each in one.variables)
        ),
        None,
    )


def named_by(offer: ServerOffer, package: OfferedPackage) -> Named:
    """Return the package reference that installs an offer's package.

    Raises:
        Refusal: The package name is invalid, or the package is an archive that cannot be installed.
    """
    name = package.identifier
    if package.origin is Origin.AZD:
        check_archive(package)
        name = offer.name
    return package_in(f"{package.origin}:{name}{_BETWEEN[package.origin]}{package.version}", offer.source)


def arguments_of(package: OfferedPackage, values: Sequence[str]) -> tuple[str, ...]:
    """Return a package's command arguments. An archive has none here, because its lock contains them."""
    return tuple(filled(() if package.origin is Origin.AZD else package.arguments, values))


def filled(texts: Sequence[str], values: Sequence[str]) -> list[str]:
    """Replace the placeholders in untrusted texts with the given values."""
    given = _named_values(values)
    wanted = [name for text in texts for name in _WANTED.findall(text)]
    if missing := [name for name in wanted if name not in given]:
        named = ", ".join(f'"{name[:100]}=..."' for name in missing)
        raise Refusal(f"The server requires input: pass values=[{named}].")
    if strays := [name for name in given if name not in wanted]:
        raise Refusal(f"The server has no input {strays[0][:100]!r}. Inputs: {', '.join(wanted) or 'none'}.")
    return [_WANTED.sub(lambda found: given[found[1]], text) for text in texts]


def _named_values(values: Sequence[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, _, value in (one.partition("=") for one in values):
        if not _VALUE.fullmatch(value):
            raise Refusal(
                f"{name[:100]!r} must be passed as name=value. The value may contain only letters, digits and -_."
            )
        given[name] = value
    return given
