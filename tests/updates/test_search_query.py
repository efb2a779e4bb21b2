"""What a query means. Most examples search these few updates."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusal import Refusal
from tests.updates.indexing import ids, index_of, search, update
from updates.searching.index import UpdatesIndex

KUBERNETES = update(
    "kubernetes",
    "Generally Available: Node auto-repair for clusters",
    description="<p>Broken nodes of Kubernetes are repaired in the cluster, without a restart.</p>",
    products=["Azure Kubernetes Service (AKS)"],
    modified="2026-03-01T00:00:00.0000000Z",
)
SEARCH = update(
    "search",
    "Public Preview: Vector search for résumés in Azure Cosmos DB",
    description="<p>Find what is <b>similar</b>. Search vectors in a database; see "
    '<a href="https://example.com/hidden">the page</a>.</p>',
    products=["Azure Cosmos DB"],
    tags=["Microsoft Build"],
    modified="2026-02-01T00:00:00.0000000Z",
)
ENCRYPTION = update(
    "encryption",
    "Retirement: Azure Disk Encryption will be retired on July 1, 2027",
    description="<p>Encryption at host replaces it. TLS 1.0 is not concerned.</p>",
    products=["Azure Disk Storage"],
    modified="2026-01-01T00:00:00.0000000Z",
)
NEWEST_FIRST = ["kubernetes", "search", "encryption"]


@pytest.fixture(scope="module")
def index() -> UpdatesIndex:
    return index_of(KUBERNETES, SEARCH, ENCRYPTION)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("encryption", ["encryption"]),
        ("CLUSTER", ["kubernetes"]),
        ("clusters", ["kubernetes"]),
        ("repairing a node", ["kubernetes"]),
        ("resume", ["search"]),
        ("RÉSUMÉ", ["search"]),
        ("re\u0301sume\u0301", ["search"]),
        ("\uff43\uff4c\uff55\uff53\uff54\uff45\uff52", ["kubernetes"]),
        ("tls 1.0", ["encryption"]),
        ("tls 1", ["encryption"]),
        ('"TLS 1.0"', ["encryption"]),
        ("AKS", ["kubernetes"]),
        ("ADE", ["encryption"]),
        ("build", ["search"]),
        ("cosmos", ["search"]),
        ("hidden", []),
        ("example.com", []),
    ],
)
def test_words_are_found_in_any_form_and_in_all_that_is_read(index: UpdatesIndex, query: str, found: list[str]) -> None:
    assert ids(index, query) == found


@pytest.mark.parametrize(
    "query",
    [
        "What is new in vector search?",
        "which updates are there about vectors",
        "tell me about the latest vector changes, please",
    ],
)
def test_the_words_of_a_question_do_not_hurt(index: UpdatesIndex, query: str) -> None:
    assert ids(index, query) == ["search"]


@pytest.mark.parametrize(
    "query", ["", "   ", "what is new?", "the", "latest updates", '""', "-", "?!", '-""', "\x00", "\ud800"]
)
def test_a_query_that_asks_for_nothing_in_particular_gives_the_newest_first(index: UpdatesIndex, query: str) -> None:
    found = search(index, query)
    assert [one.id for one in found.results] == NEWEST_FIRST
    assert [one.relevance for one in found.results] == [None] * 3


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('"vector search"', ["search"]),
        ('"search vector"', ["search"]),
        ('"vector cosmos"', []),
        ("“vector search”", ["search"]),
        ("“vector cosmos”", []),
        ('"cosmos db"-vector', ["search"]),
        ('"disk encryption will be retired"', ["encryption"]),
        ('"is not concerned"', ["encryption"]),
        ('"TLS 1.0"', ["encryption"]),
        ('"cosmos db" repair', ["search"]),
        ('"cosmos db" unheardof', ["search"]),
        ('"vector search" "cosmos db"', ["search"]),
        ('"vector search" "disk encryption"', []),
        ('"vector search', ["search"]),
    ],
)
def test_phrases_must_occur_as_they_are(index: UpdatesIndex, query: str, found: list[str]) -> None:
    assert ids(index, query) == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("-encryption", ["kubernetes", "search"]),
        ("-encryption -vectors", ["kubernetes"]),
        ('-"disk encryption"', ["kubernetes", "search"]),
        ('-"encryption disk"', NEWEST_FIRST),
        ("azure -cosmos", ["encryption", "kubernetes"]),
        ("azure -auto-repair", ["encryption", "search"]),
        ("vector -unheardof", ["search"]),
        ("encryption -encryption", []),
        ("vector - encryption", ["encryption", "search"]),
        ("auto-repair", ["kubernetes"]),
    ],
)
def test_a_minus_excludes(index: UpdatesIndex, query: str, found: list[str]) -> None:
    assert sorted(ids(index, query)) == sorted(found)


@pytest.mark.parametrize("together", ["Durable elastic pools.", "Durable elastic shared pools."])
def test_words_that_stand_together_count_for_more_when_they_do_so_in_an_update(together: str) -> None:
    filler = "<p>Words that say little stand here to make the texts long and equal.</p>"
    apart = update("apart", "One", description=f"<p>Elastic shared things. {filler} Durable pools.</p>")
    near = update("together", "Two", description=f"<p>Things. {filler} {together}</p>")
    others = [update(str(number), "Other", description=filler) for number in range(20)]
    assert ids(index_of(apart, near, *others), "elastic pools") == ["together", "apart"]


def test_a_title_says_more_than_a_body() -> None:
    title = update("title", "Quantum links", description="<p>They connect.</p>")
    body = update("body", "Links", description="<p>They connect in a quantum way.</p>", created="2026-02-01T00:00:00Z")
    assert ids(index_of(body, title), "quantum") == ["title", "body"]


def test_an_update_needs_two_of_the_words_unless_none_has_them() -> None:
    both = update("both", "Caching of sessions")
    one = update("one", "Caching of pages")
    others = [update(str(number), "Other") for number in range(10)]
    index = index_of(both, one, *others)
    assert ids(index, "caching sessions") == ["both"]
    assert sorted(ids(index, "caching volumes")) == ["both", "one"]
    assert sorted(ids(index, "caching")) == ["both", "one"]


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("kubrnetes", "kubernetes"),
        ("Azure kuberntes nodes", "Azure kubernetes nodes"),
        ("encrytion at host", "encryption at host"),
        ('"disc encryption"', '"disk encryption"'),
        ("vektor", "vector"),
        ("kubernetes", None),
        ("xyzzyxyzzy", None),
        ("zz", None),
        ("", None),
    ],
)
def test_what_is_misspelled_is_answered_with_the_nearest_spelling(query: str, meant: str | None) -> None:
    twice = [replace(one, id=f"{one.id}{number}") for one in (KUBERNETES, SEARCH, ENCRYPTION) for number in range(2)]
    assert search(index_of(*twice), query).did_you_mean == meant


def test_the_better_match_has_the_higher_relevance() -> None:
    often, once = update("often", "Quantum links are quantum"), update("once", "Quantum links are new")
    first, second = search(index_of(once, often), "quantum").results
    assert first.id == "often"
    assert (first.relevance or 0) > (second.relevance or 0) > 0


def test_relevance_is_told_in_any_order(index: UpdatesIndex) -> None:
    by_relevance = {found.id: found.relevance for found in search(index, "azure encryption vector").results}
    by_title = {
        found.id: found.relevance for found in search(index, "azure encryption vector", sort_by="title:asc").results
    }
    assert by_relevance == by_title


@pytest.mark.parametrize(
    ("query", "says"),
    [("x" * 2001, "the maximum is 2000"), (" ".join(f'"phrase {n}"' for n in range(17)), "at most 16 phrases")],
)
def test_a_query_that_would_cost_too_much_is_refused(index: UpdatesIndex, query: str, says: str) -> None:
    with pytest.raises(Refusal, match=says):
        search(index, query)


TYPED = st.lists(
    st.sampled_from([*'"-+*:()[]{}^~\\/&|!?\x00', "AND", "OR", "NOT", "vector", "azure", "text:", "*:*", " ", "“"])
)


@given(st.text(max_size=30) | TYPED.map(lambda parts: "".join(parts[:30])))
def test_nothing_that_is_typed_is_an_error(index: UpdatesIndex, query: str) -> None:
    found = search(index, query)
    assert len(found.results) == found.total


def test_a_version_is_found_by_its_beginning_and_not_by_what_stands_inside_another() -> None:
    index = index_of(update("inner", "Runtime 2.1.0 is here"), update("own", "Runtime 1.0.3 is here, v4.0"))
    assert ids(index, "runtime 1.0") == ["own"]
    assert ids(index, "4.0") == ids(index, "v4.0") == ["own"]
    assert [ids(index, query) for query in ('"1.0"', '"2.1"', '"1.0.3"', '"0.3"')] == [["own"], ["inner"], ["own"], []]


def test_who_asks_for_recent_ones_gets_the_newest_first(index: UpdatesIndex) -> None:
    assert ids(index, "recent") == NEWEST_FIRST
    old, new = (
        update(name, name, modified=f"20{year}-01-01T00:00:00Z") for name, year in (("lamp lamp", 20), ("lamp b", 26))
    )
    lamps = index_of(old, new)
    for query in (
        "recent lamp",
        "lamp changes, the most recent",
        "lamp: recent changes",
        "what are the latest lamp updates",
    ):
        assert ids(lamps, query) == ["lamp b", "lamp lamp"], query
    assert ids(lamps, "a lamp for a lamp with the latest lamp on a lamp") == ["lamp lamp", "lamp b"]
