"""On a laptop, writes the audit log to a file, in batches.

- Records of changes and attempts are on disk before the caller gets a response, together with all earlier records.
- Other records wait for a short time, so that several records are written together.
- If the file cannot be written, records stay in the buffer. When writing works again, each record is written once, in
  order.
- While the buffer is full, new calls are rejected.
"""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path
from typing import Final

from mcp_server.calls.audit import AT_ONCE
from mcp_server.calls.audit import logger as audit

LARGEST_FILE: Final = 10 * 1024 * 1024
MOST_WAITING: Final = 4 * 1024 * 1024
# When the buffer contains this many bytes, it is written immediately.
_BATCH: Final = 64 * 1024
_PAUSE: Final = 0.1  # the number of seconds to wait for more records before writing
_RETRY: Final = 1.0

_logger = logging.getLogger(__name__)


def keep_in(file: Path) -> None:
    """In addition to the log, write audit records to a file, each as a JSON document on its own line."""
    audit.addHandler(AuditFile(file))


class AuditFile(logging.Handler):
    def __init__(self, file: Path, most_waiting: int = MOST_WAITING, largest: int = LARGEST_FILE) -> None:
        super().__init__()
        self._file, self._most, self._largest = file, most_waiting, largest
        # Protects the buffer. `handle` also acquires this lock while writing, so that concurrent records wait.
        self._guard = threading.RLock()
        self.lock = self._guard
        self._waiting = bytearray()
        self._waits, self._ends = threading.Event(), threading.Event()
        self.problem = ""
        threading.Thread(target=self._write_batches, name="audit", daemon=True).start()

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= self._most

    def emit(self, record: logging.LogRecord) -> None:
        if self.is_full:
            return  # while the buffer is full, calls are rejected; the log still contains the record
        self._waiting += record.getMessage().partition(" ")[2].encode() + b"\n"
        if getattr(record, AT_ONCE, True) or len(self._waiting) >= _BATCH:
            self.flush()
        elif not self._waits.is_set():
            self._waits.set()

    def flush(self) -> None:
        """Write the records in the buffer. Records that cannot be written stay in the buffer."""
        with self._guard:
            try:
                self._write_all()
            except OSError as problem:
                self._note(problem.strerror or type(problem).__name__)
            else:
                self._note("")

    def close(self) -> None:
        """Write the remaining records in the buffer, and then accept no more records."""
        self._ends.set()
        self._waits.set()
        self.flush()
        super().close()

    def _write_batches(self) -> None:
        while not self._ends.is_set():
            self._waits.wait()
            self._ends.wait(_RETRY if self.problem else _PAUSE)
            self._waits.clear()
            self.flush()
            if self._waiting:
                self._waits.set()

    def _write_all(self) -> None:
        if not self._waiting:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._rotate()
        opened = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            while self._waiting:
                # If the disk is full, only a part of the buffer may have been written. Keep the part that was not
                # written.
                del self._waiting[: os.write(opened, self._waiting)]
        finally:
            os.close(opened)

    def _rotate(self) -> None:
        size = self._file.stat().st_size if self._file.exists() else 0
        # Do not start a new file after a failed write, because the last line of this file may be incomplete.
        if size + len(self._waiting) > self._largest and not self.problem:
            self._file.replace(self._file.with_name(f"{self._file.name}.1"))

    def _note(self, problem: str) -> None:
        if problem and not self.problem:
            _logger.error("The audit file %s cannot be written: %s. New records stay in memory.", self._file, problem)
        self.problem = problem
