from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.signed_in_by_az import signed_in


@pytest.fixture(scope="module", autouse=True)
def somebody_who_is_signed_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with signed_in(tmp_path_factory.mktemp("signed-in")):
        yield
