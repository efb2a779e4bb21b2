"""Parses arguments and handles errors for all scripts."""

from __future__ import annotations

import argparse
import errno
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

_ROOT = Path(__file__).resolve().parent.parent
_UNWRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC}
_STOPPED = 130


def parser(about: str | None) -> argparse.ArgumentParser:
    """Return the argument parser of the running script, with this description."""
    return argparse.ArgumentParser(f"scripts/{Path(sys.argv[0]).name}", description=about)


def run(main: Callable[[], int | None]) -> NoReturn:
    """Run a script. Ctrl-C and a read-only checkout end the script with a one-line message."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(_STOPPED)
    except OSError as problem:
        if problem.errno not in _UNWRITABLE:
            raise
        sys.exit(
            f"{problem.filename} is not writable ({problem.strerror}). Scripts store their files in {_ROOT}, so"
            f" this folder must be writable."
        )
