"""What the app imports when it starts, before anybody calls a tool of Azure DevOps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
DECLARED: Final = {
    "clients.azure_devops",
    "clients.azure_devops.failure_names",
    "clients.azure_devops.reach",
    "tools.azure_devops",
    "tools.azure_devops.access",
    "tools.azure_devops.settings",
    "tools.azure_devops.provider",
}


def test_a_start_imports_what_is_said_of_azure_devops_and_nothing_that_calls_it() -> None:
    code = "import sys, composition; print(*(name for name in sys.modules if 'azure_devops' in name))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(loaded.stdout.split()) == DECLARED
