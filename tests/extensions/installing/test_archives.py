"""Servers in archives that registries of azd name: what is unpacked is what was locked, and lies in its folder."""

from __future__ import annotations

import gzip
import json
import os
import stat
import subprocess
import tarfile
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from clients.folder_storage import FolderStorage
from extensions.entries_file import entries_in
from extensions.installing.archives import Archives
from extensions.installing.downloading import Downloads
from extensions.installing.package import Package, PackagedServer, PackageKind, package_in
from extensions.installing.packages import Packages
from extensions.installing.unpacking import NotUnpackedError, UnpackTarget, unpack
from extensions.registries.offer import ServerOffer
from extensions.registries.sources import ServerSources
from extensions.upstream.process import Command
from refusal import Refusal
from tests.fakes.extension_sources.archives import GOOD, ID, PEER, PROGRAM, Bakery, other, tar_of, zip_of

NAMED = f"azd:{ID}@1.0.0"
MOST_BYTES, MOST_ENTRIES = 2_000_000, 30


@asynccontextmanager
async def bakery_in(folder: Path) -> AsyncIterator[Bakery]:
    bakery = Bakery(folder)
    async with bakery.served():
        yield bakery


@asynccontextmanager
async def packages_of(bakery: Bakery, **how: Any) -> AsyncIterator[Packages]:
    async def offered(package: Package) -> ServerOffer:
        return await ServerSources.at([bakery.source]).offer(package.name, package.version, package.source)

    downloads = Downloads(how.get("origins", (bakery.url,)), MOST_BYTES)
    archives = Archives(offered, downloads, MOST_BYTES, MOST_ENTRIES)
    folder = bakery.folder / how.get("folder", "packages")
    packages = Packages(folder, lambda: FolderStorage(bakery.folder / "kept"), {PackageKind.AZD: archives})
    try:
        yield packages
    finally:
        await packages.close()


async def wanted(packages: Packages, **how: Any) -> PackagedServer:
    package = package_in(NAMED)
    return PackagedServer(package=package, digest=(await packages.lock(package)).digest, **how)


async def installed(bakery: Bakery, **how: Any) -> Command:
    async with packages_of(bakery, **how) as packages:
        return await packages.command(await wanted(packages))


def said_by(command: Command) -> Any:
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}})
    run = subprocess.run(
        command.words, input=f"{call}\n", env=dict(command.environment), capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)["result"]["structuredContent"]


def left(folder: Path) -> list[Path]:
    """What lies where nothing may: outside of the folders that are known, or half-made within them."""
    known = {"packages", "kept", "azd.json"}
    return [*(path for path in folder.iterdir() if path.name not in known), *(folder / "packages").iterdir()]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("bakery.tar.gz", tar_of(*GOOD)),
        ("bakery.zip", zip_of(*GOOD)),
        ("b.TGZ", tar_of(*GOOD, form=tarfile.PAX_FORMAT)),
    ],
)
async def test_one_is_unpacked_and_started_as_its_source_says(tmp_path: Path, path: str, content: bytes) -> None:
    async with bakery_in(tmp_path) as bakery:
        bakery.offer(content, path)
        command = await installed(bakery)
        said = said_by(command)
    assert said["argv"] == ["serve"]
    assert {name for name in said["environment"] if name != "LC_CTYPE"} == {"OVEN"}
    runs = [file for file in (tmp_path / "packages").rglob("*") if file.is_file() and file.stat().st_mode & 0o111]
    assert [str(file) for file in runs] == [command.words[0]]
    assert runs[0].stat().st_mode & 0o7000 == 0
    assert not list((tmp_path / "packages").rglob("archive"))


async def test_an_entry_may_start_it_otherwise(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery, packages_of(bakery) as packages:
        bakery.offer(tar_of(*GOOD))
        one = await wanted(packages, arguments=("bake",), environment={"OVEN": "cold", "MORE": "x"})
        said = said_by(await packages.command(one))
    assert said["argv"] == ["bake"]
    assert {"OVEN": "cold", "MORE": "x"}.items() <= said["environment"].items()


async def test_nothing_is_fetched_before_somebody_says_what_is_meant(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery, packages_of(bakery) as packages:
        bakery.offer(tar_of(*GOOD))
        with pytest.raises(Refusal, match=r"add `hash: sha256:[0-9a-f]{64}` next to `package`"):
            await packages.command(PackagedServer(package=package_in(NAMED)))
        assert bakery.asked == []


async def test_it_is_fetched_once_and_anew_when_a_file_of_it_is_another(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery, packages_of(bakery) as packages:
        bakery.offer(tar_of(*GOOD))
        one = await wanted(packages)
        program = Path((await packages.command(one)).words[0])
        await packages.command(one)
        assert len(bakery.asked) == 1
        change(program, "#!/bin/false\n")
        said_by(await packages.command(one))
        change(program.with_name("words.txt"), mode=0o755)
        await packages.command(one)
        assert [path.name for path in program.parent.iterdir() if path.stat().st_mode & 0o111] == ["bakery"]
        assert len(bakery.asked) == 3
        digest = program.parents[3] / "digest"
        for damage in (digest.unlink, lambda: digest.write_bytes(b"\xff")):
            damage()
            said_by(await packages.command(one))
        assert len(bakery.asked) == 5


def change(file: Path, text: str = "bread", mode: int = 0o644) -> None:
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)


async def test_a_source_that_says_something_else_later_changes_nothing(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery:
        bakery.offer(tar_of(*GOOD))
        async with packages_of(bakery) as packages:
            one = await wanted(packages)
        bakery.offer(tar_of((PROGRAM, b"#!/bin/false\n")), "evil.tar.gz")
        async with packages_of(bakery) as packages:
            said_by(await packages.command(one))
            assert (await wanted(packages)).digest != one.digest
        bakery.files["bakery.tar.gz"] = tar_of((PROGRAM, b"#!/bin/false\n"))
        async with packages_of(bakery, folder="elsewhere") as packages:
            with pytest.raises(Refusal, match="does not match the hash of"):
                await packages.command(one)
        assert list((tmp_path / "elsewhere").iterdir()) == []


async def test_an_older_version_can_be_had_as_long_as_its_source_lists_it(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery, packages_of(bakery) as packages:
        bakery.offer(tar_of(*GOOD))
        one = await wanted(packages)
    async with bakery_in(tmp_path / "another") as another, packages_of(another) as packages:
        another.write([*bakery.versions, {"version": "2.0.0"}, {"version": "1.0.0", "capabilities": []}])
        assert (await wanted(packages)).digest == one.digest
        assert (await ServerSources.at([another.source]).offer(ID)).version == "2.0.0"


BREAD = b"x" * 1000
LARGE = b"\0" * (MOST_BYTES + 1)


def locked(content: bytes) -> bytes:
    """A zip that says of its first entry that it is encrypted."""
    made = bytearray(content)
    for at in (6, content.find(b"PK\1\2") + 8):
        made[at] |= 1
    return bytes(made)


SPARSE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "x", "GNU.sparse.realsize": "9" * 15}
OUT, NO_NAME, NO_FILE, TWICE = (
    "points outside its folder",
    "is not a valid file name",
    "is not a file or",
    "appears twice",
)
BOTH, MUCH, MANY = "is both a file and a folder", "larger than 2000000 bytes", "more than 30 files and folders"
NO_PROGRAM, UNREADABLE, NEITHER = (
    "does not contain its program",
    "cannot be read completely",
    "not a zip or",
)
HOSTILE = {
    "a name that leads up": (tar_of(*GOOD, ("../escaped", BREAD)), OUT),
    "a name that leads up from below": (tar_of(*GOOD, ("a/b/../../../escaped", BREAD)), OUT),
    "a name that begins at the root": (tar_of(*GOOD, ("/escaped", BREAD)), OUT),
    "a name with a backslash": (tar_of(*GOOD, ("..\\escaped", BREAD)), NO_NAME),
    "a name with a line break": (tar_of(*GOOD, ("a\nb", BREAD)), NO_NAME),
    "a name that turns its direction": (tar_of(*GOOD, ("a\u202eb", BREAD)), NO_NAME),
    "a name that is no text": (tar_of(*GOOD, ("a\udcff", BREAD)), NO_NAME),
    "a name that is too long": (tar_of(*GOOD, ("a" * 201, BREAD)), NO_NAME),
    "folders without end": (tar_of(*GOOD, ("a/" * 21 + "b", BREAD)), NO_NAME),
    "a folder that leads up": (tar_of(*GOOD, ("../escaped", other(tarfile.DIRTYPE))), OUT),
    "a link that leads out": (tar_of(*GOOD, ("out", other(tarfile.SYMTYPE, "/etc")), ("out/escaped", BREAD)), NO_FILE),
    "a link within": (tar_of(*GOOD, ("in", other(tarfile.SYMTYPE, PROGRAM))), NO_FILE),
    "the program as a link": (tar_of((PROGRAM, other(tarfile.SYMTYPE, "/bin/sh"))), NO_FILE),
    "a second name of a file outside": (tar_of(*GOOD, ("passwd", other(tarfile.LNKTYPE, "/etc/passwd"))), NO_FILE),
    "a device": (tar_of(*GOOD, ("zero", other(tarfile.CHRTYPE, devmajor=1, devminor=5))), NO_FILE),
    "a disk": (tar_of(*GOOD, ("disk", other(tarfile.BLKTYPE, devmajor=8, devminor=0))), NO_FILE),
    "a pipe": (tar_of(*GOOD, ("pipe", other(tarfile.FIFOTYPE))), NO_FILE),
    "a file with holes": (tar_of(*GOOD, ("holes", other(tarfile.GNUTYPE_SPARSE))), NO_FILE),
    "a file with holes, said otherwise": (
        tar_of(*GOOD, ("x", other(tarfile.REGTYPE, pax_headers=SPARSE)), form=tarfile.PAX_FORMAT),
        UNREADABLE,
    ),
    "one name twice": (tar_of(*GOOD, (PROGRAM, b"evil")), TWICE),
    "one name twice, spelt in two ways": (tar_of(*GOOD, (f"./bin//./{PROGRAM[4:]}", b"evil")), TWICE),
    "a file as a folder": (tar_of(*GOOD, (f"{PROGRAM}/more", BREAD)), BOTH),
    "a folder as a file": (tar_of(*GOOD, ("bin", BREAD)), TWICE),
    "no name": (tar_of(*GOOD, (".", BREAD)), NO_NAME),
    "too much in one file": (tar_of(*GOOD, ("large", LARGE)), MUCH),
    "too much in many files": (tar_of(*GOOD, *((f"large-{n}", b"\0" * 500_000) for n in range(5))), MUCH),
    "too many files": (tar_of(*GOOD, *((f"file-{n}", b"") for n in range(MOST_ENTRIES))), MANY),
    "too many folders": (tar_of(*GOOD, *((f"{n}/b/c/d/e/f", b"") for n in range(8))), MANY),
    "one folder too often": (tar_of(*GOOD, *(("a", other(tarfile.DIRTYPE)) for _ in range(MOST_ENTRIES))), MANY),
    "no program": (tar_of(("bin/other", BREAD)), NO_PROGRAM),
    "the program as a folder": (tar_of((PROGRAM, other(tarfile.DIRTYPE))), NO_PROGRAM),
    "half of it": (tar_of(*GOOD, ("large", bytes(range(256)) * 400))[:-200], UNREADABLE),
    "nothing": (b"", NEITHER),
    "not an archive": (PEER.encode(), NEITHER),
    "packed twice": (gzip.compress(tar_of(*GOOD)), UNREADABLE),
    "a zip with a name that leads up": (zip_of(*GOOD, ("../escaped", BREAD)), OUT),
    "a zip with a name that begins at the root": (zip_of(*GOOD, ("/escaped", BREAD)), OUT),
    "a zip with a name that ends early": (zip_of(*GOOD, ("a\0b", BREAD)), NO_NAME),
    "a zip with a link": (zip_of((PROGRAM, b"/bin/sh"), mode=stat.S_IFLNK | 0o777), NO_FILE),
    "a zip with a pipe": (zip_of((PROGRAM, b""), mode=stat.S_IFIFO | 0o777), NO_FILE),
    "a zip with a folder that is a file": (zip_of(*GOOD, ("a/", b"")), NO_FILE),
    "a zip with one name twice": (zip_of(*GOOD, ("./bin/words.txt", b"")), TWICE),
    "a zip with too much": (zip_of(*GOOD, ("large", LARGE)), MUCH),
    "a zip with too many": (zip_of(*GOOD, *((f"file-{n}", b"") for n in range(MOST_ENTRIES))), MANY),
    "a zip that is packed in another way": (zip_of(*GOOD, method=zipfile.ZIP_LZMA), "uses an unsupported compression"),
    "a zip that is locked": (locked(zip_of(*GOOD)), "uses an unsupported compression"),
    "a zip that says less than is in it": (
        zip_of(*GOOD, ("large", LARGE)).replace(len(LARGE).to_bytes(4, "little"), (10).to_bytes(4, "little")),
        UNREADABLE,
    ),
    "half of a zip": (zip_of(*GOOD)[:-30], UNREADABLE),
}
# Each starts two processes.
THROUGH_ALL = [
    "a link that leads out",
    "a zip with a name that leads up",
    *([*HOSTILE] if "FUZZ_PACKAGES" in os.environ else []),
]


@pytest.mark.parametrize("case", HOSTILE)
def test_what_a_stranger_packed_is_unpacked_as_plain_files_in_its_folder_or_not_at_all(
    tmp_path: Path, case: str
) -> None:
    content, told = HOSTILE[case]
    (tmp_path / "archive").write_bytes(content)
    with pytest.raises(NotUnpackedError, match=told):
        unpack(tmp_path / "archive", UnpackTarget(tmp_path / "files", MOST_BYTES, MOST_ENTRIES), PROGRAM)
    assert {path.name for path in tmp_path.iterdir()} == {"archive", "files"}
    assert not any(path.is_symlink() or path.stat().st_mode & 0o7111 for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("case", THROUGH_ALL)
async def test_nothing_is_left_of_what_is_not_unpacked_and_it_is_said_why(tmp_path: Path, case: str) -> None:
    content, told = HOSTILE[case]
    async with bakery_in(tmp_path) as bakery:
        bakery.offer(content)
        with pytest.raises(Refusal, match=rf"The archive of {NAMED} could not be unpacked\. .*{told}"):
            await installed(bakery)
    assert left(tmp_path) == []


async def test_what_takes_all_memory_takes_that_of_its_own_process(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery:
        bakery.offer(tar_of(("x" * 120_000_000, b"")))
        with pytest.raises(Refusal, match=rf"The archive of {NAMED} could not be unpacked\. .*MemoryError"):
            await installed(bakery)
    assert left(tmp_path) == []


async def test_what_is_larger_than_may_be_fetched_is_not_fetched_to_its_end(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery:
        bakery.offer(LARGE)
        with pytest.raises(Refusal, match="sent more than 2000000 bytes"):
            await installed(bakery)
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("artifact", "told"),
    [
        ({"checksum": {}}, "has no sha256"),
        ({"checksum": {"algorithm": "md5", "value": "0" * 64}}, "has no sha256"),
        ({"checksum": {"algorithm": "sha256", "value": "0" * 63}}, "has no sha256"),
        ({"entryPoint": "../bin/sh"}, r"names the program '\.\./bin/sh'"),
        ({"entryPoint": "/bin/sh"}, "names the program '/bin/sh'"),
        ({"entryPoint": "./bakery"}, "names the program"),
        ({"entryPoint": "--help me"}, "names the program"),
        ({"url": "https://bakery.example.com/bakery"}, "is not an archive"),
        ({"url": "https://bakery.example.com/bakery.exe?.zip"}, "is not an archive"),
        ({"url": ""}, "is not available for"),
    ],
)
async def test_what_a_source_says_of_it_that_cannot_be_gone_by_is_told(
    tmp_path: Path, artifact: dict[str, Any], told: str
) -> None:
    async with bakery_in(tmp_path) as bakery:
        bakery.offer(tar_of(*GOOD), **artifact)
        with pytest.raises(Refusal, match=told):
            await installed(bakery)
        assert bakery.asked == []


@pytest.mark.parametrize(
    "url",
    [
        *("http://bakery.example.com/a.zip", "https://127.0.0.1/a.zip", "https://[::1]/a.zip", "file:///tmp/a.zip"),
        *("https://user@bakery.example.com/a.zip", "https://bakery.example.com:8443/a.zip", "a.zip", "C:/a.zip"),
    ],
)
async def test_only_public_addresses_are_fetched_from(tmp_path: Path, url: str) -> None:
    async with bakery_in(tmp_path) as bakery:
        bakery.offer(tar_of(*GOOD), url=url)
        with pytest.raises(Refusal, match=r"The address must look like https://host\.example\.com/path"):
            await installed(bakery)


async def test_an_origin_of_this_network_is_one_that_an_operator_named(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery:
        bakery.offer(tar_of(*GOOD))
        with pytest.raises(Refusal, match="The address must look like"):
            await installed(bakery, origins=("http://127.0.0.1",))
        assert bakery.asked == []


async def test_it_may_lead_on_within_its_origin_and_nowhere_inside(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery, bakery_in(tmp_path) as inner:
        bakery.offer(tar_of(*GOOD))
        bakery.files |= {"there.tar.gz": bakery.files["bakery.tar.gz"], "bakery.tar.gz": "/there.tar.gz"}
        said_by(await installed(bakery))
        inner.files["there.tar.gz"] = bakery.files["there.tar.gz"]
        for place in (f"{inner.url}/there.tar.gz", "http://169.254.169.254/", "mailto:a", "//[", ""):
            bakery.files["bakery.tar.gz"] = place
            with pytest.raises(
                Refusal, match=r"The address must look like|redirects (to an invalid URL|more than 3 times)"
            ):
                await installed(bakery, origins=(bakery.url, inner.url), folder="again")
        assert inner.asked == []


async def test_what_its_host_does_not_give_is_told(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery:
        bakery.offer(tar_of(*GOOD))
        bakery.files.clear()
        with pytest.raises(Refusal, match=r"127\.0\.0\.1 answered with status 404"):
            await installed(bakery)
    with pytest.raises(Refusal, match=r"from 127\.0\.0\.1 failed \(ClientConnectorError\)"):
        await installed(bakery)


async def test_one_for_another_kind_of_machine_is_told_so(tmp_path: Path) -> None:
    async with bakery_in(tmp_path) as bakery:
        url = {"url": "https://a.example.com/a.zip"}
        for artifacts, there in (({"plan9/mips": url}, "for plan9/mips only"), ({}, "for none")):
            bakery.write([{"version": "1.0.0", "artifacts": artifacts}])
            with pytest.raises(Refusal, match=rf"not available for .*: {there}"):
                await installed(bakery)


async def test_where_no_source_is_named_it_is_said_who_names_one() -> None:
    with pytest.raises(Refusal, match="Ask an operator to set EXTENSION_SOURCES"):
        await ServerSources.at([]).offer(ID)


@pytest.mark.parametrize(
    "named",
    [
        *("azd:a", "azd:a@", "azd:a@latest", "azd:a==1", "azd:@1", "azd:-a@1", "azd:../a@1", "azd:a/b@1", "azd:a@1/.."),
        *("azd:a@1 b", "azd:a@1\n", "azd:a..b@1", "azd:a@^1", "azd:https://a.example/a.zip@1"),
    ],
)
def test_what_could_be_a_path_or_a_range_names_no_archive(named: str) -> None:
    with pytest.raises(Refusal, match="must be a package with one version"):
        package_in(named)


def test_an_entry_of_the_file_names_no_program_of_an_archive() -> None:
    text = f"extensions:\n  bakery:\n    description: Bread.\n    package: {NAMED}\n    program: other\n"
    with pytest.raises(Refusal, match="line 5: an archive cannot have `program`, because its source sets the program"):
        entries_in(text, "extensions.yaml", [], {})
