"""The one kind of failure that a hook tells in words, and the Python that all hooks need."""

from __future__ import annotations

import sys

OLDEST_PYTHON = (3, 9)

# azd also runs hooks with older ones. These get as far as this line, because every hook imports it first.
if sys.version_info[:2] < OLDEST_PYTHON:
    sys.exit(
        "The hooks of this template need Python {}.{} or newer, and azd found {}.{}: https://www.python.org/downloads".format(
            *OLDEST_PYTHON, *sys.version_info
        )
    )


class CannotGoOnError(Exception):
    """A hook ends here. Its text says why and what to run next, and is shown without a traceback."""
