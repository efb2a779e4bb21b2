"""Defines the error that stops a hook, and checks the Python version."""

from __future__ import annotations

import sys

OLDEST_PYTHON = (3, 9)

# All hooks import this module first, so old versions of Python stop here with a readable message.
if sys.version_info[:2] < OLDEST_PYTHON:
    sys.exit(
        "The hooks of this template need Python {}.{} or newer, but azd found {}.{}: https://www.python.org/downloads".format(
            *OLDEST_PYTHON, *sys.version_info
        )
    )


class CannotGoOnError(Exception):
    """Stops a hook. The message contains the reason and the next command, and is shown without a traceback."""
