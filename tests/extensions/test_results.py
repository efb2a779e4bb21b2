"""Whatever another server answers to a call can be made again of what its callers get."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extensions.results import carried, question_of, result_of
from refusal import Refusal
from tests.extensions.restoring import restored, without_defaults

WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
BLOCKS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "audio", "resource_link", "resource", "hologram"])},
    optional={
        "text": WORDS,
        "data": st.just("aGk="),
        "mimeType": WORDS,
        "uri": st.just("prop://1"),
        "name": WORDS,
        "annotations": st.dictionaries(st.sampled_from(["audience", "priority", "new"]), VALUES),
        "_meta": VALUES,
        "resource": st.fixed_dictionaries({"uri": st.just("prop://1")}, optional={"text": WORDS, "new": VALUES}),
        "new": VALUES,
    },
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "content": st.lists(BLOCKS | VALUES, max_size=4) | VALUES,
        "structuredContent": st.dictionaries(WORDS | st.sampled_from(["notice", "notice_of_tool"]), VALUES) | VALUES,
        "isError": st.booleans() | VALUES,
        "_meta": st.dictionaries(WORDS | st.just("extension"), VALUES, max_size=3) | VALUES,
        "resultType": st.sampled_from(["complete", "new"]) | VALUES,
        "ttlMs": VALUES,
        "new": VALUES,
    },
)


@given(ANSWERS)
@example({"content": 7})
@example({"content": {"0": 1}, "isError": "yes"})
@example({"structuredContent": {"notice": 1, "notice_of_tool": 2}})
@example({"_meta": {"extension": 1}, "new": 2})
@example({"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "theirs"}, "k": 1}})
@example({"_meta": None, "structuredContent": None})
@example({"content": [{"type": "text", "text": "a", "new": 1}, 7], "structuredContent": {"notice": "mine"}})
def test_nothing_of_any_answer_is_lost(answer: dict[str, Any]) -> None:
    told = result_of("stage", answer).document
    if isinstance(structured := told.get("structuredContent"), dict):
        mark = told["content"][-1 if told["isError"] else 0]
        assert next(iter(structured.items())) == ("notice", mark["text"])
    assert canonical(restored(told)) == canonical(without_defaults(answer))


def canonical(answer: Any) -> str:
    return json.dumps(answer, sort_keys=True)


def test_an_answer_that_passes_whole_has_no_metadata() -> None:
    assert result_of("stage", {"content": [], "resultType": "complete"}).meta is None


ECHO = {"name": "echo", "description": "Echoes."}
FORM = {"message": "Which?", "requestedSchema": {"type": "object", "properties": {"c": {"type": "string"}}}}
ASKED = {"q": {"method": "elicitation/create", "params": {"mode": "form", **FORM}}}


@pytest.mark.parametrize(
    ("state", "given"), [("theirs", {"requestState": "theirs"}), ("", {"requestState": ""}), (None, {})]
)
def test_the_state_of_a_question_comes_back_to_its_tool(state: str | None, given: dict[str, str]) -> None:
    question = question_of("stage", ECHO, {"inputRequests": ASKED, "requestState": state})
    assert carried("stage", ECHO, question.state) == given


def test_an_answer_without_a_state_has_none() -> None:
    assert carried("stage", ECHO, None) == carried("stage", ECHO, "") == {}


@pytest.mark.parametrize(
    ("extension", "said"), [("other", ECHO), ("stage", {**ECHO, "name": "burn"}), ("stage", {**ECHO, "title": "New"})]
)
def test_the_state_of_a_question_goes_to_no_other_tool(extension: str, said: dict[str, str]) -> None:
    question = question_of("stage", ECHO, {"inputRequests": ASKED, "requestState": "theirs"})
    for state in (question.state, "no JSON", "[]", "{}"):
        with pytest.raises(Refusal, match="belongs to another tool, or the tool has changed since"):
            carried(extension, said, state)
