"""What is secret is not shown, wherever in a record it is."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tools.azure_devops.shared.withheld import without_secrets

SECRET = "s3cret"  # noqa: S105 - which nobody may see
SECRETS = st.sampled_from(
    [
        {"isSecret": True, "value": SECRET},
        {"value": SECRET, "isSecret": True, "enabled": True},
        {"authorization": {"scheme": "Token", "parameters": {"apitoken": SECRET}}},
        {"authorization": {"parameters": {"password": SECRET}, "more": [SECRET]}},
    ]
)
RECORDS = st.recursive(
    st.none() | st.integers() | st.text() | SECRETS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(RECORDS)
def test_no_secret_is_left_in_a_record(record: Any) -> None:
    assert SECRET not in json.dumps(without_secrets(record))


def test_what_is_no_secret_stays() -> None:
    record = {"variables": [{"value": "fast", "isSecret": False}], "authorization": {"scheme": "Token"}, "x": None}
    assert without_secrets(record) == record
