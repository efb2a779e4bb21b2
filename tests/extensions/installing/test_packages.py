"""Servers in packages: installed as their lock says, apart from everything, once, whole or not at all."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clients.folder_storage import FolderStorage
from extensions.installing import pypi
from extensions.installing.npm import Npm
from extensions.installing.package import PackagedServer, PackageKind, constrained, package_in
from extensions.installing.packages import PackageRegistry, Packages
from extensions.installing.pypi import PyPi
from extensions.upstream.process import Command
from refusal import Refusal
from tests.fakes.extension_sources.registries import (
    NODE_PEER,
    NPM,
    PYPI,
    FakeRegistries,
    registries,
    tarball,
    wheel,
)

# Each asks npm or pip to do something, which takes a second or more.
NIGHTLY = pytest.mark.skipif("FUZZ_PACKAGES" not in os.environ, reason="FUZZ_PACKAGES is not set.")
ELSEWHERE = ("git+https://127.0.0.1:9/x.git", "file:/etc", "github:a/b")
BOTH = pytest.mark.parametrize("named", [NPM, PYPI], ids=["npm", "pypi"])
NPM_FIRST = pytest.mark.parametrize("named", [NPM, pytest.param(PYPI, marks=NIGHTLY)], ids=["npm", "pypi"])


@asynccontextmanager
async def packages_of(folder: Path, fake: FakeRegistries, **how: Any) -> AsyncIterator[Packages]:
    kinds: dict[PackageKind, PackageRegistry] = {
        PackageKind.NPM: Npm(fake.url),
        PackageKind.PYPI: PyPi(f"{fake.url}/simple"),
    }
    packages = Packages(folder / "packages", lambda: FolderStorage(folder / "kept"), kinds, **how)
    try:
        yield packages
    finally:
        await packages.close()


async def installed(packages: Packages, named: str, **how: Any) -> Command:
    package = package_in(named)
    return await packages.command(PackagedServer(package=package, digest=(await packages.lock(package)).digest, **how))


def made(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "packages").iterdir())


def said_by(command: Command) -> Any:
    """What the server answers to a call."""
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}})
    run = subprocess.run(
        command.words, input=f"{call}\n", env=dict(command.environment), capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)["result"]["structuredContent"]


@BOTH
async def test_however_many_want_it_at_once_one_is_installed_apart_and_started_by_its_program(
    tmp_path: Path, named: str
) -> None:
    fake = registries()
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        one = replace(await wanted(packages, named), arguments=("--fast",), environment={"A": "b"})
        fake.asked.clear()
        command, *others = await asyncio.gather(*(packages.command(one) for _ in range(5)))
        assert {other.words for other in others} == {command.words}
        assert sum(asked.startswith("files/") for asked in fake.asked) == 1
        said = said_by(command)
        if "environment" in said:
            assert set(said["environment"]) <= {"A", "LC_CTYPE", "PWD"}
        else:
            assert said["argv"] == ["--fast"]
            assert not any("site-packages" in place for place in said["path"])
        assert len(made(tmp_path)) == 1
        heard = len(fake.asked)
        assert (await packages.command(await wanted(packages, named))).words[0] == command.words[0]
        assert not [asked for asked in fake.asked[heard:] if asked.endswith((".tgz",))]


async def test_constraints_of_pypi_choose_the_version_that_is_locked(tmp_path: Path) -> None:
    fake = registries(needs="other")
    for version in ("1.9.0", "2.0.0"):
        fake.add_pypi("other", **{f"other-{version}-py3-none-any.whl": wheel("other", version, {"other.py": ""})})
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        free, bound = package_in(PYPI), constrained(package_in(PYPI), ["other<2"])
        assert b'"2.0.0"' in (await packages.lock(free)).content
        with pytest.raises(Refusal, match="was locked with different constraints"):
            await packages.command(PackagedServer(package=bound, digest=(await packages.lock(free)).digest))
        lock = await packages.lock(bound)
        assert b'"1.9.0"' in lock.content
        assert said_by(await packages.command(PackagedServer(package=bound, digest=lock.digest)))
        (place,) = made(tmp_path)
        assert (tmp_path / "packages" / place / "tree" / "site" / "other-1.9.0.dist-info").is_dir()


@BOTH
@NIGHTLY
async def test_a_hash_made_with_other_constraints_is_rejected(tmp_path: Path, named: str) -> None:
    fake = registries()
    bound = constrained(package_in(named), ["other<2" if named == PYPI else "other@^1"])
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        free = await packages.lock(package_in(named))
        with pytest.raises(Refusal, match="was locked with different constraints"):
            await packages.command(PackagedServer(package=bound, digest=free.digest))
        lock = await packages.lock(bound)
        assert lock.digest != free.digest
        assert (await packages.command(PackagedServer(package=bound, digest=lock.digest))).words


async def wanted(packages: Packages, named: str) -> PackagedServer:
    package = package_in(named)
    return PackagedServer(package=package, digest=(await packages.lock(package)).digest)


@NIGHTLY
async def test_what_has_no_hash_is_not_installed_and_what_to_write_is_told(tmp_path: Path) -> None:
    fake = registries()
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        with pytest.raises(Refusal, match=r"1 packages would .* add `hash: sha256:[0-9a-f]{64}` next to `package`"):
            await packages.command(PackagedServer(package=package_in(NPM)))
        assert made(tmp_path) == []


async def test_without_pip_its_packages_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pypi, "find_spec", lambda name: None if name == "pip" else pytest.fail(name))
    async with packages_of(tmp_path, registries()) as packages:
        with pytest.raises(Refusal, match="require pip, which is not installed here"):
            await packages.lock(package_in(PYPI))


@NIGHTLY
async def test_a_lock_is_kept_so_that_what_registries_find_later_changes_nothing(tmp_path: Path) -> None:
    fake = registries(dependencies={"other": "^1.0.0"})
    fake.add_npm("other", content=tarball({"package.json": '{"name": "other", "version": "1.0.0"}'}))
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        before = await wanted(packages, NPM)
        fake.add_npm(
            "other", version="1.9.0", content=tarball({"package.json": '{"name": "other", "version": "1.9.0"}'})
        )
        assert (await packages.lock(package_in(NPM))).digest == before.digest  # it was looked up just now
        packages.clock = lambda: time.monotonic() + 601
        assert (await packages.lock(package_in(NPM))).digest != before.digest
        with pytest.raises(Refusal):  # the old one of `other` is gone, and no other takes its place
            await packages.command(before)
        async with packages_of(tmp_path / "elsewhere", fake) as others:
            with pytest.raises(Refusal, match="do not match the expected hash; the new hash is sha256:"):
                await others.command(before)
        assert made(tmp_path) == []


@NPM_FIRST
async def test_what_is_given_up_half_way_leaves_nothing_that_starts(tmp_path: Path, named: str) -> None:
    fake = registries()
    async with fake.served():
        async with packages_of(tmp_path, fake) as packages:
            one = await wanted(packages, named)
            fake.opened.clear()
            fake.awaited.clear()
            asking = asyncio.create_task(packages.command(one))
            await fake.awaited.wait()
            await packages.close()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert made(tmp_path) == []
        (tmp_path / "packages" / "making-left" / "made").mkdir(parents=True)  # as by whoever is killed
        fake.opened.set()
        async with packages_of(tmp_path, fake) as packages:
            said_by(await packages.command(one))


@BOTH
@NIGHTLY
async def test_what_was_changed_since_is_installed_anew(tmp_path: Path, named: str) -> None:
    fake = registries()
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        one = await wanted(packages, named)
        await packages.command(one)
        (peer,) = (tmp_path / "packages").rglob("peer.js" if named == NPM else "peer.py")
        peer.write_text("raise SystemExit('not what was installed')", encoding="utf-8")
        said_by(await packages.command(one))
        peer.with_name("more.py").write_text("", encoding="utf-8")
        said_by(await packages.command(one))
        assert not peer.with_name("more.py").exists()


@NPM_FIRST
async def test_an_archive_that_is_another_than_was_locked_is_not_installed(tmp_path: Path, named: str) -> None:
    fake = registries()
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        one = await wanted(packages, named)
        fake.swapped["@example+peer.tgz"] = tarball({"package.json": "{}", "peer.js": "evil()"})
        fake.swapped["example_peer-1.0.0-py3-none-any.whl"] = wheel("example_peer", "1.0.0", {"peer.py": "evil()"})
        with pytest.raises(Refusal, match=r"integrity|Expected sha256"):
            await packages.command(one)
        assert made(tmp_path) == []


async def test_nothing_of_a_package_is_run_while_it_is_installed(tmp_path: Path) -> None:
    evil = f"touch {tmp_path}/was-run"
    scripts = {"preinstall": evil, "install": evil, "postinstall": evil, "prepare": evil}
    fake = registries(scripts=scripts, dependencies={"other": "1.0.0"})
    said: dict[str, Any] = {"name": "other", "version": "1.0.0", "scripts": scripts, "hasInstallScript": True}
    fake.add_npm("other", content=tarball({"package.json": json.dumps(said), "binding.gyp": "{}"}), **said)
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        await installed(packages, NPM)
    assert not (tmp_path / "was-run").exists()


async def test_what_comes_as_a_source_only_is_not_built(tmp_path: Path) -> None:
    fake = FakeRegistries()
    setup = f"open({str(tmp_path / 'was-run')!r}, 'w')"
    fake.add_pypi("example-peer", **{"example_peer-1.0.0.tar.gz": tarball({"setup.py": setup})})
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        with pytest.raises(Refusal, match=r"pip|python"):
            await installed(packages, PYPI)
    assert not (tmp_path / "was-run").exists()


async def test_nothing_comes_from_another_registry_than_the_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = registries()
    other.add_pypi("only-theirs", **{"only_theirs-1.0.0-py3-none-any.whl": wheel("only_theirs", "1.0.0", {})})
    async with other.served():
        (tmp_path / "pip.conf").write_text(f"[global]\nextra-index-url = {other.url}/simple\n", encoding="utf-8")
        for name in ("PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
            monkeypatch.setenv(name, f"{other.url}/simple")
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
        (tmp_path / ".npmrc").write_text(f"registry={other.url}\n@example:registry={other.url}\n", encoding="utf-8")
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("npm_config_registry", other.url)
        fake = registries(needs="only-theirs")
        async with fake.served(), packages_of(tmp_path, fake) as packages:
            await installed(packages, NPM)
            with pytest.raises(Refusal, match="only-theirs"):
                await installed(packages, PYPI)
    assert other.asked == []


@pytest.mark.parametrize("where", ["{url}/files/other.tgz", *(pytest.param(one, marks=NIGHTLY) for one in ELSEWHERE)])
async def test_what_is_needed_from_elsewhere_is_refused(tmp_path: Path, where: str) -> None:
    other = FakeRegistries()
    said = {"name": "other", "version": "1.0.0"}
    other.add_npm("other", content=tarball({"package.json": json.dumps(said)}))
    async with other.served():
        fake = registries(dependencies={"other": where.format(url=other.url)})
        async with fake.served(), packages_of(tmp_path, fake) as packages:
            with pytest.raises(Refusal):
                await installed(packages, NPM)
        assert made(tmp_path) == []


@NIGHTLY
async def test_a_python_package_that_is_needed_from_elsewhere_is_refused(tmp_path: Path) -> None:
    other = FakeRegistries()
    file = "other-1.0.0-py3-none-any.whl"
    other.add_pypi("other", **{file: wheel("other", "1.0.0", {})})
    async with other.served():
        fake = registries(needs=f"other @ {other.url}/files/{file}")
        async with fake.served(), packages_of(tmp_path, fake) as packages:
            with pytest.raises(Refusal, match=r"is not a wheel from the registry|python failed"):
                await installed(packages, PYPI)


@NPM_FIRST
async def test_no_archive_writes_outside_of_its_folder(tmp_path: Path, named: str) -> None:
    fake = registries()
    about = json.dumps({"name": "@example/peer", "version": "1.0.0", "bin": {"peer": "peer.js"}})
    files = {"package.json": about, "peer.js": NODE_PEER, "../../../../../escaped.js": "x", "a/../../../../b.js": "x"}
    links = {"leads-out": "/etc", "also": "../../../../.."}
    fake.add_npm("@example/peer", content=tarball(files, links=links), bin={"peer": "peer.js"})
    traversing = wheel("example_peer", "1.0.0", {"peer.py": "", "../../../escaped.py": "x"}, starts="peer = peer:main")
    fake.add_pypi("example-peer", **{"example_peer-1.0.0-py3-none-any.whl": traversing})
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        try:
            await installed(packages, named)
        except Refusal:
            assert made(tmp_path) == []
    assert strays(tmp_path) == []


def strays(folder: Path) -> list[Path]:
    """What lies outside, or leads there."""
    everything = list(folder.rglob("*"))
    outside = [path for path in everything if not {"packages", "kept"} & set(path.parts)]
    links = [path for path in everything if path.is_symlink()]
    return [*outside, *(path for path in links if not path.resolve().is_relative_to(folder))]


@pytest.mark.parametrize("program", ["../../../../escaped", "/bin/sh", "absent.js"])
@NIGHTLY
async def test_a_program_that_lies_elsewhere_is_not_started(tmp_path: Path, program: str) -> None:
    fake = registries(bin={"peer": program})
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        with pytest.raises(Refusal):
            await installed(packages, NPM)


@NPM_FIRST
async def test_what_is_too_large_is_not_installed(tmp_path: Path, named: str) -> None:
    fake = registries()
    about = json.dumps({"name": "@example/peer", "version": "1.0.0", "bin": {"peer": "peer.js"}})
    fake.add_npm("@example/peer", content=tarball({"package.json": about, "peer.js": "x" * 3_000_000}))
    large = wheel("example_peer", "1.0.0", {"peer.py": "#" * 3_000_000}, starts="peer = peer:main")
    fake.add_pypi("example-peer", **{"example_peer-1.0.0-py3-none-any.whl": large})
    async with fake.served(), packages_of(tmp_path, fake, most_bytes=2_000_000) as packages:
        with pytest.raises(Refusal, match="the limit of 60000 files or 2000000 bytes"):
            await installed(packages, named)
        assert made(tmp_path) == []


@NPM_FIRST
@NIGHTLY
async def test_which_program_is_meant_is_told_where_there_are_others(tmp_path: Path, named: str) -> None:
    fake = registries()
    async with fake.served(), packages_of(tmp_path, fake) as packages:
        with pytest.raises(Refusal, match=r"has no program 'other'\. Its programs are: peer"):
            await installed(packages, named, program="other")


@pytest.mark.parametrize(
    "named",
    [
        *("npm:peer", "npm:peer@latest", "npm:peer@^1.0.0", "npm:peer@1", "npm:peer@1.0.0 || 2.0.0", "npm:../x@1.0.0"),
        *(
            "npm:--registry=http://evil@1.0.0",
            "npm:@../x@1.0.0",
            "npm:a/../../b@1.0.0",
            "npm:@a/..@1.0.0",
            "npm:X@1.0.0",
        ),
        *("npm:peer@npm:other@1.0.0", "npm:peer@1.0.0\n", "npm:peer@file:..", "npm:@a/b/c@1.0.0", "npm:.@1.0.0"),
        *("pypi:peer", "pypi:peer>=1", "pypi:peer==", "pypi:--index-url==1", "pypi:-r==1", "pypi:peer==1 --pre"),
        *("pypi:peer==1;x", "pypi:peer==*", "pypi:peer[all]==1", "pypi:peer @ http://evil", "pypi:peer==1\n--pre"),
        *("pypi:../x==1", "pypi:peer==1/../..", "oci:peer==1", "peer==1", "", "npm:", "pypi:"),
    ],
)
def test_what_could_be_an_option_a_path_or_a_range_names_no_package(named: str) -> None:
    with pytest.raises(Refusal, match="must be a package with one version"):
        package_in(named)


@pytest.mark.parametrize(
    ("host", "named", "arguments", "told"),
    [
        ("registry.npmjs.org", "npm:semver@7.7.2", ("1.2.3",), "1.2.3"),
        ("pypi.org", "pypi:cowsay==6.1", ("-t", "moo"), "moo"),
    ],
)
@NIGHTLY
async def test_real_ones_are_had_from_the_real_registries(
    tmp_path: Path, host: str, named: str, arguments: tuple[str, ...], told: str
) -> None:
    try:
        socket.create_connection((host, 443), 5).close()
    except OSError:
        pytest.skip(f"{host} cannot be reached from here.")
    kinds: dict[PackageKind, PackageRegistry] = {PackageKind.NPM: Npm(), PackageKind.PYPI: PyPi()}
    packages = Packages(tmp_path / "packages", lambda: FolderStorage(tmp_path / "kept"), kinds)
    try:
        command = await installed(packages, named, arguments=arguments)
    finally:
        await packages.close()
    assert told in output_of(command)


def output_of(command: Command) -> str:
    return subprocess.run(command.words, env={}, capture_output=True, text=True, check=True).stdout
