"""The budget of a start: what a step may cost more than was agreed, and that every step has one."""

from __future__ import annotations

import json
import sys

import pytest

from scripts.benchmarks import start

AGREED = {"the start": 0.5}


@pytest.mark.parametrize("ratio", [0.2, 0.5, 0.514])
def test_a_little_more_is_noise(ratio: float) -> None:
    assert list(start.exceeding({"the start": ratio}, AGREED)) == []


@pytest.mark.parametrize(
    "found", [{"the start": 0.516}, {"the start": 0.5, "a new step": 0.1}], ids=["too much", "never agreed"]
)
def test_more_needs_a_line_that_says_why(found: dict[str, float]) -> None:
    [told] = start.exceeding(found, AGREED)
    assert "scripts/bench start --accept" in told


def test_every_step_has_its_budget_and_every_budget_its_reason() -> None:
    agreed = json.loads(start.BUDGET.read_text(encoding="utf-8"))
    assert {*agreed["ratios"]} == {*start.STEPS}
    assert agreed["why"]


def test_a_first_intent_loads_no_pydantic() -> None:
    code = (
        start.STEPS["`tools/list`, then the first request in plain words"]
        + "\nimport sys; print('pydantic' in sys.modules)"
    )
    assert start.run([sys.executable, "-c", code]).stdout.split() == ["False"]
