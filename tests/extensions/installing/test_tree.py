"""The digest of installed files, which says whether a file or a link has changed since the installation."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from extensions.installing.tree import digest_of
from refusal import Refusal


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "bin").mkdir(parents=True)
    for name in ("bin/run", "one", "two"):
        (tree / name).write_text(name, encoding="ascii")
    (tree / "link").symlink_to("one")
    (tree / "all").symlink_to("bin")
    return tree


def pointed(link: Path, target: str) -> None:
    link.unlink()
    link.symlink_to(target)


CHANGES: dict[str, Callable[[Path], object]] = {
    "another content": lambda tree: (tree / "one").write_text("two", encoding="ascii"),
    "another name": lambda tree: (tree / "one").rename(tree / "three"),
    "one file more": lambda tree: (tree / "three").touch(),
    "one file less": lambda tree: (tree / "two").unlink(),
    "a program": lambda tree: (tree / "one").chmod(0o755),
    "a link to another file": lambda tree: pointed(tree / "link", "two"),
    "a link to another folder": lambda tree: pointed(tree / "all", "."),
    "a file instead of a link": lambda tree: (tree / "one").rename(tree / "link"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_changes_the_digest(tree: Path, change: Callable[[Path], object]) -> None:
    before = digest_of(tree)
    change(tree)
    assert digest_of(tree) != before


def test_the_place_and_the_order_of_the_files_do_not_change_the_digest(tree: Path) -> None:
    before = digest_of(tree)
    content = (tree / "bin/run").read_bytes()
    (tree / "bin/run").unlink()
    (tree / "bin/run").write_bytes(content)
    assert digest_of(tree.rename(tree.with_name("elsewhere"))) == before


@pytest.mark.parametrize(
    ("add", "told"),
    [
        (lambda path: path.symlink_to("/etc/passwd"), "new points outside the installation"),
        (lambda path: path.symlink_to("../elsewhere"), "new points outside the installation"),
        (os.mkfifo, "new is not a regular file"),
    ],
)
def test_only_files_and_links_within_the_installation_have_a_digest(
    tree: Path, add: Callable[[Path], None], told: str
) -> None:
    add(tree / "new")
    with pytest.raises(Refusal, match=told):
        digest_of(tree)
