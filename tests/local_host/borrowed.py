"""A virtual environment that needs no network, because it borrows the packages of the one that the tests run in."""

from __future__ import annotations

import sysconfig
import venv
from pathlib import Path


def add_venv(project: Path, name: str = ".venv") -> None:
    venv.EnvBuilder(with_pip=False, symlinks=True).create(project / name)
    (packages,) = (project / name).glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
