"""The failure that hooks report to people, and the check of the Python version."""

from __future__ import annotations

import sys

OLDEST_PYTHON = (3, 9)

# azd may run hooks with older versions. They get as far as this line, because every hook imports it first.
if sys.version_info[:2] < OLDEST_PYTHON:
    sys.exit(
        "The hooks of this template need Python {}.{} or newer, and azd found {}.{}: https://www.python.org/downloads".format(
            *OLDEST_PYTHON, *sys.version_info
        )
    )


class CannotGoOnError(Exception):
    """Ends a hook. Its message says why and what to run next, and is shown without a traceback."""
