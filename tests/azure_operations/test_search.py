"""Among as many operations as Azure has, what engineers mean is found by what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from azure_operations.index import OperationsIndex
from azure_operations.index_builder import build_index
from tests.azure_operations.catalogue import OPERATIONS, PROVIDERS, catalogue, known
from tests.sweeps import examples
from tests.tools.azure.known_operations import operations_of

PHRASES: Final = yaml.safe_load((Path(__file__).parent / "phrases.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def index() -> OperationsIndex:
    namespaces = catalogue()
    assert len(namespaces) == PROVIDERS
    operations = operations_of(namespaces)
    assert len(operations) > OPERATIONS * 0.95
    return OperationsIndex.open(build_index(operations))


@pytest.fixture(scope="module")
def small() -> OperationsIndex:
    return OperationsIndex.open(build_index(operations_of(list(known().values()))))


def test_there_are_many_phrases() -> None:
    assert len(PHRASES) >= 30


@pytest.mark.parametrize(("phrase", "meant", "within"), PHRASES, ids=[phrase for phrase, _, _ in PHRASES])
def test_what_is_meant_is_found(index: OperationsIndex, phrase: str, meant: str, within: int) -> None:
    assert meant in [operation.name for operation in index.find(phrase, within)]


def test_every_operation_that_a_phrase_means_is_among_those_that_are_known(small: OperationsIndex) -> None:
    assert [meant for _, meant, _ in PHRASES if small.named(meant) is None] == []


def test_a_kind_and_a_provider_narrow_what_is_found(index: OperationsIndex) -> None:
    assert {one.kind for one in index.find("vm", 20, kind="action")} == {"action"}
    found = index.find("queue", 20, namespace="microsoft.servicebus")
    assert found
    assert {one.name.partition("/")[0] for one in found} == {"Microsoft.ServiceBus"}


def test_nothing_is_found_by_words_that_tell_nothing(small: OperationsIndex) -> None:
    assert small.find("", 5) == small.find("what is the", 5) == small.find("zeppelin", 5) == []


def test_the_same_operations_make_the_same_file() -> None:
    operations = operations_of(list(known().values()))[:50]
    assert build_index(operations) == build_index(iter(operations))


def test_an_index_of_nothing_finds_nothing() -> None:
    index = OperationsIndex.open(build_index([]))
    assert (len(index), index.find("vm", 5), index.named("x")) == (0, [], None)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(200))
@given(text=st.text(max_size=300), namespace=st.text(max_size=20))
def test_no_text_breaks_the_search(small: OperationsIndex, text: str, namespace: str) -> None:
    assert len(small.find(text, 5)) <= 5
    assert small.find(text, 5, namespace=namespace or "x") == [] or namespace
    small.named(text)
    small.types_of(text)
