"""Compares how long two operations on a large firewall rules file take: adding a rule, and only parsing the file as
YAML.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import yaml

from firewall.document import add_rules
from firewall.rule import FirewallRule
from shifts import SHIFTS

RULES = 1000
ROUNDS = 15


def measured() -> dict[str, float]:
    """Measure the subjects in alternating rounds, and return the median seconds of each subject."""
    text = "rules:\n" + "".join(
        f"  - team: team-{number}\n    source: 10.{number // 250}.{number % 250}.0/24\n    destination: 52.1.2.3\n"
        for number in range(RULES)
    )
    rule = FirewallRule("payments", "10.0.0.1", "10.0.0.2")
    subjects: dict[str, Callable[[], object]] = {
        "reading the file with PyYAML": lambda: yaml.load(text, yaml.CSafeLoader),
        "adding a rule": lambda: add_rules(text, rule),
        "adding a rule, with pauses for other requests": lambda: SHIFTS.do(add_rules, text, rule),
    }
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(ROUNDS):
        for name, subject in subjects.items():
            start = time.perf_counter()
            subject()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}
