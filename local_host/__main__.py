"""Serve a Functions app on this machine: `python -m local_host [APP_FOLDER]`."""

from __future__ import annotations

import argparse
import socket
import sys
import traceback
from functools import partial
from pathlib import Path

from local_host.cannot_start import CannotStartError, missing
from local_host.settings import AppFolder
from local_host.stopping import STOP_WITH_STDIN, on_stop_signal, treat_end_of_stdin_as_signal
from local_host.watch import watch

_SETTINGS = (
    "Functions that require a key accept all requests if LOCAL_HOST_KEYS is not set. If LOCAL_HOST_KEYS contains keys,"
    " separated by commas, requests must send one of these keys in the x-functions-key header. Queue functions run if"
    " the setting for their connection, for example AzureWebJobsStorage, contains a connection string. If"
    " the host is killed, the messages that it was processing become visible again after ten minutes, or after the"
    " number of seconds in LOCAL_HOST_QUEUE_SECONDS_UNSEEN."
)


def main() -> int:
    on_stop_signal(partial(sys.exit, 0))
    options = _options()
    if options.stop_with_stdin:
        treat_end_of_stdin_as_signal()
    try:
        _watch(options) if options.watch else _serve(options)
    except CannotStartError as error:
        print(error, file=sys.stderr)
        if error.__cause__:
            traceback.print_exception(error.__cause__)
        return 1
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m local_host", description=__doc__, epilog=_SETTINGS)
    parser.add_argument(
        "app", type=Path, nargs="?", default=Path(), help="folder of the app (default: the current folder)"
    )
    parser.add_argument(
        "--port", type=_port, default=7071, help="port to listen on; 0 picks a free port (default: 7071)"
    )
    parser.add_argument("--address", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--watch", action="store_true", help="restart when one of the app's files changes")
    parser.add_argument("--log-requests", action="store_true", help="log a line for each request")
    parser.add_argument("--quiet", action="store_true", help="print only the URL, and log only warnings and errors")
    parser.add_argument(STOP_WITH_STDIN, action="store_true", help="stop when standard input ends")
    return parser.parse_args()


def _port(text: str) -> int:
    if not 0 <= int(text) <= 65535:
        raise ValueError(text)
    return int(text)


def _serve(options: argparse.Namespace) -> None:
    # This import is inside the function, because with --watch the parent process does not need the module.
    try:
        from local_host.server import serve  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise missing(error.name or str(error)) from None
    app = AppFolder(options.app.resolve())
    serve(app, options.address, options.port, log_requests=options.log_requests, quiet=options.quiet)


def _watch(options: argparse.Namespace) -> None:
    arguments = ["--port", str(options.port or _free_port(options.address)), "--address", options.address]
    if options.log_requests:
        arguments.append("--log-requests")
    if options.quiet:
        arguments.append("--quiet")
    watch(options.app.resolve(), arguments)


def _free_port(address: str) -> int:
    """If the port is 0, choose a free port before the app starts, so that the URL stays the same after a restart of the
    app.
    """
    with socket.socket() as free:
        free.bind((address, 0))
        port: int = free.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
