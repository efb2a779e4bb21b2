"""What was learned is from the examples that are written down, and no sentence breaks it or takes long."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.examples import digest_of, read_examples
from tools import TOOLSETS
from tools.vocabulary import VOCABULARY
from understanding.features import buckets_of, said, words_of
from understanding.learned import NOTHING, Learned, learned_from
from understanding.vectors import dot
from understanding.word_table import word_table

_FEWEST = 10


@pytest.fixture(scope="module")
def learned() -> Learned:
    assert VOCABULARY.learned
    return learned_from(VOCABULARY.learned)


def test_it_was_learned_from_the_examples_as_they_are_now(learned: Learned) -> None:
    assert learned.digest == digest_of(), "run scripts/understanding, and commit what it wrote"
    assert list(read_examples()) == list(learned.labels)


def test_each_tool_and_nothing_else_has_examples() -> None:
    tools = {f"{tool.toolset}/{tool.name}" for toolset in TOOLSETS for tool in toolset.tools}
    examples = read_examples()
    assert examples.keys() == tools | {NOTHING}
    assert not [label for label, sentences in examples.items() if len(sentences) < _FEWEST]


def test_no_sentence_is_an_example_of_the_same_tool_twice() -> None:
    for label, sentences in read_examples().items():
        counted = Counter(" ".join(sentence.lower().split()) for sentence in sentences)
        assert not [sentence for sentence, count in counted.items() if count > 1], label


def test_the_digest_changes_with_any_example(tmp_path: Path) -> None:
    (tmp_path / "garden.yaml").write_text("dig_bed:\n- dig a bed\n", encoding="utf-8")
    before = digest_of(tmp_path)
    (tmp_path / "garden.yaml").write_text("dig_bed:\n- dig the bed\n", encoding="utf-8")
    assert digest_of(tmp_path) != before


@given(st.text(max_size=2000))
def test_all_labels_together_are_certain_whatever_is_said(learned: Learned, sentence: str) -> None:
    probable = learned.probabilities(sentence)
    assert sum(probable.values()) == pytest.approx(1)
    assert probable == learned.probabilities(sentence)


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    text = "list my bugs " * 100_000
    assert len(buckets_of(words_of(said(text)))) < 200


def test_words_that_mean_something_similar_point_the_same_way() -> None:
    reboot, restart, page = (word_table().vector([word]) for word in ("reboot", "restart", "page"))
    assert dot(reboot, restart) > 0.5 > dot(reboot, page)


@pytest.mark.parametrize("words", [[], ["zzzzqq"], ["東京"], ["s"]])
def test_words_that_nobody_knows_mean_nothing(words: list[str]) -> None:
    assert set(word_table().vector(words)) == {0.0}


def test_a_word_of_the_table_tells_more_the_fewer_sentences_it_is_in() -> None:
    assert word_table().telling("the") < word_table().telling("show") < word_table().telling("lottery")
    assert word_table().telling("zzzzqq") == 255
