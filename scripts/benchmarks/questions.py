"""Tests whether a simulated model can answer engineers' questions about Azure with only the listed tools."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from scripts.benchmarks.model import Model
from scripts.benchmarks.questions_world import asked_of

MOST_CALLS: Final = 3
MOST_TOKENS: Final = 2500
_FILE: Final = Path(__file__).parents[2] / "tests" / "questions" / "azure.yaml"
_GUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class AskedQuestion:
    """A question, the texts that an answer must or must not contain, and the model's intent and calls."""

    ask: str
    facts: Sequence[str] = ()
    never: Sequence[str] = ()
    # The text with which an answer states that no tool can answer the question.
    cannot: str = ""
    say: str = ""
    learn: str = ""
    calls: Sequence[dict[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def found_by(self) -> str:
        """How the model found its tools: with the question itself, with other words, or by reading a toolset."""
        if self.learn:
            return "learning"
        return "other words" if self.say else "the question"


@dataclass(frozen=True)
class Asked:
    question: AskedQuestion
    model: Model

    @property
    def missing(self) -> list[str]:
        """The expected facts that no answer contains.

        The first answer just lists matching tools, so it counts only if there is no other answer.
        """
        answers = "\n".join(self.model.answers[1:] or self.model.answers)
        facts = [self.question.cannot] if self.question.cannot else self.question.facts
        return [fact for fact in facts if fact not in answers]

    @property
    def leaks(self) -> list[str]:
        return [secret for secret in self.question.never if any(secret in answer for answer in self.model.answers)]

    @property
    def is_answered(self) -> bool:
        is_short = self.model.calls <= MOST_CALLS and self.model.longest_answer_tokens <= MOST_TOKENS
        return is_short and not self.missing and not self.leaks


@cache
def questions() -> Sequence[AskedQuestion]:
    return [AskedQuestion(**one) for one in yaml.safe_load(_FILE.read_text(encoding="utf-8"))]


def measured() -> Sequence[Asked]:
    return asyncio.run(_ask_all())


async def _ask_all() -> Sequence[Asked]:
    return [await asked(question) for question in questions()]


async def asked(question: AskedQuestion) -> Asked:
    """Ask a question in a new fake environment."""
    async with asked_of() as caller:
        model = Model(caller)
        await model.look_around()
        if question.learn:
            await model.learn_all(question.learn)
        else:
            await model.want(question.say or question.ask)
        for call in question.calls:
            [(command, parameters)] = call.items()
            _refuse_unstated_values(model, parameters)
            await model.do(command, **parameters)
        return Asked(question, model)


def _refuse_unstated_values(model: Model, parameters: dict[str, Any]) -> None:
    for number in _GUID.findall(json.dumps(parameters)):
        if not any(number in answer for answer in model.answers):
            raise RuntimeError(f"The model has not read the number {number}.")
