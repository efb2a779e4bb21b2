"""The template as Bicep's own compiler reads it, on a machine that has one."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tests.infra.deployed import INFRA

COMPILER = shutil.which(os.environ.get("BICEP", "bicep"))


@pytest.mark.skipif(
    COMPILER is None, reason="no Bicep compiler here (BICEP names one): only the offline check has read it"
)
def test_the_compiler_has_nothing_to_say() -> None:
    command = [COMPILER or "", "build", "--stdout", str(INFRA / "main.bicep")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
