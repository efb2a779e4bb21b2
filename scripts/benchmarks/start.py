"""Measures the instructions, modules and memory of each startup step, and compares them with the budget."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
BUDGET: Final = Path(__file__).with_name("start_budget.json")
# A step may exceed its budget by this fraction of the budget.
ALLOWED: Final = 0.03
REFERENCE: Final = "`import mcp.server` alone"
_UPDATES: Final = 10_000
_MILLION: Final = 1_000_000

_ASKING: Final = """
import asyncio, json, function_app, azure.functions as func
from types import SimpleNamespace as Given

headers = {"host": "localhost:7071", "content-type": "application/json", "accept": "application/json"}
send = function_app.mcp.build().get_user_function()

async def ask(*messages):
    for at, (method, params) in enumerate(messages):
        body = json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": params}).encode()
        request = func.HttpRequest("POST", "http://localhost:7071/mcp", headers=headers, body=body)
        answer = await send(request, Given(invocation_id="1", trace_context=Given(trace_parent="")))
        assert answer.status_code == 200, answer.get_body()
        assert "result" in json.loads(answer.get_body()), answer.get_body()

LIST = ("tools/list", {})
AZURE = ("tools/call", {"name": "azure", "arguments": {"intent": "list my builds"}})
SEARCH = ("tools/call", {"name": "search_azure_updates", "arguments": {"query": "kubernetes"}})
"""
STEPS: Final[Mapping[str, str]] = {
    REFERENCE: "import mcp.server",
    "`import azure.functions`": "import azure.functions",
    "`import function_app`": "import function_app",
    "the first `tools/list`": f"{_ASKING}asyncio.run(ask(LIST))",
    "`tools/list`, then the first request in plain words": f"{_ASKING}asyncio.run(ask(LIST, AZURE))",
    "`tools/list`, then the first search for updates": f"{_ASKING}asyncio.run(ask(LIST, SEARCH))",
}
_MODULES_AND_MEMORY: Final = """
import json, pathlib, re, sys
# Not what getrusage tells, which a new process inherits from the one that started it.
most = int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
print(json.dumps({"modules": len(sys.modules), "memory": most // 1024}))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    # Counted by Valgrind. The number of instructions hardly varies between runs, even on a busy machine.
    instructions: int
    modules: int
    # The peak memory in MB.
    memory: int


def measured() -> dict[str, Cost]:
    if shutil.which("valgrind") is None:
        raise SystemExit(
            "Counting instructions requires Valgrind. Install Valgrind with: sudo apt-get install valgrind"
        )
    with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as at_once:
        # Create the updates index for the search that is measured.
        run([sys.executable, "-m", "scripts.benchmarks.updates_folder", str(_UPDATES), folder])
        # Run each step once without counting. The first run also compiles the imported modules.
        plain = {step: at_once.submit(_modules_and_memory, code, folder) for step, code in STEPS.items()}
        others = {step: running.result() for step, running in plain.items()}
        counting = {step: at_once.submit(instructions, code, folder) for step, code in STEPS.items()}
        return {step: Cost(running.result(), **others[step]) for step, running in counting.items()}


def _modules_and_memory(code: str, folder: str) -> Any:
    return json.loads(run([sys.executable, "-c", code + _MODULES_AND_MEMORY], folder).stdout.splitlines()[-1])


def instructions(code: str, folder: str = "") -> int:
    counting = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, "-c", code]
    found = re.search(r"Collected : (\d+)", run(counting, folder).stderr)
    if found is None:
        raise SystemExit("Valgrind's output has no instruction count.")
    return int(found[1])


def run(command: list[str], folder: str = "") -> subprocess.CompletedProcess[str]:
    variables = {
        **os.environ,
        "AZURE_FUNCTIONS_ENVIRONMENT": "Development",
        "STORAGE_FOLDER": folder,
        # Makes the iteration order of sets the same in every run.
        "PYTHONHASHSEED": "0",
        # Lets Python write bytecode, because the deployed code is compiled, too.
        "PYTHONDONTWRITEBYTECODE": "",
    }
    return subprocess.run(command, cwd=ROOT, env=variables, check=True, capture_output=True, text=True)


def section() -> str:
    print("measuring the steps of a start ...", flush=True)
    costs = measured()
    rows = "".join(
        f"| {step} | {cost.instructions / _MILLION:,.0f} | {ratio:.3f} | {cost.modules} | {cost.memory} MB |\n"
        for (step, cost), ratio in zip(costs.items(), ratios(costs).values(), strict=True)
    )
    return f"""## Cost of a start

Each row shows a new process, from its start until the step is done: the import, or the answer to the request.
`function_app` is our app's main module. `scripts/bench start --check` compares the ratios with the limits in
`scripts/benchmarks/start_budget.json`.

| step | million instructions | ratio | imported modules | peak memory |
|---|---|---|---|---|
{rows}"""


def ratios(costs: Mapping[str, Cost]) -> dict[str, float]:
    """Divide each step's number of instructions by that of the reference, so that results from different machines are
    comparable.
    """
    return {step: cost.instructions / costs[REFERENCE].instructions for step, cost in costs.items()}


def check() -> int:
    """Check each step against its budget. Return 1 if a step exceeds its budget."""
    found = ratios(measured())
    over = list(exceeding(found, json.loads(BUDGET.read_text(encoding="utf-8"))["ratios"]))
    print("\n".join(f"{step}: {ratio:.3f}" for step, ratio in found.items()))
    print("\n".join(over) or "Every step is within its budget.")
    return 1 if over else 0


def exceeding(found: Mapping[str, float], budget: Mapping[str, float]) -> Iterator[str]:
    for step, ratio in found.items():
        allowed = budget.get(step, 0.0)
        if ratio > allowed * (1 + ALLOWED):
            yield (
                f"{step} takes {ratio:.3f} times as long as importing the SDK; the budget is {allowed:.3f}. Reduce the"
                f" step's instructions, or state the reason: scripts/bench start --accept 'why it takes more'"
            )


def accept(why: str) -> None:
    """Save the current measurements as the budget, with the reason."""
    agreed = json.loads(BUDGET.read_text(encoding="utf-8")) if BUDGET.exists() else {"why": []}
    found = {step: round(ratio, 3) for step, ratio in ratios(measured()).items()}
    line = f"{datetime.now(UTC):%Y-%m-%d}: {why}"
    budget = {"ratios": found, "why": [*agreed["why"], line]}
    BUDGET.write_text(json.dumps(budget, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"wrote {BUDGET}")
