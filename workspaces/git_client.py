"""The connection to a git server: what comes is bounded, ends in time, and leads nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from socket import SHUT_RDWR, socket
from threading import Event, Timer
from typing import Any, Final

from dulwich.client import Urllib3HttpGitClient
from dulwich.errors import GitProtocolError
from urllib3 import BaseHTTPResponse, HTTPConnectionPool, PoolManager, Timeout

from refusal import Refusal
from workspaces.limits import LARGEST_PACK, MEGABYTE
from workspaces.remote_repository import RemoteRepository

# Of all that is no pack: names of branches, and what the server says meanwhile.
_LARGEST_TALK: Final = 4 * MEGABYTE
_TIMES: Final = Timeout(connect=10, read=20)

Reader = Callable[[int], bytes]


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


class GitClient(Urllib3HttpGitClient):
    """Follows no redirect, asks nobody else, and sends the sign-in to the one host."""

    def __init__(self, place: RemoteRepository) -> None:
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
            raise Refusal("The server redirects to another URL, which is not followed.")
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
