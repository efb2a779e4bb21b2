"""The last that is allowed passes, and the first that is not is refused."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from extensions.installing import downloading
from extensions.installing.downloading import Downloads
from extensions.installing.unpacking import NotUnpackedError, UnpackTarget, parts_of, unpack
from refusal import Refusal
from tests.fakes.extension_sources.archives import tar_of, zip_of


@pytest.mark.parametrize(
    "name",
    [
        f"{'a' * 199}/{'b' * 199}/{'c' * 100}",
        "/".join("a" * 20),
        "a" * 200,
        "ä" * 100,
        "./a//b/",
        "a..b/...",
    ],
)
def test_a_file_in_an_archive_has_a_short_name_and_few_folders(name: str) -> None:
    assert parts_of(name) == [part for part in name.split("/") if part not in ("", ".")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (f"{'a' * 199}/{'b' * 199}/{'c' * 101}", "is not a valid file name"),
        ("/".join("a" * 21), "is not a valid file name"),
        ("a" * 201, "is not a valid file name"),
        ("ä" * 101, "is not a valid file name"),
        ("a\\b", "is not a valid file name"),
        ("a\nb", "is not a valid file name"),
        ("/a", "points outside its folder"),
        ("a/../b", "points outside its folder"),
        ("..", "points outside its folder"),
    ],
)
def test_another_name_is_not_unpacked(name: str, said: str) -> None:
    with pytest.raises(NotUnpackedError, match=said):
        parts_of(name)


@pytest.mark.parametrize("pack", [tar_of, zip_of])
@pytest.mark.parametrize(
    ("most_bytes", "most_entries", "told"), [(7, 4, ""), (6, 4, "larger than 6 bytes"), (7, 3, "more than 3 files and")]
)
def test_an_archive_has_up_to_as_many_bytes_and_entries_as_are_allowed(
    tmp_path: Path, pack: Any, most_bytes: int, most_entries: int, told: str
) -> None:
    """Each folder is an entry, and counts once."""
    (tmp_path / "archive").write_bytes(pack(("a/b/one", b"1234"), ("a/b/two", b"567")))
    target = UnpackTarget(tmp_path / "files", most_bytes, most_entries)
    if told:
        with pytest.raises(NotUnpackedError, match=told):
            unpack(tmp_path / "archive", target, "a/b/one")
    else:
        unpack(tmp_path / "archive", target, "a/b/one")
        assert (tmp_path / "files/a/b/two").read_bytes() == b"567"


def test_folders_of_a_zip_are_created_and_count_once(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "archive", "w") as packed:
        for name in ("a/", "a/b/", "a/b/one"):
            packed.writestr(name, b"")
    unpack(tmp_path / "archive", UnpackTarget(tmp_path / "files", 0, 5), "a/b/one")
    assert sorted(path.name for path in (tmp_path / "files").rglob("*")) == ["a", "b", "one"]


async def test_a_download_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def hanging() -> AsyncIterator[None]:
        await asyncio.Event().wait()
        yield

    monkeypatch.setattr(downloading, "_SECONDS", 0.001)
    monkeypatch.setattr(downloading, "public_session", hanging)
    with pytest.raises(Refusal, match=r"from files\.example\.com took more than 0\.001 seconds\. Try again later"):
        await Downloads().into(tmp_path / "a.zip", "https://files.example.com/a.zip")


@pytest.mark.parametrize(("largest", "is_written"), [(6, True), (5, False)])
async def test_a_download_has_up_to_as_many_bytes_as_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, largest: int, *, is_written: bool
) -> None:
    async def pieces(_size: int) -> AsyncIterator[bytes]:
        for piece in (b"abc", b"def"):
            yield piece

    @asynccontextmanager
    async def given(*_: object, **__: object) -> AsyncIterator[Any]:
        address = SimpleNamespace(host="files.example.com")
        yield SimpleNamespace(status=200, url=address, content=SimpleNamespace(iter_chunked=pieces), get=given)

    monkeypatch.setattr(downloading, "public_session", given)
    downloads, file = Downloads(largest=largest), tmp_path / "a.zip"
    if is_written:
        assert await downloads.into(file, "https://files.example.com/a.zip") == sha256(b"abcdef").hexdigest()
        assert file.read_bytes() == b"abcdef"
    else:
        with pytest.raises(Refusal, match=r"files\.example\.com sent more than 5 bytes"):
            await downloads.into(file, "https://files.example.com/a.zip")


@pytest.mark.parametrize(
    ("url", "session"),
    [
        ("https://files.example.com/a.zip", "public"),
        ("https://10.1.0.4/a.zip", "private"),
        ("https://files.example.com:8443/a.zip", "private"),
    ],
)
async def test_only_for_an_origin_of_the_operator_may_a_name_lead_to_a_private_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, session: str
) -> None:
    def opened(name: str) -> None:
        raise Refusal(name)

    monkeypatch.setattr(downloading, "public_session", lambda: opened("public"))
    monkeypatch.setattr(downloading, "session_over", lambda _: opened("private"))
    downloads = Downloads(("https://10.1.0.4", "https://files.example.com:8443"))
    with pytest.raises(Refusal, match=f"^{session}$"):
        await downloads.into(tmp_path / "a.zip", url)
