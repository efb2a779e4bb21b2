"""Folders for storage that each test has to itself. They are removed when the process ends."""

from __future__ import annotations

import atexit
import os
import shutil
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

_NUMBERS: Final = count()


def new_folder() -> Path:
    """A folder that does not exist yet: storage creates it on first use, which most tests never reach."""
    return _parent(os.getpid()) / str(next(_NUMBERS))


@cache
def _parent(_process: int) -> Path:
    """One for each process: a process that is forked after the first call shares nothing with the others."""
    folder = Path(mkdtemp(prefix="azure-team-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
