from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def on_a_laptop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An app that a test builds in this process is a developer's, as it is under the local host.

    Whether the developer who runs the tests is signed in to Azure makes no difference: here nobody is.
    """
    nobody = str(tmp_path_factory.mktemp("signed-in"))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AZURE_FUNCTIONS_ENVIRONMENT", "Development")
        for variable in ("AZURE_CONFIG_DIR", "AZD_CONFIG_DIR"):
            environment.setenv(variable, nobody)
        yield
