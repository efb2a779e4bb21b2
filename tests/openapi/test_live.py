"""The document against the server that gave it, by a judge that calls what it describes with whatever fits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.offline import offline
from tests.openapi.judges import ROOT, judged_by
from tests.warm.app import serving

pytestmark = pytest.mark.timeout(300)

# Of each tool so many calls; by night more of them, and one for each rule of its schema.
EXAMPLES = os.environ.get("FUZZ_OPENAPI", "2")
PHASES, VERSIONS = (
    ("examples,coverage,fuzzing", ["3.1", "3.0", "2.0"]) if "FUZZ_OPENAPI" in os.environ else ("fuzzing", ["3.1"])
)
# Not that whatever differs from a schema is rejected: a null stands for what is left out, because many clients send it.
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_operation_answers_as_it_is_described(version: str, tmp_path: Path) -> None:
    settings = offline(tmp_path / "storage") | {"RESOURCES_FOLDER": str(tmp_path / "shelf")}
    with serving(ROOT, settings=settings) as url:
        address = f"{url}/openapi.json?version={version}"
        told = ["--checks", CHECKS, "--phases", PHASES, "--max-examples", EXAMPLES, "--no-color", "--seed", "1"]
        judged = judged_by("schemathesis.cli", "run", address, *told, folder=tmp_path)
    assert judged.returncode == 0, judged.stdout[-6000:] + judged.stderr[-2000:]
