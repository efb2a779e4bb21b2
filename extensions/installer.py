"""Installs an extension from a source or a URL: inspects the extension's server, and stores the extension exactly as
previewed.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from extensions.entry import PATTERN, Entry, Installed
from extensions.extensions import Extensions
from extensions.install_options import arguments_of, filled, named_by, package_of, remote_of
from extensions.installed import InstalledEntry, origin_of, record_of
from extensions.installing.package import PackageLock
from extensions.pins import PinCheck, Said
from extensions.registries.offer import OfferedPackage, ServerOffer
from extensions.registries.registry import LATEST
from extensions.registries.sources import ServerSources
from extensions.sanitizing import LONGEST_DESCRIPTION, digest, readable
from extensions.upstream.connecting import checked
from identity.access import Access
from identity.toolset_names import INSTALLED, problem_of_external
from mcp_server.declarations.names import folded
from refusal import Refusal

ANY_ADDRESS: Final = "all"
MOST_INSTALLED: Final = 50
_NOWHERE: Final = {"url": "", "package": "", "hash": "", "arguments": ()}
_LONGEST_WISH: Final = 100
_MOST_KNOWN: Final = 20
_WORD: Final = re.compile("[a-z0-9]+")
_SECONDS_OF_NEWS: Final = 3600.0
_SECONDS_FOR_NEWS: Final = 5.0
_MOST_PATTERNS: Final = 100
_LONGEST_SENTENCE: Final = 200
_DIGITS: Final = 16
_LONGEST_NAME: Final = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallRequest:
    """A request to install an extension, which is identified by a server name in a source or by a URL."""

    server: str
    name: str = ""
    source: str = ""
    version: str = ""
    description: str = ""
    values: Sequence[str] = ()
    read: Sequence[str] = ()
    write: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """The extension that would be installed, and the tool definitions that its server sent."""

    entry: Entry
    # The result of inspecting the server, or None for a package, which does not run before its installation is
    # approved.
    look: PinCheck | None
    lock: PackageLock | None
    offer: ServerOffer | None
    record: InstalledEntry

    @property
    def tools(self) -> dict[str, str]:
        """The description of each tool in the preview."""
        return {name: _shown(self.entry, said) for name, said in sorted(self.seen.items())}

    @property
    def seen(self) -> Mapping[str, Said]:
        return self.look.seen if self.look else {}

    @property
    def milder(self) -> list[str]:
        """The tools that this server treats as destructive although the extension claims that they are read-only or not
        destructive.
        """
        destroying = [name for name in sorted(self.seen) if self.entry.access(name) is Access.DESTROY]
        return [name for name in destroying if _is_said_to_be_milder(self.seen[name])]

    @property
    def digest(self) -> str:
        """A digest of everything in the preview."""
        seen = self.look.digest if self.look else ""
        return hashlib.sha256(seen.encode() + self.record.content).hexdigest()


@dataclass(frozen=True)
class Installer:
    extensions: Extensions
    sources: ServerSources
    # The allowed origins of extensions that are installed by URL, or `all`.
    addresses: Collection[str] = ()
    # Sources whose extensions are installed without a preview.
    trusted: Collection[str] = ()
    clock: Callable[[], float] = time.monotonic
    _news: dict[Installed | None, tuple[float, str]] = field(default_factory=dict, init=False)

    @staticmethod
    def wish(**wished: Any) -> InstallRequest:
        return InstallRequest(**wished)

    def hindrance(self, offer: ServerOffer) -> str:
        """Return the reason why a tool cannot install an offer, or an empty string if a tool can install the offer."""
        try:
            package = self._package_of(offer)
            if package:
                named_by(offer, package)
            else:
                remote_of(offer)
        except Refusal as refusal:
            return str(refusal)
        return ""

    async def propose(self, wish: InstallRequest, seen: str = "") -> Proposal:
        """Propose an extension without signing in. Raises Refusal if `seen` is given and differs from the digest."""
        await self.extensions.follow()
        offer = None if "://" in wish.server else await self._offer(wish)
        name = self._name(wish)
        proposal = await self._proposal(name, await self._record(wish, offer), offer)
        if seen and seen != proposal.digest:
            raise Refusal("The server or its tools have changed since they were shown. Review the server again.")
        return proposal

    async def _proposal(self, name: str, record: InstalledEntry, offer: ServerOffer | None) -> Proposal:
        entry = record.entry(name, self.addresses)
        if entry.package and self.extensions.packages:
            return Proposal(entry, None, await self.extensions.packages.lock(entry.package.package), offer, record)
        checked(entry.url, is_private=entry.is_private)  # rejects forbidden addresses
        return Proposal(entry, await self.extensions.look(entry.name, entry), None, offer, record)

    async def newer(self, name: str) -> Proposal | None:
        """Return a newer version from the source of an installed extension, or None if the extension is current."""
        entry = self.extensions.named(name).entry
        offer = await self._newer_offer(entry)
        if offer is None or entry.installed is None:
            return None
        way = await self._way(offer, entry.installed.values)
        record = record_of(entry).model_copy(update={**_NOWHERE, **way, "version": offer.version})
        return await self._proposal(name, record, offer)

    async def news(self) -> Mapping[str, str]:
        """Return notes on newer versions of installed extensions, by name. Sources are checked once an hour."""
        entries = [one.entry for one in self.extensions.all.values() if one.entry.installed]
        told = await asyncio.gather(*map(self._news_of, entries))
        return {entry.name: news for entry, news in zip(entries, told, strict=True) if news}

    async def _news_of(self, entry: Entry) -> str:
        about = entry.installed
        until, news = self._news.get(about, (0.0, ""))
        if self.clock() >= until:
            news = await self._looked_up(entry)
            while len(self._news) >= MOST_INSTALLED:
                self._news.pop(next(iter(self._news)))
            self._news[about] = self.clock() + _SECONDS_OF_NEWS, news
        return news

    async def _looked_up(self, entry: Entry) -> str:
        try:
            async with asyncio.timeout(_SECONDS_FOR_NEWS):
                offer = await self._newer_offer(entry)
        except TimeoutError:
            return "The source does not respond."
        except Refusal as refusal:
            return f"The newest version cannot be installed: {refusal}"
        if offer and (hindrance := self.hindrance(offer)):
            return f"The newest version cannot be installed: {hindrance}"
        return f"Version {offer.version} is available. Install it with update_extension." if offer else ""

    async def _newer_offer(self, entry: Entry) -> ServerOffer | None:
        about = entry.installed
        if about is None or not about.server:
            return None
        offer = await self.sources.offer(about.server, LATEST, about.source)
        if not offer.is_active:
            raise Refusal(f"The source marks the server as {offer.status[:50]}. {offer.status_words}".strip())
        return None if offer.version == about.version else offer

    async def install(self, wish: InstallRequest) -> Proposal:
        """Install an extension without a preview.

        Raises:
            Refusal: The extension cannot be installed.
        """
        proposal = await self.propose(wish)
        await self.take(proposal)
        return proposal

    async def take(self, proposal: Proposal) -> None:
        """Install a proposal. The tools of a package are pinned when the package first starts."""
        entry = proposal.entry
        if entry.package and self.extensions.packages:
            await self.extensions.packages.ready(entry.package)
        await self.extensions.take(entry.name, proposal.look.digest if proposal.look else "", entry)

    async def known(self, name: str) -> ServerOffer | None:
        """Return the offer with this name from a source. Return None if no source has the offer, or if the sources do
        not respond in time.
        """
        words = _WORD.findall(name[:_LONGEST_WISH].lower())
        try:
            async with asyncio.timeout(_SECONDS_FOR_NEWS):
                found = await self.sources.search(words, _MOST_KNOWN) if words else None
        except TimeoutError:
            return None
        named = (one for one in (found.offers if found else ()) if folded(name) in _names_of(one))
        return next(named, None)

    def installed_as(self, offer: ServerOffer) -> str:
        """Return the name of the extension that was installed from an offer, or an empty string."""
        all_there = self.extensions.all.items()
        found = (name for name, one in all_there if one.entry.installed and one.entry.installed.server == offer.name)
        return next(found, "")

    def removable(self, name: str) -> Entry:
        """Return the extension with this name if a tool installed it.

        Raises:
            Refusal: The extension does not exist, or is defined in the operator's file.
        """
        entry = self.extensions.named(name).entry
        if not entry.installed:
            raise Refusal(
                f"{name!r} was not installed by a tool. To remove it, delete its entry from the extensions file."
            )
        return entry

    async def _offer(self, wish: InstallRequest) -> ServerOffer:
        offer = await self.sources.offer(wish.server, wish.version or LATEST, wish.source)
        if not offer.is_active:
            raise Refusal(f"{offer.name} {offer.version} is {offer.status[:50]}. {offer.status_words}".strip())
        return offer

    async def _way(self, offer: ServerOffer, values: Sequence[str]) -> dict[str, Any]:
        """Choose how to install an offer: as a package if this server may start processes, otherwise by its URL."""
        packages, package = self.extensions.packages, self._package_of(offer)
        if not packages or not package:
            return {"url": filled([remote_of(offer).url], values)[0]}
        named = named_by(offer, package)
        arguments = arguments_of(package, values)
        return {"package": str(named), "hash": (await packages.lock(named)).digest, "arguments": arguments}

    def _package_of(self, offer: ServerOffer) -> OfferedPackage | None:
        return package_of(offer) if self.extensions.packages and not offer.remotes else None

    async def _record(self, wish: InstallRequest, offer: ServerOffer | None) -> InstalledEntry:
        way = await self._way(offer, wish.values) if offer else {"url": self._address(wish.server)}
        said = offer.title or offer.description if offer else origin_of(wish.server)
        return InstalledEntry(
            description=readable(wish.description or f"Installed. Its description: {said}", _LONGEST_SENTENCE),
            **way,
            source=offer.source if offer else "",
            server=offer.name if offer else "",
            version=offer.version if offer else "",
            values=tuple(wish.values) if offer else (),
            read=_patterns(wish.read, wish.write),
            write=_patterns(wish.write),
        )

    def _address(self, address: str) -> str:
        origin = origin_of(address)
        if origin in self.addresses or ANY_ADDRESS in self.addresses:
            return address
        allowed = ", ".join(self.addresses) or "none"
        raise Refusal(
            "Extensions can be installed only from sources (see search_extensions) or from allowed origins"
            f" (EXTENSION_ADDRESSES: {allowed})."
        )

    def _name(self, wish: InstallRequest) -> str:
        short = (wish.name or _derived(wish.server)).removeprefix(f"{INSTALLED}-")
        name = f"{INSTALLED}-{short}"
        if problem := problem_of_external(name, ()):
            raise Refusal(f"The name {short[:100]!r} {problem}. Pass a different `name`.")
        if name in self.extensions.all:
            raise Refusal(f"Extension {name!r} already exists. Remove the extension first, or pass a different `name`.")
        self._refuse_similar(name)
        if sum(one.entry.installed is not None for one in self.extensions.all.values()) >= MOST_INSTALLED:
            raise Refusal(f"The maximum of {MOST_INSTALLED} installed extensions has been reached. Remove one first.")
        return name

    def _refuse_similar(self, name: str) -> None:
        for other in self.extensions.all:
            # If one extension's name is a prefix of the other's, their tools could be mistaken for each other.
            if f"{other}-".startswith(f"{name}-") or name.startswith(f"{other}-"):
                raise Refusal(f"{name!r} could be mistaken for {other!r}. Pass a different `name`.")


def _patterns(patterns: Sequence[str], others: Sequence[str] = ()) -> tuple[str, ...]:
    for pattern in patterns:
        if not PATTERN.fullmatch(pattern):
            raise Refusal(f"{pattern[:100]!r} is not a tool name or a pattern such as get_*.")
        if pattern in others:
            raise Refusal(f"{pattern!r} cannot be in both `read` and `write`: pass it in one list only.")
    if len(patterns) > _MOST_PATTERNS:
        raise Refusal(f"Pass at most {_MOST_PATTERNS} names or patterns.")
    return tuple(patterns)


def _names_of(offer: ServerOffer) -> set[str]:
    return {folded(offer.name), folded(_derived(offer.name))}


def _derived(server: str) -> str:
    """Derive a name for an extension from the last part of its server name, or from its host."""
    text = origin_of(server).partition("://")[2] if "://" in server else server.rpartition("/")[2]
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST_NAME].strip("-")
    return words if words[:1].isalpha() else f"mcp-{words}".strip("-")


def _shown(entry: Entry, said: Said) -> str:
    """Describe a tool for the preview: its access level, its description, and a digest of its definition."""
    access = entry.access(said["name"])
    description = readable(said.get("description") or said.get("title") or "", LONGEST_DESCRIPTION)
    return f"{access.label if access else 'not offered'}; {description!r}; digest {digest(said)[:_DIGITS]}"


def _is_said_to_be_milder(said: Said) -> bool:
    """Check whether the extension claims that a tool is read-only or not destructive. This server ignores the claim."""
    about = said.get("annotations")
    return isinstance(about, Mapping) and (about.get("readOnlyHint") is True or about.get("destructiveHint") is False)
