"""What the start of a process settles for all that it does later."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
READING = """
import cold_start
import gc
from firewall.addition import text_with
from firewall.rule import FirewallRule as Rule
line = "- {{team: a, source: 10.1.{}.{}, destination: 52.1.2.3, port: 1}}\\n"
rules = "".join(line.format(n // 250, n % 250) for n in range(1500))
rule = Rule("a", "10.0.0.0/24", "52.1.2.3")
cold_start.finish()
before = gc.get_stats()
assert text_with([rule], "rules:\\n" + rules).added == 1
print(*(after["collections"] - there["collections"] for after, there in zip(gc.get_stats(), before)))
"""


def test_the_collector_does_not_look_through_a_large_request_again_and_again() -> None:
    run = subprocess.run([sys.executable, "-c", READING], cwd=ROOT, capture_output=True, text=True, check=True)
    young, older, all_there_are = map(int, run.stdout.split())
    assert 0 < young < 50
    assert older < 10
    assert all_there_are == 0
