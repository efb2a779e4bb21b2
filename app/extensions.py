"""Configures extensions, which are other MCP servers. This module is imported only if settings enable extensions."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.approving import page_lacking
from app.signing_in import sealing_keys
from clients.azure.cloud import cloud_named
from clients.storage import Storage
from identity.caller import Caller
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.declarations.toolset import Toolset
from mcp_server.visit import Visit
from refusal import Refusal
from settings import Settings
from tools.extensions.installing import INSTALL
from tools.extensions.installing import toolset as installing
from tools.extensions.installing.access import INSTALLER
from tools.extensions.installing.settings import SourceSettings
from tools.extensions.settings import PURPOSE, ExtensionSettings
from tools.provider import Providers

if TYPE_CHECKING:
    from extensions.entry import Entry
    from extensions.extensions import Extensions
    from extensions.installer import Installer
    from extensions.installing.package import Package
    from extensions.installing.packages import Packages
    from extensions.registries.offer import ServerOffer
    from extensions.sign_in.sign_ins import SignIns
    from identity.upstream import Upstream

_PURPOSE: Final = "sign-ins at extensions 1"
_ROOT: Final = Path(__file__).parent.parent
_LEARN: Final = "To see its tools, call `azure` with tool={0!r} and learn=true."


def entries_of(settings: Settings, toolsets: Sequence[Toolset]) -> Sequence[Entry]:
    """Read the extensions file.

    Raises:
        Refusal: The file is invalid or missing.
    """
    file = settings.of(ExtensionSettings).file
    if not file:
        return ()
    from extensions.entries_file import entries_in

    path = _ROOT / file
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        raise Refusal(f"The setting EXTENSIONS_FILE is {file!r}, but that file cannot be read.") from None
    own = [toolset.name for toolset in toolsets]
    entries = entries_in(text, path.name, own, os.environ if _may_start(settings) else None)
    if lacking := page_lacking(settings):
        for entry in entries:
            if entry.is_consented:
                raise Refusal(f"The extension {entry.name!r} requires users to sign in on a page. {lacking}")
    return entries


def _is_laptop(settings: Settings) -> bool:
    """Whether this server has only one user and one process."""
    return settings.sign_in.mode == "none" and not settings.place.is_on_azure


def _may_start(settings: Settings) -> bool:
    """Whether extensions are allowed to run as processes on this machine. By default, such processes are allowed only
    on a laptop.
    """
    said = settings.of(ExtensionSettings).children
    return not settings.place.is_on_azure if said is None else said


def _packages_of(settings: Settings, storage: Callable[[], Storage]) -> Packages:
    from extensions.installing.archives import Archives
    from extensions.installing.downloading import Downloads
    from extensions.installing.npm import Npm
    from extensions.installing.package import PackageKind
    from extensions.installing.packages import PackageRegistry, Packages
    from extensions.installing.pypi import PyPi

    own, of_sources = settings.of(ExtensionSettings), settings.of(SourceSettings)
    registries: dict[PackageKind, PackageRegistry] = {
        PackageKind.NPM: Npm(own.npm.rstrip("/")),
        PackageKind.PYPI: PyPi(own.pypi.rstrip("/")),
        PackageKind.AZD: Archives(partial(_offered, of_sources), Downloads(of_sources.addresses)),
    }
    return Packages(_ROOT / own.folder, storage, registries)


async def _offered(sources: SourceSettings, package: Package) -> ServerOffer:
    from extensions.registries.sources import ServerSources

    return await ServerSources.at(sources.sources, _ROOT).offer(package.name, package.version, package.source)


def extensions_beside(
    entries: Sequence[Entry],
    settings: Settings,
    catalogs: Catalogs,
    storage: Callable[[str], Storage],
    sign_ins: SignIns | None,
) -> Extensions | None:
    """Build the extensions, and add their toolsets to the catalog. Return None if the settings do
    not allow extensions.
    """
    sources = settings.of(SourceSettings)
    if not entries and not sources.are_there:
        return None
    from extensions.extensions import Extensions
    from extensions.host_traits import HostTraits

    origins = sources.addresses if sources.are_there else None
    packages = _packages_of(settings, partial(storage, PURPOSE))
    place = HostTraits(origins, packages if _may_start(settings) else None, holds=_is_laptop(settings))
    extensions = Extensions(entries, partial(storage, PURPOSE), catalogs.replace, sign_ins, place)
    catalogs.arrival = extensions.begin
    return extensions


def sign_ins_at(
    entries: Sequence[Entry], settings: Settings, storage: Callable[[str], Storage], upstream: Callable[[], Upstream]
) -> SignIns | None:
    """Build the service that signs users in to extensions. Return None if no extension requires a sign-in."""
    if not entries:
        return None
    from extensions.sign_in.methods import ANYBODY, trusted_by

    if all(entry.sign_in is ANYBODY for entry in entries):
        return None
    from extensions.sign_in.sign_ins import House, SignIns
    from identity.seals import Seals

    async def authorization(caller: Caller, scope: str) -> str:
        return await upstream().authorization(caller, scope)

    seals = Seals(sealing_keys(settings), purpose=_PURPOSE)
    trusted = trusted_by(entries)
    kept = partial(storage, PURPOSE)
    return SignIns(
        House(kept, seals, _secrets(settings, upstream), authorization, trusted, is_laptop=_is_laptop(settings))
    )


def _secrets(settings: Settings, upstream: Callable[[], Upstream]) -> Callable[[str], Awaitable[str]]:
    from extensions.sign_in.outgoing import Outgoing
    from extensions.sign_in.vault import SecretVault

    url, cloud = settings.of(ExtensionSettings).vault, cloud_named(settings.upstream.cloud)
    if url and not cloud.is_vault(url):
        raise Refusal(f"EXTENSIONS_VAULT must be the URL of a Key Vault, for example https://team.{cloud.vaults}.")

    async def authorization() -> str:
        return await upstream().own_authorization(cloud.vault_scope)

    vault = SecretVault(url, authorization, Outgoing())

    async def secret(name: str) -> str:
        if not url:
            raise Refusal(f"No vault is configured for the secret {name}. Ask an operator to set EXTENSIONS_VAULT.")
        return await vault.secret(name)

    return secret


async def missing_tool_hint(
    providers: Providers, extensions: Callable[[], Extensions | None], visit: Visit, name: str
) -> str:
    """Return a hint if an extension may have this tool: why the extension is unavailable, or how to install it."""
    if away := _away(extensions(), visit, name):
        return away
    if not (providers.has(INSTALLER) and visit.view.opens(installing.name, INSTALL)):
        return ""
    installer = await providers.get(INSTALLER)
    offer = await installer.known(name)
    return await _had(installer, offer, visit) if offer else ""


async def _had(installer: Installer, offer: ServerOffer, visit: Visit) -> str:
    """Return a hint about a server that a source offers: the server's name if installed, otherwise how to install it.

    If the source is trusted, this function installs the server.
    """
    if there := installer.installed_as(offer):
        return f" The extension is installed as {there!r}. {_LEARN.format(there)}"
    if offer.source not in installer.trusted:
        return (
            f" A source offers {offer.name!r}, which is not installed. Use install_extension to preview and install it."
        )
    try:
        installed = await installer.install(installer.wish(server=offer.name, source=offer.source))
    except Refusal as refusal:
        return f" A trusted source offers {offer.name!r}, but it could not be installed: {refusal}"
    from mcp_server.calls.audit import Outcome
    from mcp_server.calls.recording import record_beside

    record_beside(visit.trace, f"extension: install {offer.name[:200]} automatically", Outcome.DONE)
    return (
        f" A trusted source offers {offer.name!r}, so it has been installed as {installed.entry.name!r}."
        f" {_LEARN.format(installed.entry.name)} Its tools are treated as destructive. Use remove_extension to remove"
        " the extension."
    )


def _away(extensions: Extensions | None, visit: Visit, name: str) -> str:
    """Return the reason why an extension is unavailable.

    The text is empty for callers without access, so that they cannot find out that the extension exists.
    """
    if extensions is None or name not in extensions.all or not visit.grants.opens(name):
        return ""
    why = extensions.states()[name].get("problem") or "The tools of this extension have not been approved yet."
    return f" {name!r} is an extension whose tools cannot be called now. {why}"


def check_trusted(settings: Settings) -> None:
    """Check that automatic installation is enabled only for a single user.

    Raises:
        Refusal: Automatic installation is enabled, but several people use the server.
    """
    if settings.of(SourceSettings).trusted and not _is_laptop(settings):
        raise Refusal(
            "EXTENSION_TRUSTED installs servers automatically. Automatic installation is allowed only on a laptop"
            " without sign-in. Remove the setting."
        )
