"""What the installer proposes for a request, and what it says of newer versions. Nothing is downloaded or started."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from clients.folder_storage import FolderStorage
from extensions.entry import Entry, Installed
from extensions.extensions import Extensions
from extensions.host_traits import HostTraits
from extensions.installer import ANY_ADDRESS, Installer
from extensions.installing.package import Package, PackagedServer, PackageKind, PackageLock
from extensions.installing.packages import Packages
from extensions.registries.offer import OfferedPackage, Origin, Remote, ServerOffer
from extensions.registries.sources import ServerSources
from refusal import Refusal

DOCS = ServerOffer(
    name="io.example/docs",
    version="1.0.0",
    source="library",
    title="Docs",
    packages=(OfferedPackage(origin=Origin.NPM, identifier="docs", version="1.0.0"),),
)
URL = Remote(url="https://docs.example.com/mcp")


@dataclass
class Library:
    """A registry in memory."""

    offers: list[ServerOffer] = field(default_factory=lambda: [DOCS])
    name: str = "library"
    asked: list[str] = field(default_factory=list)
    wait: asyncio.Event | None = None

    async def search(self, words: Sequence[str], most: int) -> list[ServerOffer]:
        self.asked.append(" ".join(words))
        if self.wait:
            await self.wait.wait()
        return [one for one in self.offers if one.has(tuple(words))][:most]

    async def offer(self, name: str, _version: str = "latest") -> ServerOffer | None:
        self.asked.append(name)
        if self.wait:
            await self.wait.wait()
        return next((one for one in self.offers if one.name == name), None)


class Npm:
    """Locks each package without dependencies."""

    async def resolved(self, package: Package, _folder: Path) -> PackageLock:
        return PackageLock(package, str(package).encode(), 1)

    lock = install = command = None


@dataclass
class Shop:
    library: Library
    installer: Installer
    now: float = 0.0

    async def entry(self, server: str = DOCS.name, **wished: Any) -> Entry:
        return (await self.installer.propose(Installer.wish(server=server, **wished))).entry

    async def refusal(self, server: str = DOCS.name, **wished: Any) -> str:
        with pytest.raises(Refusal) as told:
            await self.entry(server, **wished)
        return str(told.value)

    async def offered(self, **more: Any) -> Entry:
        self.library.offers = [replace(DOCS, **more)]
        return await self.entry()


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Callable[..., Shop]]:
    made: list[Extensions] = []

    def open_shop(entries: Sequence[Entry] = (), addresses: Sequence[str] = (), *, has_packages: bool = True) -> Shop:
        npm: Any = {PackageKind.NPM: Npm()}
        packages = Packages(tmp_path / "packages", lambda: FolderStorage(tmp_path / "kept"), npm)
        place = HostTraits(origins=(), packages=packages if has_packages else None)
        made.append(Extensions(entries, lambda: FolderStorage(tmp_path), lambda _toolsets, _awaited: None, None, place))
        library = Library()
        one = Shop(library, Installer(made[-1], ServerSources([library]), addresses, clock=lambda: one.now))
        return one

    yield open_shop
    for extensions in made:
        await extensions.close()


@pytest.fixture
def shop(opened: Callable[..., Shop]) -> Shop:
    return opened()


def installed(number: int = 1, **about: Any) -> Entry:
    known = Installed(source="library", server=about.pop("server", DOCS.name), version=about.pop("version", "1.0.0"))
    return Entry(name=f"installed-other{number}", description="Docs.", url=URL.url, installed=known)


async def test_a_package_is_proposed_as_its_source_describes_it(shop: Shop) -> None:
    proposal = await shop.installer.propose(Installer.wish(server=DOCS.name))
    entry, lock = proposal.entry, proposal.lock
    assert (entry.name, entry.description) == ("installed-docs", "Installed. Its description: Docs")
    assert entry.package
    assert lock
    assert (str(entry.package.package), entry.package.digest) == ("npm:docs@1.0.0", lock.digest)
    assert entry.installed == Installed(source="library", server=DOCS.name, version="1.0.0")
    assert (proposal.look, proposal.tools, proposal.milder) == (None, {}, [])
    assert await shop.installer.propose(Installer.wish(server=DOCS.name), proposal.digest)
    shop.library.offers = [replace(DOCS, title="Other")]
    with pytest.raises(Refusal, match="have changed since they were shown"):
        await shop.installer.propose(Installer.wish(server=DOCS.name), proposal.digest)


async def test_a_package_is_installed_before_its_tools_are_pinned(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[object] = []

    async def ready(_: Packages, server: PackagedServer) -> None:
        taken.append(server)

    async def pin(_: Extensions, name: str, digest: str, entry: Entry) -> None:
        taken.append((name, digest, entry))

    monkeypatch.setattr(Packages, "ready", ready)
    monkeypatch.setattr(Extensions, "take", pin)
    entry = (await shop.installer.install(Installer.wish(server=DOCS.name))).entry
    assert taken == [entry.package, ("installed-docs", "", entry)]


async def test_texts_and_patterns_of_a_request_are_bounded(shop: Shop) -> None:
    assert (await shop.entry(description="d" * 200)).description == "d" * 200
    assert (await shop.entry(description="d" * 201)).description == f"{'d' * 200} …"
    patterns = [f"get_{number}" for number in range(101)]
    assert len((await shop.entry(read=patterns[:100], write=["set_*"])).rules) == 101
    assert "Pass at most 100 names or patterns" in await shop.refusal(read=patterns)
    assert "Pass at most 100 names or patterns" in await shop.refusal(write=patterns)
    assert "'a b' is not a tool name or a pattern" in await shop.refusal(write=["a b"])
    assert "'get_*' cannot be in both `read` and `write`" in await shop.refusal(read=["get_*"], write=["get_*"])


@pytest.mark.parametrize(
    ("server", "name"),
    [
        ("io.example/Docs_Of.All", "installed-docs-of-all"),
        (f"io.example/{'a' * 28}", f"installed-{'a' * 28}"),
        (f"io.example/{'a' * 29}", f"installed-{'a' * 28}"),
        (f"io.example/{'a' * 27}-b", f"installed-{'a' * 27}"),
        ("io.example/7-docs", "installed-mcp-7-docs"),
        ("io.example/___", "installed-mcp"),
    ],
)
async def test_an_extension_is_named_like_its_server(shop: Shop, server: str, name: str) -> None:
    shop.library.offers = [replace(DOCS, name=server)]
    assert (await shop.entry(server)).name == name
    assert (await shop.entry(server, name="books")).name == "installed-books"
    assert (await shop.entry(server, name="installed-books")).name == "installed-books"


async def test_a_name_is_used_once_and_similar_names_are_refused(opened: Callable[..., Shop]) -> None:
    shop = opened([Entry(name="installed-docs", description="Docs."), Entry(name="files", description="Files.")])
    assert "Extension 'installed-docs' already exists" in await shop.refusal()
    assert "'installed-docs-new' could be mistaken for 'installed-docs'" in await shop.refusal(name="docs-new")
    assert (await shop.entry(name="docsnew")).name == "installed-docsnew"
    assert "The name 'A' is not a valid name" in await shop.refusal(name="A")
    shop = opened([Entry(name="installed-docs-new", description="Docs.")])
    assert "'installed-docs' could be mistaken for 'installed-docs-new'" in await shop.refusal()


@pytest.mark.parametrize(("count", "told"), [(49, ""), (50, "The maximum of 50 installed extensions has been reached")])
async def test_up_to_50_extensions_are_installed(opened: Callable[..., Shop], count: int, told: str) -> None:
    shop = opened([Entry(name="files", description="Files."), *map(installed, range(count))])
    if told:
        assert told in await shop.refusal()
    else:
        assert (await shop.entry()).name == "installed-docs"


@pytest.mark.parametrize(
    ("has_packages", "remotes", "way"),
    [(True, (), "package"), (True, (URL,), "url"), (False, (URL,), "url"), (False, (), "")],
)
async def test_a_url_is_used_before_a_package_and_a_package_only_where_processes_may_start(
    opened: Callable[..., Shop], *, has_packages: bool, remotes: tuple[Remote, ...], way: str
) -> None:
    shop = opened(has_packages=has_packages)
    offer = replace(DOCS, remotes=remotes)
    shop.library.offers = [offer]
    assert bool(shop.installer.hindrance(offer)) is not bool(way)
    if way == "package":
        assert (await shop.entry()).package
    elif not way:
        assert "has no URL" in await shop.refusal()


async def test_what_a_source_marks_as_not_active_is_refused_and_told(opened: Callable[..., Shop]) -> None:
    shop = opened([installed()])
    shop.library.offers = [replace(DOCS, status="deprecated", status_words="Use books.")]
    assert await shop.refusal() == "io.example/docs 1.0.0 is deprecated. Use books."
    news = "The newest version cannot be installed: The source marks the server as deprecated. Use books."
    assert await shop.installer.news() == {"installed-other1": news}


@pytest.mark.parametrize(
    ("addresses", "told"),
    [
        ((), "EXTENSION_ADDRESSES: none"),
        (("https://docs.example.com:8443", "https://a.example"), "8443, https://a.example)"),
        (("https://docs.example.com",), ""),
        ((ANY_ADDRESS,), ""),
    ],
)
async def test_a_url_is_inspected_only_at_an_allowed_origin(
    opened: Callable[..., Shop], monkeypatch: pytest.MonkeyPatch, addresses: Sequence[str], told: str
) -> None:
    shop = opened(addresses=addresses)

    def check(url: str, *, is_private: bool) -> None:
        raise Refusal(f"Would inspect {url}{' privately' if is_private else ''}.")

    monkeypatch.setattr("extensions.installer.checked", check)
    privately = " privately" if "https://docs.example.com" in addresses else ""
    assert (told or f"Would inspect {URL.url}{privately}.") in await shop.refusal(URL.url)
    assert not shop.library.asked


async def test_newer_versions_are_looked_up_once_an_hour(opened: Callable[..., Shop]) -> None:
    shop = opened([installed(), Entry(name="files", description="Files.")])
    assert await shop.installer.news() == {}
    newer = replace(DOCS, version="1.1.0")
    shop.library.offers = [newer]
    for now, told in ((3599, {}), (3600, {"installed-other1": "Version 1.1.0 is available."})):
        shop.now = now
        assert {name: news.partition(" Install")[0] for name, news in (await shop.installer.news()).items()} == told
    assert len(shop.library.asked) == 2
    shop.library.offers = [replace(newer, packages=())]
    shop.now += 3600
    assert "cannot be installed: io.example/docs 1.1.0 has no URL" in (await shop.installer.news())["installed-other1"]
    shop.library.offers = []
    shop.now += 3600
    assert "is not in any source" in (await shop.installer.news())["installed-other1"]


async def test_news_of_50_extensions_are_cached(opened: Callable[..., Shop]) -> None:
    shop = opened([installed(number, version=str(number)) for number in range(50)])
    for _ in range(2):
        assert len(await shop.installer.news()) == 50
    assert len(shop.library.asked) == 50
    shop = opened([installed(number, version=str(number)) for number in range(51)])
    for _ in range(2):
        assert len(await shop.installer.news()) == 51
    assert len(shop.library.asked) > 51


async def test_a_source_that_does_not_respond_is_told_or_left_out(
    opened: Callable[..., Shop], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extensions.installer._SECONDS_FOR_NEWS", 0.001)
    shop = opened([installed()])
    shop.library.wait = asyncio.Event()
    assert await shop.installer.news() == {"installed-other1": "The source does not respond."}
    assert await shop.installer.known("docs") is None


async def test_a_newer_version_is_proposed_under_the_same_name(opened: Callable[..., Shop]) -> None:
    shop = opened([installed(), installed(2, server=""), Entry(name="files", description="Files.")])
    for name in ("installed-other1", "installed-other2", "files"):
        assert await shop.installer.newer(name) is None
    shop.library.offers = [replace(DOCS, version="1.1.0")]
    assert [await shop.installer.newer(name) for name in ("installed-other2", "files")] == [None, None]
    proposal = await shop.installer.newer("installed-other1")
    assert proposal
    assert (proposal.entry.name, proposal.entry.url) == ("installed-other1", "")
    assert proposal.entry.installed == Installed(source="library", server=DOCS.name, version="1.1.0")


@pytest.mark.parametrize(
    ("name", "is_known"), [("docs", True), ("Docs", True), ("io.example/docs", True), ("doc", False), ("!?", False)]
)
async def test_an_offer_is_known_by_its_whole_name(shop: Shop, name: str, *, is_known: bool) -> None:
    assert (await shop.installer.known(name) is DOCS) is is_known
    assert bool(shop.library.asked) is any(letter.isalnum() for letter in name)


@pytest.mark.parametrize(("others", "is_known"), [(19, True), (20, False)])
async def test_an_offer_is_known_if_it_is_one_of_the_first_20(shop: Shop, others: int, *, is_known: bool) -> None:
    shop.library.offers = [*(replace(DOCS, name=f"io.example/docs{number}") for number in range(others)), DOCS]
    assert (await shop.installer.known("docs") is DOCS) is is_known


async def test_what_was_installed_from_an_offer_is_found_and_only_that_is_removable(
    opened: Callable[..., Shop],
) -> None:
    shop = opened([Entry(name="files", description="Files."), installed(2, server="io.example/other"), installed()])
    assert shop.installer.installed_as(DOCS) == "installed-other1"
    assert shop.installer.installed_as(replace(DOCS, name="io.example/new")) == ""
    assert shop.installer.removable("installed-other1").name == "installed-other1"
    with pytest.raises(Refusal, match="'files' was not installed by a tool"):
        shop.installer.removable("files")
