"""Whether a sentence asks to be told something."""

from __future__ import annotations

import pytest

from understanding.questions import asks


@pytest.mark.parametrize(
    "sentence",
    [
        "who has access to prod",
        "hey, quick question: which builds failed?",
        "please show me the locks",
        "can you list the open bugs",
        "could you tell me who broke main",
        "is the shop up?",
        "pods crash again, why?",
        "can I delete that group?",
        "qui a fermé le ticket",
        "peux-tu me montrer les budgets",
        "wer hat Zugriff",
        "¿cuántos errores hay?",
        "my phone buzzes all night, what is firing",
        "quais projetos existem",
    ],
)
def test_a_question_asks(sentence: str) -> None:
    assert asks(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "restart the shop",
        "please delete the old queue",
        "can you merge PR 340",
        "how do I rename a pipeline",
        "get rid of the branch",
        "give Marta read access",
        "comment on ticket 12",
        "crée une branche",
        "lösch den Branch",
        "cierra el bug 88",
        "",
    ],
)
def test_a_demand_does_not(sentence: str) -> None:
    assert not asks(sentence)
