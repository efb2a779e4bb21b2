"""Servers that mean no good: each ends in words for the caller, keeps nothing, and harms nobody else."""

from __future__ import annotations

import gc
import gzip
import warnings
import zlib
from collections.abc import AsyncIterator, Callable
from hashlib import sha1
from pathlib import Path
from typing import Final

import pytest

from refusal import Refusal
from tests.workspaces.bench import Bench
from tests.workspaces.hard.hostile_server import (
    BLOB,
    COMMIT,
    TREE,
    Hostile,
    commit_of,
    head,
    line,
    name_of,
    pack,
    packed,
    tree_of,
)

# That connections are left open has a test of its own, and would be told in whichever test they are collected.
pytestmark = pytest.mark.anyio

SIGN_IN: Final = "Basic czNjcmV0LXRvcDpwdw=="
TEXT: Final = b"hello\n"
TEXT_ID: Final = name_of(BLOB, TEXT)
FILES: Final = tree_of(("100644", b"a.txt", TEXT_ID))
BEGIN: Final = commit_of(name_of(TREE, FILES))
_NAMED: Final = bytes.fromhex(TEXT_ID)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "kept", authorization=SIGN_IN)


@pytest.fixture
async def server() -> AsyncIterator[Hostile]:
    hostile = Hostile().with_objects((BLOB, TEXT), (TREE, FILES), (COMMIT, BEGIN))
    async with hostile.serving():
        yield hostile


async def refused(bench: Bench, server: Hostile) -> str:
    """What a clone of it is told, after which nothing is kept."""
    with pytest.raises(Refusal) as told:
        await bench.desk().clone(f"{server.url}/x.git", "", "x", 20)
    assert await bench.desk().all() == {}
    assert len(str(told.value)) < 600
    return str(told.value)


async def test_a_server_that_means_well_is_cloned(bench: Bench, server: Hostile) -> None:
    await bench.desk().clone(f"{server.url}/x.git", "", "x", 20)
    assert await bench.desk().read("x", lambda one: one.content("a.txt")[1]) == TEXT


def summed(content: bytes) -> bytes:
    return content + sha1(content, usedforsecurity=False).digest()


def on_text(delta: bytes) -> bytes:
    """A pack with a delta on the text."""
    return pack([packed(BLOB, TEXT), head(7, len(delta)) + _NAMED + zlib.compress(delta)])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(pack([packed(BLOB, TEXT)])[:-1], id="cut"),
        pytest.param(pack([packed(BLOB, TEXT)])[:-1] + b"\0", id="wrong checksum"),
        pytest.param(summed(b""), id="a sum alone"),
        pytest.param(summed(b"PACK\0\0"), id="half a head"),
        pytest.param(summed(b"JUNKJUNKJUNKJUNK"), id="no pack"),
        pytest.param(summed(b"PACK" + (9).to_bytes(4) + bytes(4)), id="version nine"),
        pytest.param(pack([packed(BLOB, TEXT)], 5), id="fewer than announced"),
        pytest.param(pack([packed(BLOB, TEXT)], 2**32 - 1), id="four billion announced"),
        pytest.param(pack([packed(0, TEXT)]), id="kind zero"),
        pytest.param(pack([packed(5, TEXT)]), id="kind five"),
        pytest.param(pack([head(BLOB, 5) + b"garbage"]), id="not deflated"),
        pytest.param(pack([packed(BLOB, b"x" * 10, 3)]), id="more than announced"),
        pytest.param(pack([packed(BLOB, b"x" * 3, 10)]), id="less than announced"),
        pytest.param(pack([packed(BLOB, b"x", 2**62)]), id="huge announced"),
        pytest.param(pack([packed(BLOB, bytes(60 * 2**20))]), id="bomb"),
        pytest.param(pack([packed(BLOB, bytes(2**20), 5)]), id="bomb announced small"),
        pytest.param(
            pack([packed(BLOB, TEXT), head(6, 4) + b"\x7f" + zlib.compress(b"\6\1\1x")]), id="base before all"
        ),
        pytest.param(on_text(b"\6\xff\xff\xff\xff\x7f\1x"), id="delta to a bomb"),
        pytest.param(on_text(b""), id="empty delta"),
        pytest.param(on_text(b"\xff" * 30), id="number without end"),
        pytest.param(pack([head(7, 4) + b"\1" * 20 + zlib.compress(b"\5\1\1x")]), id="base missing"),
        pytest.param(pack([head(6, 4) + b"\0" + zlib.compress(b"\5\1\1x")]), id="its own base"),
        pytest.param(on_text(b"\x63\1\1x"), id="base of another size"),
        pytest.param(on_text(b"\6\x0a\x91\x40\x0a"), id="copy from beyond"),
        pytest.param(on_text(b"\6\1\0"), id="unknown step of a delta"),
    ],
)
async def test_a_pack_that_is_none_is_refused(bench: Bench, server: Hostile, content: bytes) -> None:
    server.pack = content
    await refused(bench, server)


@pytest.mark.parametrize(
    "commit",
    [
        pytest.param(b"hello", id="no line"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"tree zz\n\nx", id="no id"),
        pytest.param(b"tree " + b"1" * 40 + b"\nnonsense\n\nx", id="a line without a value"),
    ],
)
async def test_a_commit_that_is_none_is_refused(bench: Bench, server: Hostile, commit: bytes) -> None:
    server.with_objects((COMMIT, commit))
    await refused(bench, server)


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param(b"xx\0zz", id="no mode"),
        pytest.param(b"100644 a", id="cut in a name"),
        pytest.param(b"100644 a\0short", id="cut in an id"),
        pytest.param(tree_of(("7" * 19, b"a", TEXT_ID)), id="mode too large"),
        pytest.param(tree_of(("9", b"a", TEXT_ID)), id="mode not octal"),
    ],
)
async def test_a_folder_that_is_none_is_told_when_it_is_read(bench: Bench, server: Hostile, tree: bytes) -> None:
    server.with_objects((BLOB, TEXT), (TREE, tree), (COMMIT, commit_of(name_of(TREE, tree))))
    with pytest.raises(Refusal):
        await listed(bench, server)


async def test_a_head_that_is_no_commit_is_refused(bench: Bench, server: Hostile) -> None:
    assert "is not a commit" in await refused(bench, server.with_objects((BLOB, TEXT)))


async def test_a_pack_without_what_was_asked_for_is_refused(bench: Bench, server: Hostile) -> None:
    server.pack = pack([])
    await refused(bench, server)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(bench: Bench, server: Hostile, status: int) -> None:
    async with Hostile().serving() as other:
        server.status = status
        server.more_headers = {"Location": f"{other.url}/x.git/info/refs?service=git-upload-pack"}
        assert "did not respond like a git server" in await refused(bench, server)
        assert other.asked == []


@pytest.mark.parametrize("status", [204, 400, 401, 403, 404, 429, 500, 503, pytest.param(407, id="asks as a proxy")])
async def test_what_a_server_says_with_a_refusal_is_not_told(bench: Bench, server: Hostile, status: int) -> None:
    server.status, server.more_headers = status, {"WWW-Authenticate": f'Basic realm="{SIGN_IN}"'}
    assert SIGN_IN not in await refused(bench, server)


@pytest.mark.parametrize("status", [303, 401, 404, 500])
async def test_no_connection_is_left_open_after_a_refusal(bench: Bench, server: Hostile, status: int) -> None:
    server.status = status
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        await refused(bench, server)
        gc.collect()
    assert [one for one in told if issubclass(one.category, ResourceWarning)] == []


def in_greeting(server: Hostile) -> None:
    server.greeting = line("# service=git-upload-pack\n") + b"0000" + line(f"ERR you sent {SIGN_IN}")


def in_reply(server: Hostile) -> None:
    server.reply = line(f"ERR you sent {SIGN_IN}")


def in_the_band_of_errors(server: Hostile) -> None:
    server.reply = b"0000" + line("NAK\n") + line(b"\3you sent " + SIGN_IN.encode())


@pytest.mark.parametrize("told", [in_greeting, in_reply, in_the_band_of_errors])
async def test_a_server_that_repeats_the_sign_in_has_it_not_told(
    bench: Bench, server: Hostile, told: Callable[[Hostile], None]
) -> None:
    told(server)
    assert SIGN_IN not in await refused(bench, server)


@pytest.mark.parametrize(
    "greeting",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"zzzz", id="no length"),
        pytest.param(b"fff0x", id="cut"),
        pytest.param(line("hello\n"), id="another first line"),
        pytest.param(b"0000" * 1000, id="ends of nothing"),
        pytest.param(line("# service=git-receive-pack\n") + b"0000", id="another service"),
        pytest.param(line("version 9\n"), id="version nine"),
        pytest.param(line("# service=git-upload-pack\n") + b"0000" + line("no ref\n"), id="a ref without a name"),
    ],
)
async def test_a_greeting_that_is_none_is_refused(bench: Bench, server: Hostile, greeting: bytes) -> None:
    server.greeting = greeting
    await refused(bench, server)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"0000", id="an end"),
        pytest.param(b"0000" + line("NAK\n") + line(b"\7xx"), id="band seven"),
        pytest.param(b"0000" + line("NAK\n") + b"ffff", id="cut"),
        pytest.param(line("shallow zz") + b"0000", id="shallow at no id"),
        pytest.param(line("hello") + b"0000", id="something else"),
    ],
)
async def test_a_reply_that_is_none_is_refused(bench: Bench, server: Hostile, reply: bytes) -> None:
    server.reply = reply
    await refused(bench, server)


async def test_a_pack_that_never_ends_is_left(bench: Bench, server: Hostile) -> None:
    server.reply, server.endless = b"0000" + line("NAK\n"), line(b"\1" + bytes(60_000))
    assert "larger than 64 MB" in await refused(bench, server)


async def test_answers_to_nothing_that_never_end_are_left(bench: Bench, server: Hostile) -> None:
    server.reply, server.endless = b"0000", line("NAK\n") * 5000
    await refused(bench, server)


@pytest.mark.parametrize("piece", [b"\0", line("NAK\n")], ids=["byte by byte", "line by line"])
async def test_a_server_that_sends_a_little_now_and_then_is_left_in_time(
    bench: Bench, server: Hostile, piece: bytes
) -> None:
    bench.seconds, server.pause = 0.5, 0.05
    server.reply, server.endless = b"0000" + line(bytes([1]) + bytes(1000))[:50], piece
    assert "more than 0.5 seconds" in await refused(bench, server)


async def test_a_deflated_greeting_is_not_inflated_whole(bench: Bench, server: Hostile) -> None:
    server.more_headers, server.greeting = {"Content-Encoding": "gzip"}, gzip.compress(bytes(30 * 2**20))
    await refused(bench, server)


@pytest.mark.parametrize(
    "name",
    [
        *("../../x", "a..b", "-x", "a b", "a~1", "a^1", "a:b", "a?", "a*", "a[b", "a\\b", ".hidden", "x/.y", "x.lock"),
        *("x.lock/y", "@{1}", "a@{1}", "HEAD", "a" * 40, "x//y", "x/", "\x1b[31m", "x.", "\u202ex", "a" * 300),
    ],
)
async def test_a_ref_whose_name_is_none_is_not_there(bench: Bench, server: Hostile, name: str) -> None:
    server.refs = [(f"refs/heads/{name}", server.head)]
    await bench.desk().clone(f"{server.url}/x.git", "", "x", 20)
    assert [*(await bench.desk().all())["x"].remote] == ["main"]


@pytest.mark.parametrize("commit", ["zz" * 20, "1234", "A" * 40, "1" * 64])
async def test_a_ref_to_no_commit_is_not_there(bench: Bench, server: Hostile, commit: str) -> None:
    server.refs = [("refs/heads/other", commit)]
    await bench.desk().clone(f"{server.url}/x.git", "", "x", 20)
    assert [*(await bench.desk().all())["x"].remote] == ["main"]


async def test_too_many_refs_are_refused(bench: Bench, server: Hostile) -> None:
    server.refs = [(f"refs/heads/b{number}", server.head) for number in range(2001)]
    assert "more than 2000 branches" in await refused(bench, server)


async def test_refs_that_are_no_branches_do_not_count(bench: Bench, server: Hostile) -> None:
    server.refs = [(f"refs/pull/{number}/head", server.head) for number in range(5000)]
    await bench.desk().clone(f"{server.url}/x.git", "", "x", 20)
    assert [*(await bench.desk().all())["x"].remote] == ["main"]


async def test_a_server_cannot_make_a_state_that_is_not_read_again(bench: Bench, server: Hostile) -> None:
    server.shallow = [f"{number:040x}" for number in range(26_000)]
    try:
        await bench.desk("eve").clone(f"{server.url}/x.git", "", "x", 20)
    except Refusal:
        assert await bench.desk("eve").all() == {}
    server.shallow = ()
    await bench.desk("ada").clone(f"{server.url}/x.git", "", "x", 20)


@pytest.mark.parametrize("media_type", ["text/plain", "text/html", "application/octet-stream"])
async def test_plain_files_are_no_git_server(bench: Bench, server: Hostile, media_type: str) -> None:
    server.media_type, server.greeting = media_type, f"{server.head}\trefs/heads/main\n".encode()
    with pytest.raises(Refusal):
        await bench.desk().clone(f"{server.url}/raw/x.git", "main", "x", 20)
    assert len(server.asked) == 1


async def listed(bench: Bench, server: Hostile) -> None:
    await bench.desk().clone(f"{server.url}/x.git", "", "x", 20)
    await bench.desk().read("x", lambda one: list(one.entries("")))
