"""The fixed requirements for the deployment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
TOP: Final = "function_app.py host.json tools infra tests requirements.txt azure.yaml".split()
PACKAGES: Final = """
    azure-functions mcp pydantic pyyaml azure-identity azure-data-tables azure-storage-blob
""".split()


@pytest.mark.parametrize("name", TOP)
def test_deployment_top_level(name: str) -> None:
    assert (ROOT / name).exists()


@pytest.mark.parametrize("package", PACKAGES)
def test_deployment_packages(package: str) -> None:
    names = re.findall(r"^[\w.-]+(?===)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert package in [name.lower() for name in names]
