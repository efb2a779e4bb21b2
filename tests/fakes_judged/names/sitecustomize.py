"""Lets whatever Python is started with this on its path find names that end with `.localhost` on this machine."""

import socket
from typing import Any

_find = socket.getaddrinfo


def _find_here(host: Any, *arguments: Any, **options: Any) -> Any:
    is_here = isinstance(host, str) and host.endswith(".localhost")
    return _find("127.0.0.1" if is_here else host, *arguments, **options)


socket.getaddrinfo = _find_here
