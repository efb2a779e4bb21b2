"""Talks with a git server over HTTPS: what comes is bounded, goes nowhere else, and overwrites nothing there."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from socket import SHUT_RDWR, socket
from threading import Event, Timer
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from dulwich.client import HTTPProxyUnauthorized, HTTPUnauthorized, Urllib3HttpGitClient
from dulwich.errors import GitProtocolError, HangupException, NotGitRepository, SendPackError
from dulwich.object_store import ObjectStoreGraphWalker
from dulwich.objects import ObjectID
from dulwich.pack import UnpackedObject
from dulwich.refs import Ref
from urllib3 import BaseHTTPResponse, HTTPConnectionPool, PoolManager, Timeout
from urllib3.exceptions import HTTPError

from refusal import Refusal
from workspaces.limits import FILTER, LARGEST_PACK, MEGABYTE, MOST_REFS, SECONDS_OF_TRANSFER
from workspaces.merging import ancestors
from workspaces.objects import Objects
from workspaces.state import is_branch

_HEADS: Final = b"refs/heads/"
_ID: Final = re.compile(b"[0-9a-f]{40}")
_LONGEST_URL: Final = 1000
_PATH: Final = re.compile(r"(?:/[^/]+)+/?")
_LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}
_HTTPS: Final = 443
# Of all that is no pack: names of branches, and what the server says meanwhile.
_LARGEST_TALK: Final = 4 * MEGABYTE
_SHORTEST_SECRET: Final = 4
_MOST_WORDS: Final = 4_000
_TIMES: Final = Timeout(connect=10, read=20)

Reader = Callable[[int], bytes]
# Given the branches and the usual one, the commits that are wanted.
Choose = Callable[[Mapping[str, str], str], Sequence[str]]


class TurnedAwayError(Refusal):
    """The server does not let whoever is signed in there do that."""


@dataclass(frozen=True, slots=True)
class Place:
    """A repository on a server, how one signs in there, and how long it may take.

    The sign-in is a header, and goes to that server only.
    """

    url: str
    authorization: str = field(default="", repr=False)
    seconds: float = SECONDS_OF_TRANSFER

    def without_sign_in(self, text: str) -> str:
        """The text of a server, which may repeat what was sent to it."""
        _, _, sent = self.authorization.partition(" ")
        plain = _decoded(sent)
        for secret in (self.authorization, sent, plain, plain.partition(":")[2]):
            text = text.replace(secret, "***") if len(secret) >= _SHORTEST_SECRET else text
        return text

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came: branches and their commits, which one is meant without a name, and a pack, if anything was missing."""

    branches: Mapping[str, str]
    usual: str
    pack: bytes
    shallow: frozenset[str]
    deepened: frozenset[str]


@dataclass(frozen=True, slots=True)
class Pushed:
    words: str


def checked_url(url: str, hosts: Sequence[str]) -> str:
    """The address of a repository that may be worked with; a user's name in it, as Azure Repos writes, is left out.

    Raises:
        Refusal: It is none, or its host is none that an operator named.
    """
    try:
        parts = urlsplit(url) if len(url) <= _LONGEST_URL and url.isascii() and url.isprintable() else urlsplit("")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _no_address() from None
    if parts.password is not None:
        raise Refusal("No password belongs into an address. Leave it out: this server signs in by itself.")
    is_here = host in _LOOPBACK and host in hosts
    if not host or parts.query or parts.fragment or " " in url or "\\" in url or not _is_plain(parts.path):
        raise _no_address()
    if host not in hosts:
        named = ", ".join(hosts) or "none"
        raise Refusal(f"Repositories at {host[:200]} are not worked with here. An operator named these hosts: {named}.")
    if not is_here and (parts.scheme != "https" or port not in {None, _HTTPS}):
        raise Refusal("Repositories are reached by https:// only, at its usual port.")
    if is_here and parts.scheme not in {"http", "https"}:
        raise _no_address()
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}{f':{port}' if port and is_here else ''}{parts.path.rstrip('/')}"


def _no_address() -> Refusal:
    return Refusal("repo_url looks like https://dev.azure.com/acme/shop/_git/shop or https://host/team/shop.git.")


def _is_plain(path: str) -> bool:
    names = [unquote(name) for name in path.strip("/").split("/")]
    return bool(_PATH.fullmatch(path)) and not any(
        name in {"", ".", ".."} or {*name} & {*"/\\%\0"} or not name.isprintable() for name in names
    )


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


def fetch(place: Place, choose: Choose, local: Local, depth: int | None = None) -> Fetched:
    """What the server has of the commits that are chosen among its branches, and that is not there yet.

    Raises:
        Refusal: The server cannot be reached, turns whoever asks away, or sends what is not taken.
    """
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

    client = _Client(place)
    with _in_words(place), client.in_time():
        found = client.fetch_pack(
            place.url, wanted, local.walker(), take, depth=depth, ref_prefix=[b"HEAD", _HEADS], filter_spec=FILTER
        )
        head = found.symrefs.get(Ref(b"HEAD"), b"").removeprefix(_HEADS).decode(errors="replace")
    usual = head if head in seen.branches else seen.usual
    return Fetched(seen.branches, usual, pack.getvalue(), _texts(found.new_shallow), _texts(found.new_unshallow))


def fetch_object(place: Place, name: bytes) -> bytes:
    """A pack with one object that was left out.

    Raises:
        Refusal: The server does not give it.
    """
    pack = BytesIO()

    def take(piece: bytes) -> int:
        if pack.tell() + len(piece) > LARGEST_PACK:
            raise Refusal("That file is too large for a workspace.")
        return pack.write(piece)

    def only(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:  # noqa: ARG001 - as theirs
        return [ObjectID(name)]

    client = _Client(place)
    with _in_words(place), client.in_time():
        client.fetch_pack(place.url, only, Local().walker(), take, ref_prefix=[_HEADS])
    return pack.getvalue()


def push(place: Place, branch: str, commit: str, local: Local) -> Pushed:
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
                f"{branch} has commits on the server that are not here. Call git_pull, look at what came, and push"
                " then. Nothing was overwritten."
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

    client = _Client(place)
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


class _Pool(PoolManager):
    """One connection, and answers that are closed with it, whatever became of them."""

    def __init__(self) -> None:
        super().__init__(num_pools=1, retries=False, timeout=_TIMES)
        self._answers: list[BaseHTTPResponse] = []
        self._connections: list[Any] = []

    def connection_from_host(self, *given: Any, **how: Any) -> HTTPConnectionPool:
        pool = super().connection_from_host(*given, **how)
        kind = pool.ConnectionCls

        def remembered(**how: Any) -> Any:
            self._connections.append(kind(**how))
            return self._connections[-1]

        pool.ConnectionCls = remembered  # type: ignore[assignment]  # only ever called
        return pool

    def cut(self) -> None:
        """End what is under way, from another thread: whoever reads finds the end."""
        for sock in (one.sock for one in self._connections if one.sock):
            with suppress(OSError):
                # That of TLS would forget its state while another thread reads by it.
                socket.shutdown(sock, SHUT_RDWR)

    def urlopen(self, method: str, url: str, redirect: bool = True, **how: Any) -> BaseHTTPResponse:  # type: ignore[override]  # noqa: FBT001, FBT002 - as theirs
        answer = super().urlopen(method, url, redirect, **how)
        self._answers.append(answer)
        return answer

    def close(self) -> None:
        for answer in self._answers:
            answer.close()
        self.clear()


class _Client(Urllib3HttpGitClient):
    """Follows no redirect, asks nobody else, and sends the sign-in to the one host."""

    def __init__(self, place: Place) -> None:
        self._pool = _Pool()
        super().__init__(place.url, pool_manager=self._pool, thin_packs=False, quiet=True)
        self._seconds = place.seconds
        if place.authorization:
            self._auth_header, self._auth_origin = place.authorization, self._origin(place.url)

    @contextmanager
    def in_time(self) -> Iterator[None]:
        """A server that sends a byte now and then would hold a reader for ever, who only looks between whole pieces."""
        is_over = Event()

        def end() -> None:
            is_over.set()
            self._pool.cut()

        clock = Timer(self._seconds, end)
        clock.daemon = True
        clock.start()
        try:
            yield
        except Exception:
            if is_over.is_set():
                raise Refusal(f"The server needed more than {self._seconds:g} seconds. Clone less depth.") from None
            raise
        finally:
            clock.cancel()
            self._pool.close()

    def _discover_references(self, *given: Any, **how: Any) -> Any:
        found = super()._discover_references(*given, **how)
        if self.dumb:
            raise GitProtocolError("it has plain files only")
        return found

    def _http_request(
        self,
        url: str,
        headers: dict[str, str] | None = None,
        data: bytes | Iterator[bytes] | None = None,
        raise_for_status: bool = True,  # noqa: FBT001, FBT002 - as theirs
    ) -> tuple[Any, Reader]:
        # A server may name other addresses for parts of a pack.
        if not url.startswith(self._base_url):
            raise Refusal("The server points to another address, which is not followed.")
        response, read = super()._http_request(url, headers, data, raise_for_status)
        return response, self._bounded(read)

    def _bounded(self, read: Reader) -> Reader:
        taken = 0

        def bounded(most: int) -> bytes:
            nonlocal taken
            piece = read(most)
            taken += len(piece)
            if taken > LARGEST_PACK + _LARGEST_TALK:
                raise Refusal("The server sends more than a workspace takes.")
            return piece

        return bounded


def _decoded(text: str) -> str:
    try:
        return b64decode(text).decode(errors="replace")
    except ValueError:
        return ""


@contextmanager
def _in_words(place: Place) -> Iterator[None]:
    try:
        yield
    except (HTTPUnauthorized, HTTPProxyUnauthorized):
        raise TurnedAwayError(
            f"{place.host} wants another sign-in. Whoever signed in here may have no right to that repository, or an"
            " operator has to name a token for this host."
        ) from None
    except NotGitRepository:
        raise Refusal(f"There is no repository at {place.url}, or none that you may see.") from None
    except SendPackError as error:
        raise Refusal(f"{place.host} refused what was pushed ({_safe(place, error)}).") from None
    except (GitProtocolError, HangupException) as error:
        raise Refusal(f"{place.host} did not answer as a git server does: {_safe(place, error)}.") from None
    except (HTTPError, OSError) as error:
        raise Refusal(f"{place.host} cannot be reached, or broke off ({type(error).__name__}). Try again.") from None
    except RecursionError:
        raise Refusal("The repository has more folders within each other than can be followed.") from None
    except (AssertionError, KeyError, ValueError, IndexError, TypeError, EOFError) as error:
        raise Refusal(f"{place.host} sent what no git server sends ({type(error).__name__}).") from None


def _safe(place: Place, error: Exception) -> str:
    """What it says, without addresses, which may be long and are known, and without what signs in."""
    words = place.without_sign_in(" ".join(str(error).split()))
    return re.sub(r"https?://\S+", "its address", words)[:200] or type(error).__name__
