from __future__ import annotations

import pytest

from bicep_checker.resource_types import ResourceTypes


@pytest.fixture(scope="session")
def resource_types() -> ResourceTypes:
    return ResourceTypes()
