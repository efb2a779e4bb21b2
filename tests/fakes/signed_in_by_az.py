"""Somebody who is signed in to Azure on this machine, by an `az` that has one token for whoever asks."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.azure.people import HOME, OWNER

_AZ: Final = """#!/bin/sh
exec cat "{token}"
"""
_SECONDS_OF_A_TOKEN: Final = 3600


@contextmanager
def signed_in(folder: Path) -> Iterator[None]:
    """As somebody is to Azure on a laptop: by `az`, which says what it is asked for."""
    until = int(time.time()) + _SECONDS_OF_A_TOKEN
    token: dict[str, Any] = {
        "accessToken": OWNER.token_for(seconds=_SECONDS_OF_A_TOKEN),
        "expiresOn": f"{datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M:%S.%f}",
        "expires_on": until,
        "tenant": HOME,
        "tokenType": "Bearer",
    }
    (folder / "token.json").write_text(json.dumps(token), encoding="utf-8")
    profile = {"subscriptions": [{"id": "invented"}]}
    (folder / "azureProfile.json").write_text(json.dumps(profile), encoding="utf-8-sig")
    (folder / "az").write_text(_AZ.format(token=folder / "token.json"), encoding="utf-8")
    (folder / "az").chmod(0o700)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AZURE_CONFIG_DIR", str(folder))
        environment.setenv("PATH", f"{folder}{os.pathsep}{os.environ.get('PATH', '')}")
        yield
