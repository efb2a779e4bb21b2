"""Locks of packages: each package is from the registry, with a hash, and belongs to the package that was named."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from extensions.installing import npm, pypi
from extensions.installing.archives import Archives
from extensions.installing.downloading import Downloads
from extensions.installing.npm import REGISTRY, Npm
from extensions.installing.package import Package, PackageLock, constrained, package_in
from extensions.installing.pypi import PyPi
from extensions.registries.machines import machine
from refusal import Refusal

DOCS_OF_NPM: Final = package_in("npm:docs@1.0.0")
DOCS_OF_PYPI: Final = package_in("pypi:my-docs==1.0.0")
FROM_HERE: Final = "registry://docs.tgz"


def entry(**more: Any) -> dict[str, Any]:
    return {"version": "1.0.0", "resolved": FROM_HERE, "integrity": f"sha512-{'a' * 86}==", **more}


def npm_locked(more: dict[str, Any] | None = None, package: Package = DOCS_OF_NPM, given: Sequence[str] = ()) -> int:
    """Parse a lock of `docs` and further packages, and return the number of packages."""
    packages = {"": {"dependencies": {}}, "node_modules/docs": entry(), **(more or {})}
    return Npm().lock(package, json.dumps({"packages": packages, "with": [*given]}).encode()).count


@pytest.mark.parametrize(
    ("more", "count"),
    [
        ({}, 1),
        ({"node_modules/@a/b": entry(), "node_modules/docs/node_modules/c": entry()}, 3),
        ({"node_modules/docs/node_modules/c": {"inBundle": True}}, 2),
        ({"node_modules/docs": {"version": "1.0.0", "inBundle": True}}, 1),
        ({f"node_modules/p{number}": entry() for number in range(1999)}, 2000),
    ],
    ids=["one", "nested", "bundled", "bundled itself", "2000"],
)
def test_a_lock_of_npm_lists_packages_of_the_registry(more: dict[str, Any], count: int) -> None:
    assert npm_locked(more) == count


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"docs": entry()}, "'docs' is not a valid package location"),
        ({"node_modules/../docs": entry()}, "is not a valid package location"),
        ({"node_modules/a/../../..": entry()}, "is not a valid package location"),
        ({"node_modules/.bin": entry()}, "is not a valid package location"),
        ({"node_modules/a": entry(link=True)}, "'node_modules/a' is not a valid package location"),
        ({"../node_modules/a": {"inBundle": True}}, "is not a valid package location"),
        ({"node_modules/a": entry(resolved="https://elsewhere.example.com/a.tgz")}, "'node_modules/a' is not from"),
        ({"node_modules/a": entry(resolved=None)}, "'node_modules/a' is not from"),
        ({"node_modules/a": entry(integrity="sha1-aa")}, "'node_modules/a' has no hash"),
        ({"node_modules/a": entry(integrity=None)}, "'node_modules/a' has no hash"),
        ({"node_modules/docs": entry(version="1.0.1")}, "The registry has a different version of npm:docs@1.0.0"),
        ({f"node_modules/p{number}": entry() for number in range(2000)}, "requires 2001 packages; the maximum is 2000"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_lock_of_npm_with_anything_else_is_rejected(more: dict[str, Any], told: str) -> None:
    with pytest.raises(Refusal, match=told):
        npm_locked(more)


def test_a_lock_of_npm_has_the_constraints_of_its_entry() -> None:
    bound = constrained(DOCS_OF_NPM, ["a@1.0.0"])
    assert npm_locked(package=bound, given=["a@1.0.0"]) == 1
    for package, given in ((bound, []), (DOCS_OF_NPM, ["a@1.0.0"]), (bound, ["a@1.0.1"])):
        with pytest.raises(Refusal, match="was locked with different constraints"):
            npm_locked(package=package, given=given)


@pytest.mark.parametrize(("size", "is_read"), [(8 * 1024 * 1024, True), (8 * 1024 * 1024 + 1, False)])
async def test_a_new_lock_of_npm_has_up_to_8_megabytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, *, is_read: bool
) -> None:
    content = json.dumps({"packages": {"node_modules/docs": entry(resolved=f"{REGISTRY}/docs.tgz")}})

    async def run(_words: object, folder: Path, *_: object) -> None:
        (folder / "package-lock.json").write_text(content.ljust(size), encoding="ascii")

    monkeypatch.setattr(npm, "run", run)
    monkeypatch.setattr(npm, "_program", str)
    if is_read:
        assert (await Npm().resolved(DOCS_OF_NPM, tmp_path)).count == 1
    else:
        with pytest.raises(Refusal, match="too many dependencies to check"):
            await Npm().resolved(DOCS_OF_NPM, tmp_path)


@pytest.mark.parametrize(
    ("constraints", "overrides"), [([], None), (["@a/b@^1.0.0", "c@>=3.1 <4"], {"@a/b": "^1.0.0", "c": ">=3.1 <4"})]
)
async def test_npm_resolves_one_version_with_the_constraints_of_its_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, constraints: list[str], overrides: Any
) -> None:
    asked: list[Any] = []

    async def run(words: Sequence[str], folder: Path, *_: object) -> None:
        asked.append((words[1:3], json.loads((folder / "package.json").read_bytes())))
        (folder / "package-lock.json").write_text(
            json.dumps({"packages": {"node_modules/docs": entry(resolved=f"{REGISTRY}/docs.tgz")}})
        )

    monkeypatch.setattr(npm, "run", run)
    monkeypatch.setattr(npm, "_program", str)
    lock = await Npm().resolved(constrained(DOCS_OF_NPM, constraints), tmp_path)
    [(words, about)] = asked
    assert (words, about["dependencies"], about.get("overrides")) == (
        ["install", f"--registry={REGISTRY}/"],
        {"docs": "1.0.0"},
        overrides,
    )
    assert json.loads(lock.content).get("with") == (constraints or None)


def pypi_locked(listed: list[Any], package: Package = DOCS_OF_PYPI, **more: Any) -> int:
    here = {
        "python": f"Python {sys.version_info.major}.{sys.version_info.minor}",
        "machine": f"{platform.system()} {platform.machine()}",
    }
    return PyPi().lock(package, json.dumps({**here, "packages": listed, **more}).encode()).count


@pytest.mark.parametrize("name", ["my-docs", "My_Docs", "my.docs", "my--docs"])
def test_a_lock_of_pypi_lists_its_package_in_any_spelling(name: str) -> None:
    assert pypi_locked([["other", "2.0", "a"], [name, "1.0.0", "b"]]) == 2


def test_a_lock_of_pypi_has_up_to_500_packages() -> None:
    others = [[f"p{number}", "1", "a"] for number in range(500)]
    assert pypi_locked([*others[:499], ["my-docs", "1.0.0", "b"]]) == 500
    with pytest.raises(Refusal, match="requires 501 packages; the maximum is 500"):
        pypi_locked([*others, ["my-docs", "1.0.0", "b"]])


@pytest.mark.parametrize(
    ("listed", "more", "told"),
    [
        ([["my-docs", "1.0.1", "b"]], {}, "a different version of pypi:my-docs==1.0.0"),
        ([["other", "1.0.0", "b"]], {}, "a different version of pypi:my-docs==1.0.0"),
        ([], {}, "a different version of pypi:my-docs==1.0.0"),
        ([["my-docs", "1.0.0", "b"]], {"python": "Python 2.7"}, "locked for another machine"),
        ([["my-docs", "1.0.0", "b"]], {"machine": "Plan9 mips"}, "locked for another machine: Plan9 mips"),
        ([["my-docs", "1.0.0", "b"]], {"with": ["a<2"]}, "locked with different constraints"),
    ],
)
def test_another_lock_of_pypi_is_rejected(listed: list[Any], more: dict[str, Any], told: str) -> None:
    with pytest.raises(Refusal, match=told):
        pypi_locked(listed, **more)


DOCS_REPORTED: Final = {
    "metadata": {"name": "my-docs", "version": "1.0.0"},
    "download_info": {
        "url": "https://files.example.com/my_docs-1.0.0-py3-none-any.whl#sha256=x",
        "archive_info": {"hashes": {"sha256": "a" * 64}},
    },
}


def reported(monkeypatch: pytest.MonkeyPatch, folder: Path, install: Any) -> Any:
    """Resolve a package with a pip that reports this."""

    async def run(_words: object, folder: Path, *_: object) -> None:
        (folder / "report.json").write_text(json.dumps({"install": install}), encoding="utf-8")

    monkeypatch.setattr(pypi, "run", run)
    return PyPi().resolved(DOCS_OF_PYPI, folder)


def differing(**more: Any) -> dict[str, Any]:
    return {**DOCS_REPORTED, **more}


async def test_a_new_lock_of_pypi_has_the_hash_of_each_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = differing(metadata={"name": "a", "version": "2.0"})
    lock = await reported(monkeypatch, tmp_path, [DOCS_REPORTED, other])
    assert json.loads(lock.content)["packages"] == [["a", "2.0", "a" * 64], ["my-docs", "1.0.0", "a" * 64]]


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (differing(is_direct=True), "'my-docs' is not a wheel from the registry"),
        (differing(download_info={"url": "https://files.example.com/my_docs.tar.gz"}), "is not a wheel"),
        (differing(download_info={"url": "https://files.example.com/my_docs.tar.gz#x.whl"}), "is not a wheel"),
        (
            differing(download_info={"url": "my_docs.whl"}),
            "'my-docs' has an invalid name, version or sha256 hash",
        ),
        (
            differing(metadata={"name": "my docs", "version": "1.0.0"}),
            "'my docs' has an invalid name, version or sha256 hash",
        ),
        (
            differing(metadata={"name": "my-docs", "version": "1.0.0 --pre"}),
            "has an invalid name, version or sha256 hash",
        ),
        (7, "a different version of pypi:my-docs==1.0.0"),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_a_new_lock_of_pypi_with_anything_else_is_rejected(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, one: Any, told: str
) -> None:
    with pytest.raises(Refusal, match=told):
        await reported(monkeypatch, tmp_path, 7 if one == 7 else [one])


async def test_npm_must_install_the_package_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def run(*_: object) -> None:
        """Install nothing."""

    monkeypatch.setattr(npm, "run", run)
    monkeypatch.setattr(npm, "_program", str)
    with pytest.raises(Refusal, match=r"npm:docs@1\.0\.0 is missing from the installed packages"):
        await Npm().install(PackageLock(DOCS_OF_NPM, b"{}"), tmp_path / "tree", lambda: None)
    assert not (tmp_path / "tree" / ".cache").exists()


async def test_without_node_packages_of_npm_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(Refusal, match="npm packages require npm, which is not installed here"):
        await Npm().resolved(DOCS_OF_NPM, tmp_path)


@pytest.mark.parametrize(
    ("machine_of_lock", "package", "told"),
    [
        (machine(), "azd:docs@1.0.0", ""),
        ("plan9/mips", "azd:docs@1.0.0", "azd:docs@1.0.0 was locked for another machine: plan9/mips"),
        (machine(), "azd:docs@1.0.1", "The source has a different version of azd:docs@1.0.0"),
    ],
)
def test_a_lock_of_an_archive_is_for_this_machine_and_version(machine_of_lock: str, package: str, told: str) -> None:
    def never(_package: Package) -> Any:
        raise AssertionError

    content = json.dumps({"machine": machine_of_lock, "package": package, "address": "https://a.example/a.zip"})
    archives, docs = Archives(never, Downloads()), package_in("azd:docs@1.0.0")
    if told:
        with pytest.raises(Refusal, match=told):
            archives.lock(docs, content.encode())
    else:
        lock = archives.lock(docs, content.encode())
        assert (lock.count, lock.address, lock.package) == (1, "https://a.example/a.zip", docs)
