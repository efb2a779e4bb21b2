"""Connects to a git server, with limits on size and time. Redirects are not followed."""

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

# The size limit for a response without its pack, for example for branch names and progress messages.
_LARGEST_TALK: Final = 4 * MEGABYTE
_TIMES: Final = Timeout(connect=10, read=20)

Reader = Callable[[int], bytes]


class _Pool(PoolManager):
    """A connection pool that can abort all its connections."""

    def __init__(self) -> None:
        super().__init__(num_pools=1, retries=False, timeout=_TIMES)
        self._answers: list[BaseHTTPResponse] = []
        self._connections: list[Any] = []

    def connection_from_host(self, *arguments: Any, **options: Any) -> HTTPConnectionPool:
        pool = super().connection_from_host(*arguments, **options)
        kind = pool.ConnectionCls

        def remembered(**options: Any) -> Any:
            self._connections.append(kind(**options))
            return self._connections[-1]

        pool.ConnectionCls = remembered  # type: ignore[assignment]  # is only called
        return pool

    def cut(self) -> None:
        """Abort all connections. A thread that is reading from a connection then sees the end of the data."""
        for sock in (one.sock for one in self._connections if one.sock):
            with suppress(OSError):
                # Shut down only the TCP connection, because closing TLS would discard its state while another thread
                # reads.
                socket.shutdown(sock, SHUT_RDWR)

    def urlopen(self, method: str, url: str, redirect: bool = True, **how: Any) -> BaseHTTPResponse:  # type: ignore[override]  # noqa: FBT001, FBT002 - signature of the base class
        answer = super().urlopen(method, url, redirect, **how)
        self._answers.append(answer)
        return answer

    def close(self) -> None:
        for answer in self._answers:
            answer.close()
        self.clear()


class GitClient(Urllib3HttpGitClient):
    """A git client that follows no redirects and sends requests and credentials to a single host."""

    def __init__(self, place: RemoteRepository) -> None:
        self._pool = _Pool()
        super().__init__(place.url, pool_manager=self._pool, thin_packs=False, quiet=True)
        self._seconds = place.seconds
        if place.authorization:
            self._auth_header, self._auth_origin = place.authorization, self._origin(place.url)

    @contextmanager
    def in_time(self) -> Iterator[None]:
        """Abort the connections after the time limit, so that a slow server does not block a thread that waits for
        data.
        """
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
                raise Refusal(
                    f"The server took more than {self._seconds:g} seconds. Clone with a smaller depth."
                ) from None
            raise
        finally:
            clock.cancel()
            self._pool.close()

    def _discover_references(self, *arguments: Any, **options: Any) -> Any:
        found = super()._discover_references(*arguments, **options)
        if self.dumb:
            raise GitProtocolError("the server offers the repository only as plain files")
        return found

    def _http_request(
        self,
        url: str,
        headers: dict[str, str] | None = None,
        data: bytes | Iterator[bytes] | None = None,
        raise_for_status: bool = True,  # noqa: FBT001, FBT002 - signature of the base class
    ) -> tuple[Any, Reader]:
        # The URL may come from the server, because a server can send URLs for downloading parts of a pack.
        if not url.startswith(self._base_url):
            raise Refusal("The server redirects to another URL. Such redirects are not followed.")
        response, read = super()._http_request(url, headers, data, raise_for_status)
        return response, self._bounded(read)

    def _bounded(self, read: Reader) -> Reader:
        size = 0

        def bounded(most: int) -> bytes:
            nonlocal size
            piece = read(most)
            size += len(piece)
            if size > LARGEST_PACK + _LARGEST_TALK:
                raise Refusal("The server sends more data than a workspace can contain.")
            return piece

        return bounded
