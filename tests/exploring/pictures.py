"""The explorer over made-up updates, and a host of MCP Apps, for pictures of both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from anyio.from_thread import start_blocking_portal

from local_host.process import running
from tests.e2e.site import PROJECT
from tests.exploring.app_hosting import AppHost, hosting
from tests.offline import offline


@contextmanager
def hosted() -> Iterator[tuple[str, AppHost]]:
    """The address of the server, and the host."""
    with (
        TemporaryDirectory() as folder,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(running(PROJECT, settings=offline(Path(folder)))) as server,
        portal.wrap_async_context_manager(hosting()) as host,
    ):
        yield server, host
