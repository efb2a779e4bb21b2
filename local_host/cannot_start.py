"""The error that is shown to the person who starts the host."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_REQUIREMENTS = Path(__file__).parent.parent / "requirements.txt"


class CannotStartError(Exception):
    """The app cannot be served.

    The error message contains the reason and the fix, and is shown without a traceback.
    """


def missing(module: str) -> CannotStartError:
    """An error that contains the name of the missing package and the command to install the package."""
    package = module.partition(".")[0].replace("_", "-")
    arguments = f"-r {_REQUIREMENTS}"
    if package == "azure-functions-runtime":
        # This package declares Python 3.13 as its minimum version, but also works with older versions. On older
        # versions, requirements.txt omits the package.
        arguments = f"--no-deps --ignore-requires-python {_pinned(package)}"
    return CannotStartError(
        f"The package {package} is missing: `scripts/serve` installs all packages and serves the app."
        f" To install this package into the current environment, run `{sys.executable} -m pip install {arguments}`."
    )


def _pinned(package: str) -> str:
    lines = _REQUIREMENTS.read_text(encoding="utf-8") if _REQUIREMENTS.is_file() else ""
    found = re.search(rf"^{package}==[\w.]+", lines, re.MULTILINE)
    return found[0] if found else package
