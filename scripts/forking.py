"""A pytest plugin that collects the tests once, and then forks processes that run them, one file at a time.

If each process imported, rewrote and collected all tests itself, a run would spend a tenth of its time on that.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from types import SimpleNamespace
from typing import Any, Final, NoReturn, TypeAlias

import pytest
from _pytest.config import create_terminal_writer

_CRASHED: Final = "The process of this test ended before the test did. The remaining tests of the file were not run."

Files: TypeAlias = Sequence[Sequence[pytest.Item]]
Location: TypeAlias = tuple[str, int | None, str]


def pytest_addoption(parser: pytest.Parser) -> None:
    about = "run the tests in this number of processes; all tests of a file run in the same one"
    parser.addoption("--processes", type=int, default=0, help=about)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--processes") and hasattr(os, "fork"):
        config.pluginmanager.register(_Forking())


class _Forking:
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        is_broken = session.testsfailed and not session.config.option.continue_on_collection_errors
        if is_broken or session.config.option.collectonly:
            return None  # pytest itself reports collection errors and collected tests
        _Run(session).run(session.config.getoption("--processes"))
        return True


class _Worker:
    """A forked process, as seen by the process that collected the tests."""

    def __init__(self, process: int, connection: Connection) -> None:
        self.process = process
        self.connection = connection
        self.test: tuple[str, Location] | None = None
        self.has_finished = False


class _Run:
    """The process that collected the tests: it hands out files and reports what the workers send."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._files = _by_file(session.items)
        self._left = deque(range(len(self._files)))
        self._workers: dict[object, _Worker] = {}

    def run(self, processes: int) -> None:
        try:
            for _ in range(min(processes, len(self._files))):
                self._fork()
            while self._workers:
                for connection in wait([worker.connection for worker in self._workers.values()]):
                    self._receive(self._workers[connection])
                self._stop_if_asked()
        finally:
            self._end_workers()

    def _fork(self) -> None:
        ours, theirs = Pipe()
        if process := os.fork():
            theirs.close()
            self._workers[ours] = _Worker(process, ours)
            return
        # If a worker kept the connections of other workers open, the end of those workers would go unnoticed.
        for connection in (ours, *(worker.connection for worker in self._workers.values())):
            connection.close()
        self._workers.clear()
        _work(self._session, self._files, theirs)

    def _receive(self, worker: _Worker) -> None:
        try:
            kind, content = worker.connection.recv()
        except EOFError:
            self._report_end(worker)
            return
        if kind == "test":
            worker.test = content
        elif kind == "reports":
            self._log(worker, content)
        elif kind == "next":
            worker.connection.send(self._left.popleft() if self._left else None)
        else:
            worker.has_finished = True

    def _report_end(self, worker: _Worker) -> None:
        """If the worker ended during a test, report this test as failed, and start a worker for the remaining files."""
        del self._workers[worker.connection]
        worker.connection.close()
        status = os.waitstatus_to_exitcode(os.waitpid(worker.process, 0)[1])
        if worker.has_finished and status == 0:
            return
        if worker.has_finished or not worker.test:
            raise RuntimeError(f"A process that runs tests failed outside of its tests, with exit code {status}.")
        report = pytest.TestReport(*worker.test, {}, "failed", _CRASHED, "call")
        self._session.config.hook.pytest_runtest_logreport(report=report)
        self._fork()

    def _log(self, worker: _Worker, reports: Sequence[dict[str, Any]]) -> None:
        config = self._session.config
        for data in reports:
            report = config.hook.pytest_report_from_serializable(config=config, data=data)
            config.hook.pytest_runtest_logreport(report=report)
        if worker.test:
            nodeid, location = worker.test
            config.hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)

    def _stop_if_asked(self) -> None:
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)

    def _end_workers(self) -> None:
        """Interrupt all running workers, so that each worker ends the programs that it started."""
        for worker in self._workers.values():
            os.kill(worker.process, signal.SIGINT)
        while self._workers:
            worker = self._workers.popitem()[1]
            worker.connection.close()
            os.waitpid(worker.process, 0)


def _by_file(items: Sequence[pytest.Item]) -> Files:
    files: dict[object, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    return [*files.values()]


def _work(session: pytest.Session, files: Files, connection: Connection) -> NoReturn:
    """Run test files until none is left. Then end like every pytest run, but do not print a report."""
    config = session.config
    # If this attribute exists, pytest leaves reports and caches to the process that started this one.
    config.workerinput = {}  # type: ignore[attr-defined]
    _silence(config)
    config.pluginmanager.register(_Reporting(config, connection))
    _capture_separately(config)
    item: pytest.Item | None = None
    for file in _received(files, connection):
        # At the end of each file, only the fixtures of the session are kept, because the next file is not known yet.
        for item, following in zip(file, [*file[1:], session], strict=True):
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    if item:
        _tear_down_session(item)
    connection.send(("end", None))
    pytest.exit("No file is left.", returncode=0)


def _received(files: Files, connection: Connection) -> Iterator[Sequence[pytest.Item]]:
    connection.send(("next", None))
    while (number := connection.recv()) is not None:
        yield files[number]
        connection.send(("next", None))


def _tear_down_session(last: pytest.Item) -> None:
    """Tear down the fixtures of the session. Errors are reported as errors of the last test."""
    state = last.session._setupstate  # noqa: SLF001 - pytest does this only within a test or without a report
    call = pytest.CallInfo.from_call(lambda: state.teardown_exact(None), "teardown")
    last.ihook.pytest_runtest_logreport(report=last.ihook.pytest_runtest_makereport(item=last, call=call))
    last.ihook.pytest_runtest_logfinish(nodeid=last.nodeid, location=last.location)


def _silence(config: pytest.Config) -> None:
    """Print nothing on the terminal except what other plugins print, such as the stack of a test that hangs."""
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(SimpleNamespace(_tw=create_terminal_writer(config, sys.stderr)), "terminalreporter")


def _capture_separately(config: pytest.Config) -> None:
    """Capture output in new files, because the existing files are shared by all processes."""
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()


class _Reporting:
    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self._config = config
        self._connection = connection
        self._reports: list[object] = []

    def pytest_runtest_logstart(self, nodeid: str, location: Location) -> None:
        self._connection.send(("test", (nodeid, location)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self._config.hook
        self._reports.append(hook.pytest_report_to_serializable(config=self._config, report=report))

    def pytest_runtest_logfinish(self) -> None:
        self._connection.send(("reports", self._reports))
        self._reports = []
