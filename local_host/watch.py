"""Serves an app in a child process, and restarts it when one of the app's files changes."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from local_host.process import start
from local_host.stopping import exit_if_stopped

_INTERVAL = 0.5
_NAMES = {"host.json", "local.settings.json"}


def watch(folder: Path, arguments: Sequence[str]) -> None:
    """Run `python -m local_host` with these arguments, until a signal ends this process.

    A signal raises `SystemExit`, and the end of the block stops the child. A signal must not set an `Event`, because
    the interrupted code may hold the lock of this event. Python may ignore the exception, so the loop also checks.
    """
    while True:
        before = state(folder)
        with start(folder, arguments) as child:
            while state(folder) == before:
                exit_if_stopped()
                time.sleep(_INTERVAL)
            child.communicate()
        print("A file changed: restarting.", flush=True)


def state(folder: Path) -> dict[str, int]:
    """The modification times of the files that affect the app."""
    written = {}
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_foreign(Path(parent, name))]
        for name in files:
            if name.endswith(".py") or name in _NAMES:
                file = Path(parent, name)
                written[str(file)] = file.stat().st_mtime_ns if file.exists() else 0
    return written


def _is_foreign(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name == "node_modules" or (folder / "pyvenv.cfg").exists()
