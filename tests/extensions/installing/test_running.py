"""What a command that installs a package writes is bounded while it runs, and what it said last is told."""

from __future__ import annotations

import sys
from asyncio.subprocess import DEVNULL
from pathlib import Path
from types import SimpleNamespace

import pytest

from extensions.installing import running
from extensions.installing.tree import digest_of, refuse_too_much
from extensions.upstream.watched import WatchedProgram, protect_this_process
from refusal import Refusal


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def nothing() -> None:
    """Everything fits."""


def are_open() -> int:
    """How many files, pipes and sockets this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_a_command_runs_in_its_folder_with_few_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "marked")
    told = "os.getcwd(), os.environ['HOME'], os.environ.get('MORE'), os.environ.get('SECRET_OF_THE_SERVER')"
    code = f"import os; open('said', 'w').write(repr([{told}]))"
    before = are_open()
    await running.run(python(code), tmp_path, {"MORE": "a"}, nothing)
    assert (tmp_path / "said").read_text() == repr([str(tmp_path), str(tmp_path), "a", None])
    assert are_open() <= before


async def test_a_program_that_cannot_be_started_leaves_nothing_open() -> None:
    before = are_open()
    for _ in range(10):
        with pytest.raises(FileNotFoundError):
            await WatchedProgram.start(["true"], {}, "/nowhere/at-all", stdin=DEVNULL, stdout=DEVNULL)
    assert are_open() < before + 10


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux has prctl.")
def test_nothing_is_started_if_this_process_cannot_be_protected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda *_, **__: SimpleNamespace(prctl=lambda *_: -1))
    with pytest.raises(OSError, match="prctl failed"):
        protect_this_process.__wrapped__()


async def test_a_command_that_writes_too_much_is_ended_while_it_runs(tmp_path: Path) -> None:
    def fits() -> None:
        raise Refusal("It exceeds the limit.")

    with pytest.raises(Refusal, match="It exceeds the limit"):
        await running.run(python("import time; time.sleep(60)"), tmp_path, {}, fits)


async def test_a_command_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SECONDS", 0.2)
    with pytest.raises(Refusal, match=r"did not end within 0\.2 seconds"):
        await running.run(python("import time; time.sleep(60)"), tmp_path, {}, nothing)


async def test_of_a_failure_the_last_600_characters_are_told(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('a' * 100_000 + 'b' * 601 + chr(10)); sys.exit(3)"
    with pytest.raises(Refusal) as refused:
        await running.run(python(code), tmp_path, {}, nothing)
    assert str(refused.value) == f"{Path(sys.executable).name} failed: {'b' * 599!r}"


class TestTree:
    def test_as_many_bytes_as_are_allowed_fit(self, tmp_path: Path) -> None:
        (tmp_path / "inner").mkdir()
        (tmp_path / "inner" / "a").write_bytes(b"x" * 60)
        (tmp_path / "b").write_bytes(b"x" * 40)
        refuse_too_much(tmp_path, 100)
        with pytest.raises(Refusal, match="60000 files or 99 bytes"):
            refuse_too_much(tmp_path, 99)

    def test_a_digest_is_of_names_contents_and_what_may_run(self, tmp_path: Path) -> None:
        file = tmp_path / "a"
        file.write_bytes(b"x")
        digests = [digest_of(tmp_path)]
        file.chmod(0o755)
        digests.append(digest_of(tmp_path))
        file.write_bytes(b"y")
        digests.append(digest_of(tmp_path))
        file.rename(tmp_path / "b")
        digests.append(digest_of(tmp_path))
        (tmp_path / "a").symlink_to("b")
        digests.append(digest_of(tmp_path))
        (tmp_path / "c").symlink_to(".")
        digests.append(digest_of(tmp_path))
        assert len(set(digests)) == len(digests)

    def test_a_link_that_leaves_the_folder_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "a").symlink_to(tmp_path.parent)
        with pytest.raises(Refusal, match="a points outside the installation"):
            digest_of(tmp_path)
