"""What docs/rest.md shows works as it stands."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.offline import offline
from tests.warm.app import serving

ROOT = Path(__file__).parent.parent
_SECONDS = 60


def test_its_commands_run(tmp_path: Path) -> None:
    shell, curl = shutil.which("bash"), shutil.which("curl")
    if not (shell and curl):
        pytest.skip("There is no bash or no curl here")
    text = (ROOT / "docs" / "rest.md").read_text(encoding="utf-8")
    commands = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
    with serving(ROOT, settings=offline(tmp_path / "storage") | {"RESOURCES_FOLDER": str(tmp_path / "shelf")}) as url:
        ran = subprocess.run(
            [shell, "-euo", "pipefail", "-c", commands.replace("http://127.0.0.1:7071", url)],
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert '"isError":false' in ran.stdout
    assert "Nothing was done yet" in ran.stdout
    assert (tmp_path / "shelf" / "runs" / "42.md").read_text() == "# Run 42, again"
