"""The invented Azure OpenAI, asked by OpenAI's own client."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts import environment
from tests.fakes.azure_openai.service import DEPLOYMENT, TOKEN, FakeAzureOpenAI

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]


def client() -> Path:
    """Where the client is, installed if it was not."""
    try:
        return environment.packages("openai-client", "tests/fakes_judged/openai_client/requirements.txt")
    except SystemExit as told:
        pytest.skip(f"OpenAI's client is not here: {told}")


async def asked(fake: FakeAzureOpenAI, *models: str, token: str = TOKEN) -> Any:
    path = os.pathsep.join(map(str, (client(), ROOT)))
    async with fake.serving() as url:
        command = [sys.executable, "-m", "tests.fakes_judged.openai_client", url, token, *models]
        pipe = asyncio.subprocess.PIPE
        known = {"PYTHONPATH": path, "PATH": os.environ["PATH"]}
        process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=known, stdout=pipe, stderr=pipe)
        said, failed = await process.communicate()
    assert process.returncode == 0, failed.decode()[-4000:]
    return json.loads(said)


async def test_its_client_understands_answers_and_failures() -> None:
    troubles = ["", "", "denied", "busy", "filtered", "broken", "cut off", "silenced"]
    told = await asked(FakeAzureOpenAI(troubles=troubles), DEPLOYMENT, "other", *[DEPLOYMENT] * 6)
    assert told == [
        ["ONCE", "stop", 15],
        ["NotFoundError", 404, "DeploymentNotFound", None],
        ["AuthenticationError", 401, "PermissionDenied", None],
        ["RateLimitError", 429, "429", "7"],
        ["BadRequestError", 400, "content_filter", None],
        ["InternalServerError", 500, "InternalServerError", None],
        ["ONCE", "length", 15],
        [None, "content_filter", 15],
    ]
