from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def on_a_laptop() -> Iterator[None]:
    """An app that a test builds in this process is a developer's, as it is under the local host."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AZURE_FUNCTIONS_ENVIRONMENT", "Development")
        yield
