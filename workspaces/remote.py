"""What comes from a git server and goes there: it overwrites nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

from dulwich.client import HTTPProxyUnauthorized, HTTPUnauthorized
from dulwich.errors import GitProtocolError, HangupException, NotGitRepository, SendPackError
from dulwich.object_store import ObjectStoreGraphWalker
from dulwich.objects import ObjectID
from dulwich.pack import UnpackedObject
from dulwich.refs import Ref
from urllib3.exceptions import HTTPError

from refusal import Refusal
from workspaces.git_client import GitClient
from workspaces.limits import LARGEST_PACK, MEGABYTE, MOST_REFS
from workspaces.merging import ancestors
from workspaces.objects import Objects
from workspaces.remote_repository import RemoteRepository
from workspaces.state import is_branch

_HEADS: Final = b"refs/heads/"
_ID: Final = re.compile(b"[0-9a-f]{40}")
_MOST_WORDS: Final = 4_000

# Given the branches and the usual one, the commits that are wanted.
Choose = Callable[[Mapping[str, str], str], Sequence[str]]


class TurnedAwayError(Refusal):
    """The server does not let whoever is signed in there do that."""


class _FilterRefusedError(Exception):
    """The server may send the same without a filter."""


@dataclass(frozen=True, slots=True)
class FetchedPack:
    """What came: branches and their commits, which one is meant without a name, and a pack, if anything was missing."""

    branches: Mapping[str, str]
    usual: str
    pack: bytes
    shallow: frozenset[str]
    deepened: frozenset[str]


@dataclass(frozen=True, slots=True)
class Pushed:
    words: str


@dataclass(frozen=True, slots=True)
class Local:
    """What is there already: objects, the commits that branches are at, and those whose parents were left out."""

    objects: Objects | None = None
    have: Sequence[str] = ()
    shallow: Sequence[str] = ()

    def walker(self) -> ObjectStoreGraphWalker:
        known = {ObjectID(one.encode()) for one in self.shallow}

        def parents(commit: ObjectID) -> list[ObjectID]:
            return [] if commit in known or self.objects is None else list(self.objects.commit(commit).parents)

        return ObjectStoreGraphWalker([ObjectID(one.encode()) for one in self.have], parents, known)


def fetch(place: RemoteRepository, choose: Choose, local: Local, depth: int | None = None) -> FetchedPack:
    """What the server has of the commits that are chosen among its branches, and that is not there yet.

    Raises:
        Refusal: The server cannot be reached, turns whoever asks away, or sends what is not taken.
    """
    *filters, last = place.filters
    for leaving_out in filters:
        with suppress(_FilterRefusedError):
            return _fetch(place, choose, local, depth, leaving_out)
    return _fetch(place, choose, local, depth, last)


def _fetch(
    place: RemoteRepository, choose: Choose, local: Local, depth: int | None, leaving_out: bytes | None
) -> FetchedPack:
    pack, seen = BytesIO(), _Refs()

    def take(piece: bytes) -> int:
        if pack.tell() + len(piece) > LARGEST_PACK:
            raise Refusal(
                f"The repository sends more than {LARGEST_PACK // MEGABYTE} MB. Clone less depth, or work with"
                " the tools of its host instead."
            )
        return pack.write(piece)

    def wanted(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:  # noqa: ARG001 - as theirs
        seen.take(refs)
        return [ObjectID(one.encode()) for one in choose(seen.branches, seen.usual)]

    client = GitClient(place)
    asked: dict[str, Any] = {"depth": depth, "ref_prefix": [b"HEAD", _HEADS], "filter_spec": leaving_out}
    with _in_words(place), client.in_time():
        try:
            found = client.fetch_pack(place.url, wanted, local.walker(), take, **asked)
        except (GitProtocolError, HangupException) as error:
            # No server says which filters it has. One that named its branches and then ends may lack this one.
            if leaving_out and seen.branches and not pack.tell():
                raise _FilterRefusedError from error
            raise
        head = found.symrefs.get(Ref(b"HEAD"), b"").removeprefix(_HEADS).decode(errors="replace")
    usual = head if head in seen.branches else seen.usual
    return FetchedPack(seen.branches, usual, pack.getvalue(), _texts(found.new_shallow), _texts(found.new_unshallow))


def fetch_objects(place: RemoteRepository, names: Sequence[bytes]) -> bytes:
    """A pack with objects that were left out.

    Raises:
        Refusal: The server does not give it.
    """
    pack = BytesIO()

    def take(piece: bytes) -> int:
        if pack.tell() + len(piece) > LARGEST_PACK:
            raise Refusal("What that reads is too large for a workspace. Ask for fewer files.")
        return pack.write(piece)

    def only(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:  # noqa: ARG001 - as theirs
        return [ObjectID(name) for name in names]

    client = GitClient(place)
    with _in_words(place), client.in_time():
        client.fetch_pack(place.url, only, Local().walker(), take, ref_prefix=[_HEADS])
    return pack.getvalue()


def push(place: RemoteRepository, branch: str, commit: str, local: Local) -> Pushed:
    """Have the branch on the server at this commit; only forward, so that nothing is lost there.

    Raises:
        Refusal: The server has commits of which this one knows nothing, refuses it, or cannot be reached.
    """
    if local.objects is None:
        raise ValueError("there is nothing to be pushed")
    ref, objects = Ref(_HEADS + branch.encode()), local.objects
    mine = ancestors(objects, commit, local.shallow)
    said: list[bytes] = []

    def update(refs: Mapping[Ref, ObjectID]) -> dict[Ref, ObjectID]:
        there = refs.get(ref, ObjectID(b"")).decode()
        if there and there not in mine:
            raise Refusal(
                f"{branch} has commits on the server that are not in the workspace. Call git_pull, review them, and"
                " push again. Nothing was overwritten."
            )
        return {ref: ObjectID(commit.encode())}

    def missing(have: Iterable[ObjectID], want: Iterable[ObjectID], **how: Any) -> tuple[int, Iterator[UnpackedObject]]:
        asked = [*have, *(ObjectID(one.encode()) for one in local.have)]
        known = [one for one in asked if one in objects]
        shallow = {ObjectID(one.encode()) for one in local.shallow}
        return objects.generate_pack_data(known, want, shallow=shallow, **how)

    def hear(piece: bytes) -> None:
        if sum(map(len, said)) < _MOST_WORDS:
            said.append(piece)

    client = GitClient(place)
    with _in_words(place), client.in_time():
        done = client.send_pack(place.url, update, missing, progress=hear)
    words = place.without_sign_in(b"".join(said).decode(errors="replace"))[:_MOST_WORDS]
    if refused := (done.ref_status or {}).get(ref):
        reason = refused if isinstance(refused, str) else "without a reason"
        reason = place.without_sign_in(reason)[:300]
        raise Refusal(f"The server refused the branch {branch}: {reason}. {_told(words)}")
    return Pushed(words)


def _told(words: str) -> str:
    lines = " ".join(words.split())[:500]
    return f"It said: {lines}" if lines else ""


class _Refs:
    """The branches that a server has, as far as their names and commits can be such."""

    def __init__(self) -> None:
        self.branches: dict[str, str] = {}
        self.usual = ""

    def take(self, refs: Mapping[Ref, ObjectID]) -> None:
        for ref, commit in refs.items():
            name = ref.removeprefix(_HEADS).decode(errors="replace")
            if ref.startswith(_HEADS) and is_branch(name) and _ID.fullmatch(commit):
                self.branches[name] = commit.decode()
        if len(self.branches) > MOST_REFS:
            raise Refusal(
                f"The repository has more than {MOST_REFS} branches. Work with the tools of its host instead."
            )
        head = refs.get(Ref(b"HEAD"), ObjectID(b"")).decode(errors="replace")
        likely = [name for name, commit in self.branches.items() if commit == head]
        self.usual = min(likely, key=lambda name: (name not in {"main", "master"}, name), default="")


def _texts(names: Any) -> frozenset[str]:
    return frozenset(name.decode() for name in names or () if _ID.fullmatch(name))


@contextmanager
def _in_words(place: RemoteRepository) -> Iterator[None]:
    try:
        yield
    except (HTTPUnauthorized, HTTPProxyUnauthorized):
        raise TurnedAwayError(
            f"{place.host} rejected the sign-in. You may not have access to that repository, or an operator must set a"
            " token for this host."
        ) from None
    except NotGitRepository:
        raise Refusal(f"There is no repository at {place.url}, or you cannot see it.") from None
    except SendPackError as error:
        raise Refusal(f"{place.host} rejected the push ({_safe(place, error)}).") from None
    except (GitProtocolError, HangupException) as error:
        raise Refusal(f"{place.host} did not answer as a git server does: {_safe(place, error)}.") from None
    except (HTTPError, OSError) as error:
        raise Refusal(f"{place.host} cannot be reached, or broke off ({type(error).__name__}). Try again.") from None
    except RecursionError:
        raise Refusal("The repository has more folders within each other than can be followed.") from None
    except (AssertionError, KeyError, ValueError, IndexError, TypeError, EOFError) as error:
        raise Refusal(f"{place.host} sent what no git server sends ({type(error).__name__}).") from None


def _safe(place: RemoteRepository, error: Exception) -> str:
    """What it says, without addresses, which may be long and are known, and without what signs in."""
    words = place.without_sign_in(" ".join(str(error).split()))
    return re.sub(r"https?://\S+", "its address", words)[:200] or type(error).__name__
