"""Measures the time from the start of a process to its first answer, compared with only importing the SDK."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ROUNDS = 9

SUBJECTS = {
    "`import mcp.server` alone": "import mcp.server",
    "our app, up to its first `tools/list` answer": (
        "import asyncio, function_app, azure.functions as func\n"
        "from types import SimpleNamespace as Given\n"
        "headers = {'host': 'localhost:7071', 'content-type': 'application/json', 'accept': 'application/json'}\n"
        'body = b\'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\'\n'
        "request = func.HttpRequest('POST', 'http://localhost:7071/mcp', headers=headers, body=body)\n"
        "context = Given(invocation_id='1', trace_context=Given(trace_parent=''))\n"
        "answer = asyncio.run(function_app.mcp.build().get_user_function()(request, context))\n"
        "assert answer.status_code == 200, answer.get_body()\n"
    ),
}


def measured() -> dict[str, float]:
    """Return the median time in seconds of each subject. Rounds alternate between the subjects."""
    # Run each subject once before measuring, because the first start after a change also compiles the code.
    for code in SUBJECTS.values():
        _started(code)
    seconds: dict[str, list[float]] = {name: [] for name in SUBJECTS}
    for _ in range(ROUNDS):
        for name, code in SUBJECTS.items():
            start = time.perf_counter()
            _started(code)
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def _started(code: str) -> None:
    variables = {**os.environ, "AZURE_FUNCTIONS_ENVIRONMENT": "Development", "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=variables, check=True)
