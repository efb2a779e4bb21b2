"""Both of PyYAML's parsers, for tests that must hold with either."""

import pytest
import yaml


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read YAML with libyaml, then as where PyYAML was built without it."""
    if request.param == "python":
        monkeypatch.delattr(yaml, "CSafeLoader")
    return str(request.param)
