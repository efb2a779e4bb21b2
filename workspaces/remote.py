"""Fetches commits from a git server, and pushes commits to a git server. A push never overwrites commits
on the server.
"""

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
_TOO_LARGE: Final = (
    f"The repository is larger than {LARGEST_PACK // MEGABYTE} MB. Clone with a smaller depth, or use the tools of the"
    " repository's host instead."
)

# Gets the branches and the default branch, and returns the commits to fetch.
Choose = Callable[[Mapping[str, str], str], Sequence[str]]


class TurnedAwayError(Refusal):
    """The server denied access to the signed-in user."""


class _FilterRefusedError(Exception):
    """The server rejected the filter. The same request may succeed without a filter."""


@dataclass(frozen=True, slots=True)
class FetchedPack:
    """The result of a fetch: the server's branches, its default branch, and a pack of missing objects, if any."""

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
    """What the workspace already has: objects, the commits of branches, and shallow commits."""

    objects: Objects | None = None
    have: Sequence[str] = ()
    shallow: Sequence[str] = ()

    def walker(self) -> ObjectStoreGraphWalker:
        known = {ObjectID(one.encode()) for one in self.shallow}

        def parents(commit: ObjectID) -> list[ObjectID]:
            return [] if commit in known or self.objects is None else list(self.objects.commit(commit).parents)

        return ObjectStoreGraphWalker([ObjectID(one.encode()) for one in self.have], parents, known)


class _LimitedPack(BytesIO):
    """Receives a pack, up to the size limit."""

    def __init__(self, too_large: str) -> None:
        super().__init__()
        self._too_large = too_large

    def take(self, piece: bytes) -> int:
        if self.tell() + len(piece) > LARGEST_PACK:
            raise Refusal(self._too_large)
        return self.write(piece)


def fetch(place: RemoteRepository, choose: Choose, local: Local, depth: int | None = None) -> FetchedPack:
    """Fetch the chosen commits, except for objects that the workspace already has.

    Raises:
        Refusal: The server is unreachable, denies access, or sends an invalid response.
    """
    *filters, last = place.filters
    for leaving_out in filters:
        with suppress(_FilterRefusedError):
            return _fetch(place, choose, local, depth, leaving_out)
    return _fetch(place, choose, local, depth, last)


def _fetch(
    place: RemoteRepository, choose: Choose, local: Local, depth: int | None, leaving_out: bytes | None
) -> FetchedPack:
    pack, listed = _LimitedPack(_TOO_LARGE), _Refs()

    def select(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:  # noqa: ARG001 - required signature
        listed.take(refs)
        return [ObjectID(one.encode()) for one in choose(listed.branches, listed.usual)]

    client = GitClient(place)
    options: dict[str, Any] = {"depth": depth, "ref_prefix": [b"HEAD", _HEADS], "filter_spec": leaving_out}
    with _in_words(place), client.in_time():
        try:
            found = client.fetch_pack(place.url, select, local.walker(), pack.take, **options)
        except (GitProtocolError, HangupException) as error:
            # Servers do not list the filters that they support. If a server sends its branches and then disconnects,
            # the cause may be an unsupported filter.
            if leaving_out and listed.branches and not pack.tell():
                raise _FilterRefusedError from error
            raise
        head = found.symrefs.get(Ref(b"HEAD"), b"").removeprefix(_HEADS).decode(errors="replace")
    usual = head if head in listed.branches else listed.usual
    return FetchedPack(listed.branches, usual, pack.getvalue(), _texts(found.new_shallow), _texts(found.new_unshallow))


def fetch_objects(place: RemoteRepository, names: Sequence[bytes]) -> bytes:
    """Fetch a pack with objects that the clone omitted. Raises Refusal if the server does not send them."""
    pack = _LimitedPack("The requested files are too large for a workspace. Request fewer files.")

    def only(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:  # noqa: ARG001 - required signature
        return [ObjectID(name) for name in names]

    client = GitClient(place)
    with _in_words(place), client.in_time():
        client.fetch_pack(place.url, only, Local().walker(), pack.take, ref_prefix=[_HEADS])
    return pack.getvalue()


def push(place: RemoteRepository, branch: str, commit: str, local: Local) -> Pushed:
    """Move a branch on the server to this commit. Only fast-forward is allowed, so that no commit is lost.

    Raises:
        Refusal: The server has commits that the workspace does not have, rejects the push, or is unreachable.
    """
    if local.objects is None:
        raise ValueError("the workspace has no objects to push")
    ref, objects = Ref(_HEADS + branch.encode()), local.objects
    mine = ancestors(objects, commit, local.shallow)
    messages: list[bytes] = []

    def update(refs: Mapping[Ref, ObjectID]) -> dict[Ref, ObjectID]:
        current = refs.get(ref, ObjectID(b"")).decode()
        if current and current not in mine:
            raise Refusal(
                f"{branch} has commits on the server that are not in the workspace. Call git_pull, review these"
                " commits, and push again. Nothing was overwritten."
            )
        return {ref: ObjectID(commit.encode())}

    def missing(have: Iterable[ObjectID], want: Iterable[ObjectID], **how: Any) -> tuple[int, Iterator[UnpackedObject]]:
        candidates = [*have, *(ObjectID(one.encode()) for one in local.have)]
        known = [one for one in candidates if one in objects]
        shallow = {ObjectID(one.encode()) for one in local.shallow}
        return objects.generate_pack_data(known, want, shallow=shallow, **how)

    def hear(piece: bytes) -> None:
        if sum(map(len, messages)) < _MOST_WORDS:
            messages.append(piece)

    client = GitClient(place)
    with _in_words(place), client.in_time():
        result = client.send_pack(place.url, update, missing, progress=hear)
    words = place.without_sign_in(b"".join(messages).decode(errors="replace"))[:_MOST_WORDS]
    if refused := (result.ref_status or {}).get(ref):
        reason = refused if isinstance(refused, str) else "without a reason"
        reason = place.without_sign_in(reason)[:300]
        raise Refusal(f"The server rejected branch {branch}: {reason}. {_quoted(words)}")
    return Pushed(words)


def _quoted(words: str) -> str:
    lines = " ".join(words.split())[:500]
    return f"Its message: {lines}" if lines else ""


class _Refs:
    """The branches of a server. Branches with an invalid name or commit ID are omitted."""

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
                f"The repository has more than {MOST_REFS} branches. Use the tools of the repository's host instead."
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
            f"{place.host} rejected the sign-in. You might not have access to that repository, or an operator must set"
            " a token for this host."
        ) from None
    except NotGitRepository:
        raise Refusal(f"Repository {place.url} not found, or you are not allowed to see it.") from None
    except SendPackError as error:
        raise Refusal(f"{place.host} rejected the push ({_safe(place, error)}).") from None
    except (GitProtocolError, HangupException) as error:
        raise Refusal(f"{place.host} did not respond like a git server: {_safe(place, error)}.") from None
    except (HTTPError, OSError) as error:
        problem = f"Cannot reach {place.host}, or the connection was interrupted"
        raise Refusal(f"{problem} ({type(error).__name__}). Try again.") from None
    except RecursionError:
        raise Refusal("The folders of the repository are nested too deeply.") from None
    except (AssertionError, KeyError, ValueError, IndexError, TypeError, EOFError) as error:
        raise Refusal(f"{place.host} sent an invalid git response ({type(error).__name__}).") from None


def _safe(place: RemoteRepository, error: Exception) -> str:
    """The text of an error, with URLs and credentials removed."""
    words = place.without_sign_in(" ".join(str(error).split()))
    return re.sub(r"https?://\S+", "its address", words)[:200] or type(error).__name__
