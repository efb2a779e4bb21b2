"""Prints the peak memory, in bytes, of a process that serves the operations index from a given file."""

from __future__ import annotations

import sys
from pathlib import Path

from azure_operations.index import OperationsIndex
from composition import APP
from scripts.benchmarks.updates_memory import most_resident

if __name__ == "__main__":
    _ = APP.endpoint
    index = OperationsIndex.open(Path(sys.argv[1]).read_bytes())
    for words in ("vm", "slots of a web app", "firewall rules of a sql server"):
        index.find(words, 10)
    print(most_resident())
