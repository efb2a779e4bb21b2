"""Runs Azurite, the emulator of Azure Storage."""

import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from local_host.process import stop

VERSION = "3.35.0"  # the last version that supports Node.js 20
OLDEST_NODE = 20

_SECONDS_TO_START = 30
_OPTIONS = ("--silent", "--disableTelemetry", "--skipApiVersionCheck", "--loose")
_FREE_PORTS = ("--blobPort", "0", "--queuePort", "0", "--tablePort", "0")

# This code sends SIGTERM to Azurite when its standard input ends, so that Azurite does not outlive a killed script.
_STOP_WITH_STDIN = "process.stdin.resume().on('end', () => process.emit('SIGTERM')); require(process.argv[1])"

# Azurite's documented default account.
_ACCOUNT = "devstoreaccount1"
_ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@contextmanager
def running(
    package: Path, environment: Mapping[str, str], data: Path, certificate: Path | None = None
) -> Iterator[str]:
    """Run Azurite on free ports, and yield its connection string.

    If `certificate` is given, Azurite uses https and accepts Entra tokens. The file also contains the private key.
    """
    secured = ("--cert", str(certificate), "--key", str(certificate), "--oauth", "basic") if certificate else ()
    node = shutil.which("node", path=environment["PATH"]) or "node"
    program = [node, "-e", _STOP_WITH_STDIN, "--", str(package / "dist/src/azurite.js")]
    data.mkdir(parents=True, exist_ok=True)
    log = data / "azurite.log"
    with (
        _only_user_of(data),
        log.open("wb") as output,
        subprocess.Popen(
            [*program, *_OPTIONS, *_FREE_PORTS, *secured, "--location", str(data)],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,  # ignores Ctrl-C, because the app stops first and may still be writing
        ) as process,
    ):
        try:
            yield _connection_string(_endpoints(process, log))
        finally:
            stop(process)


@contextmanager
def _only_user_of(data: Path) -> Iterator[None]:
    """Lock the folder during this block. Two Azurite processes in one folder would overwrite each other's data."""
    with closing(sqlite3.connect(data / "in-use.lock", timeout=0, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            sys.exit(f"Another Azurite is using {data}: stop it first.")
        yield


def _endpoints(process: subprocess.Popen[bytes], log: Path) -> dict[str, str]:
    """Parse the URL of each service from Azurite's log."""
    end = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < end and process.poll() is None:
        text = log.read_text(encoding="utf-8")
        found = dict(re.findall(r"Azurite (\w+) service is successfully listening at (https?://\S+)\n", text))
        if len(found) == 3:
            return found
        time.sleep(0.05)
    sys.exit(f"Azurite did not start: see {log}.")


def _connection_string(endpoints: Mapping[str, str]) -> str:
    scheme = endpoints["Blob"].partition(":")[0]
    account = f"DefaultEndpointsProtocol={scheme};AccountName={_ACCOUNT};AccountKey={_ACCOUNT_KEY};"
    return account + "".join(f"{service}Endpoint={url}/{_ACCOUNT};" for service, url in endpoints.items())
