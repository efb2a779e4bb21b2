"""The last that is allowed passes, and the first that is not is refused."""

from __future__ import annotations

import re
from base64 import b64encode
from contextlib import closing
from datetime import UTC, datetime

import pytest
from dulwich.object_store import MemoryObjectStore
from dulwich.objects import Blob, Tree

from refusal import Refusal
from workspaces.diffs import FileDifference, patch
from workspaces.limits import LARGEST_FILE
from workspaces.objects import Objects
from workspaces.paths import checked_path
from workspaces.remote_repository import RemoteRepository, checked_url
from workspaces.state import WorkspaceState
from workspaces.workspace import Workspace


@pytest.mark.parametrize(
    ("fitting", "larger", "said"),
    [
        ("/".join(["a" * 199] * 5) + "a", "/".join(["a" * 199] * 5) + "aa", "1 to 1000 characters"),
        ("/".join(["a"] * 60), "/".join(["a"] * 61), "at most 60 parts"),
        ("a" * 255, "a" * 256, "longer than 255 bytes"),
        ("ä" * 127, "ä" * 128, "longer than 255 bytes"),
        ("a", "/", "1 to 1000 characters"),
    ],
)
def test_a_path_has_so_many_parts_and_characters(fitting: str, larger: str, said: str) -> None:
    assert checked_path(fitting) == tuple(name.encode() for name in fitting.split("/"))
    with pytest.raises(Refusal, match=said):
        checked_path(larger)


def test_the_url_of_a_repository_has_up_to_1000_characters() -> None:
    start = "https://git.example.com/"
    assert checked_url(start.ljust(1000, "a"), ["git.example.com"]) == start.ljust(1000, "a")
    with pytest.raises(Refusal, match="repo_url must look like"):
        checked_url(start.ljust(1001, "a"), ["git.example.com"])


@pytest.mark.parametrize(
    ("url", "made"),
    [
        ("https://git.example.com:443/a/b.git/", "https://git.example.com/a/b.git"),
        ("https://ada@git.example.com/a/b", "https://git.example.com/a/b"),
        ("http://localhost:8080/a", "http://localhost:8080/a"),
        ("https://localhost:443/a", "https://localhost:443/a"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("http://localhost/a", "http://localhost/a"),
    ],
)
def test_the_url_of_a_repository_is_made_plain(url: str, made: str) -> None:
    assert checked_url(url, ["git.example.com", "localhost", "::1"]) == made


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://git.example.com:8443/a", "use the default port"),
        ("http://git.example.com/a", "must start with https"),
        ("http://localhost/a", "not allowed. Allowed hosts: git.example.com"),
        ("ftp://git.example.com/a", "must start with https"),
        ("https://ada:secret@git.example.com/a", "must not contain a password"),
        ("https://git.example.com/a?b", "must look like"),
        ("https://git.example.com/a#b", "must look like"),
        ("https://git.example.com/a b", "must look like"),
        ("https://git.example.com/a\\b", "must look like"),
        ("https://git.example.com/a/../b", "must look like"),
        ("https://git.example.com/a/%2e%2e/b", "must look like"),
        ("https://git.example.com/a/%00", "must look like"),
        ("https://git.example.com/a/b%25c", "must look like"),
        ("https://git.example.com//a", "must look like"),
        ("https://git.example.com", "must look like"),
        ("https://git.example.com:port/a", "must look like"),
        ("https:///a", "must look like"),
    ],
)
def test_another_url_is_refused(url: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        checked_url(url, ["git.example.com"])


def test_a_scheme_that_is_none_is_refused_on_this_machine_too() -> None:
    with pytest.raises(Refusal, match="must look like"):
        checked_url("ftp://localhost/a", ["localhost"])


@pytest.mark.parametrize(("secret", "is_left_out"), [("abc", False), ("abcd", True)])
def test_a_sign_in_is_left_out_of_what_a_server_says(secret: str, is_left_out: bool) -> None:
    sent = b64encode(f":{secret}".encode()).decode()
    place = RemoteRepository("https://git.example.com/a", f"Basic {sent}")
    said = place.without_sign_in(f"Basic {sent} or {sent} or {secret}")
    assert sent not in said
    assert (secret not in said) == is_left_out
    assert RemoteRepository("https://git.example.com/a").without_sign_in("a b") == "a b"


def test_azure_repos_leave_out_all_files_and_others_large_ones() -> None:
    azure, other = RemoteRepository("https://dev.azure.com/a/b/_git/c"), RemoteRepository("https://git.example.com/a")
    assert (azure.leaves_out_files, other.leaves_out_files) == (True, False)
    assert (azure.filters[1], other.filters[1]) == (None, None)
    assert azure.host == "dev.azure.com"


def compared(before: bytes | None, after: bytes | None) -> str:
    store = MemoryObjectStore()
    names = []
    for content in (before, after):
        blob = Blob.from_string(content or b"")
        store.add_object(blob)
        names.append(b"" if content is None else blob.id)
    return patch(store, FileDifference(b"a.txt", "changed", *names), 1)  # type: ignore[arg-type]  # of which it reads


def test_a_file_that_is_added_or_deleted_is_compared_with_nothing() -> None:
    assert compared(None, b"a\n").splitlines()[:2] == ["--- /dev/null", "+++ b/a.txt"]
    assert compared(b"a\n", None).splitlines()[:2] == ["--- a/a.txt", "+++ /dev/null"]
    assert compared(b"a\n", b"b").splitlines() == [
        "--- a/a.txt",
        "+++ b/a.txt",
        "@@ -1 +1 @@",
        "-a",
        "+b",
        "\\ No newline at end of file",
    ]


def test_files_of_up_to_6000_lines_are_compared() -> None:
    assert compared(b"a\n" * 3000, b"a\n" * 2999 + b"b\n").startswith("---")
    assert compared(b"a\n" * 3000, b"a\n" * 3001) == "(more than 6000 lines)"


def test_binary_and_large_files_are_not_compared() -> None:
    fitting = b"a" * (LARGEST_FILE - 1) + b"\n"
    assert compared(fitting, None).startswith("---")
    for before, after in ((fitting + b"a", b""), (b"", fitting + b"a"), (b"\0", b"a"), (b"a", b"\0")):
        assert compared(before, after) == "(binary, or too large to compare)"


def test_a_refusal_to_write_repeats_the_beginning_of_a_long_path() -> None:
    now, path = datetime(2026, 11, 1, tzinfo=UTC), f"{'a' * 150}/{'b' * 150}"
    with closing(Objects({})) as objects:
        tree = Tree()
        objects.add_object(tree)
        state = WorkspaceState(url="x", branch="main", made=now, used=now, tree=tree.id.decode())
        workspace = Workspace(state, objects)
        version = workspace.write(path, b"one", "").id.decode()
        for at, known, said in (
            (path, "", f"{path[:200]!r} already exists."),
            (path, "0" * 40, f"{path[:200]!r} has changed since"),
            (path[:150], version, f"{path[:150]!r} is a folder"),
        ):
            with pytest.raises(Refusal, match=re.escape(said)):
                workspace.write(at, b"two", known)
        assert workspace.write(path, b"two", version).id.decode() != version
