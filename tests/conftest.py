from __future__ import annotations

import faulthandler
import gc
import signal
from collections.abc import Generator, Iterator
from typing import Final

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

from tests.sweeps import examples

_SECONDS_BETWEEN_FAILURES: Final = 5.0
# The process is ended between two failures: while a failure is raised, the stack cannot be read.
_INTERVALS_OF_FAILURES: Final = 4.5


def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("hypothesispytest"):
        from hypothesis import settings  # noqa: PLC0415 - older versions of Python run tests without it

        settings.register_profile("share", settings(), max_examples=examples(100), deadline=None)
        settings.load_profile("share")


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, and collect less often: it took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that hangs again and again until it ends: the first failure may end only a task that it started.

    If it catches even these, its process is ended, which the run names.
    """
    is_set = yield
    if hasattr(signal, "setitimer") and (seconds := signal.getitimer(signal.ITIMER_REAL)[0]):
        interval = min(seconds, _SECONDS_BETWEEN_FAILURES)
        signal.setitimer(signal.ITIMER_REAL, seconds, interval)
        file = item.config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(seconds + _INTERVALS_OF_FAILURES * interval, file=file, exit=True)
    return is_set


@pytest.hookimpl(wrapper=True)
def pytest_timeout_cancel_timer() -> Generator[None, object, object]:
    faulthandler.cancel_dump_traceback_later()
    return (yield)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def on_a_laptop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An app that a test builds in this process is a developer's, as it is under the local host.

    Whether the developer who runs the tests is signed in to Azure makes no difference: here nobody is.
    """
    nobody = str(tmp_path_factory.mktemp("signed-in"))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AZURE_FUNCTIONS_ENVIRONMENT", "Development")
        for variable in ("AZURE_CONFIG_DIR", "AZD_CONFIG_DIR"):
            environment.setenv(variable, nobody)
        yield
