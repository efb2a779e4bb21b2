"""The interpreter that has imported pytest, for tests of how tests are run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.warm import WarmPython

_ROOT: Final = Path(__file__).parents[2]
# Plugins are not among them, because pytest rewrites their assertions when it imports them.
_PARTS: Final = ("doctest", "faulthandler", "junitxml", "pastebin", "terminal", "unittest")
_WARM: Final = WarmPython("pytest", *(f"_pytest.{part}" for part in _PARTS), "multiprocessing.connection", "unittest")
_QUICK: Final = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")


def pytest_run(*options: str, variables: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run pytest in the folder of the project, without the plugin that takes the longest to import."""
    return _WARM.run([sys.executable, "-m", "pytest", *_QUICK, *options], cwd=_ROOT, env=variables)
