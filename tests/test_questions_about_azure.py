"""Fifty questions of engineers about Azure, and how few calls and tokens answer them."""

from __future__ import annotations

from typing import Final

import pytest

from scripts.benchmarks.questions import MOST_CALLS, MOST_TOKENS, AskedQuestion, asked, questions

NUMBER: Final = 50
# The most tokens of all that is sent and read for one, a little above what is reached.
TOKENS: Final = 1500
# So many are found by the question itself; for the others a model needs words of its own, or learns a toolset.
FOUND_BY_QUESTION: Final = 20


@pytest.mark.parametrize("question", questions(), ids=lambda question: question.ask)
async def test_a_question_is_answered_within_its_bounds(question: AskedQuestion) -> None:
    found = await asked(question)
    assert not found.missing
    assert not found.leaks
    assert found.model.calls <= MOST_CALLS
    assert found.model.longest_answer_tokens <= MOST_TOKENS
    assert found.model.tokens <= (MOST_TOKENS + TOKENS if question.learn else TOKENS)


def test_most_questions_find_their_tools_by_their_own_words() -> None:
    assert len(questions()) == NUMBER
    assert sum(question.found_by == "the question" for question in questions()) >= FOUND_BY_QUESTION
