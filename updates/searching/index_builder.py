"""Builds a search index of Azure updates as one file. Identical updates give an identical file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from tantivy import Document, Schema

from kept_index.archive import pack_folder
from kept_index.search_folder import write_folder
from kept_index.tokenizing import acronyms, clean, spellings
from shifts import give_way
from text.markdown import plain, summary, to_markdown
from updates.changes import StoredUpdate
from updates.history import history_document
from updates.record import Availability, Update
from updates.searching.dates import month_number, ticks
from updates.searching.index_format import (
    ANY_RING,
    CHANGED,
    CREATED,
    FACTS,
    ID,
    LABEL,
    LIVE,
    MODIFIED,
    MONTH,
    STATISTICS,
    TEXT,
    TITLE_RANK,
    UPDATES,
    WORD,
    WORD_LIST,
    WORDS,
    earliest,
    latest,
    month_of_ring,
    updates_schema,
    words_schema,
)
from updates.searching.index_words import as_words, beginnings_of_versions
from updates.searching.meanings import MeaningWriter
from updates.searching.rows import RowWriter, UpdateRow
from updates.searching.statistics import Facts, Statistics
from updates.searching.survey import Survey, surveyed
from updates.searching.vocabulary import KINDS, RING, UpdateVocabulary, initials, other_names, values_of

# The title describes an update best, and the first sentences second best. Therefore, the indexed text contains the
# title and the first sentences several times. In our measurements, results are better with this single text than with
# separate fields.
_TITLES = 4
# The minimum frequency and length of words for spelling suggestions. Rare words may be typos, and short words are too
# similar to each other.
_FEWEST_USES, _SHORTEST = 2, 3
_SAMPLES = 40


class _Entry(NamedTuple):
    """An update to add to the index."""

    update: Update
    withdrawn: str | None
    changed: int
    history: Sequence[Mapping[str, Any]]
    body: str
    summary: str


class _Beside(NamedTuple):
    """The collected data of all updates while the index is built. Texts of updates do not stay in memory."""

    rows: RowWriter
    meanings: MeaningWriter
    words: Counter[str]


def build_index(stored: Sequence[StoredUpdate], about: Mapping[str, str]) -> bytes:
    """Build an index of these updates. Withdrawn updates are found only by id and by `changed_since`.

    `about` is metadata, which the index returns unchanged. Each update is read twice, so that the updates are never all
    in memory at the same time.
    """
    survey = surveyed(stored)
    vocabulary = UpdateVocabulary(survey.counts)
    words: Counter[str] = Counter()
    with TemporaryDirectory() as created:
        folder = Path(created)
        ordered = (stored[place] for place in survey.order)
        with RowWriter(folder, _samples(stored, survey)) as rows, MeaningWriter(folder) as meanings:
            documents = _documents(ordered, survey.title_ranks, vocabulary, _Beside(rows, meanings, words))
            write_folder(folder / UPDATES, _schema(vocabulary), documents)
        _write_words(folder, words)
        _write(folder / FACTS, Facts(survey.live, survey.withdrawn, survey.newest, dict(about), survey.counts))
        _write(folder / STATISTICS, survey.statistics)
        return pack_folder(folder)


def _samples(stored: Sequence[StoredUpdate], survey: Survey) -> list[str]:
    step = max(1, len(stored) // _SAMPLES)
    return [to_markdown(stored[place].update.description) for place in survey.order[::step]]


def _schema(vocabulary: UpdateVocabulary) -> Schema:
    return updates_schema(vocabulary.number(RING, ring) for ring in vocabulary.counts[RING])


def _documents(
    ordered: Iterable[StoredUpdate], title_ranks: Iterable[int], vocabulary: UpdateVocabulary, beside: _Beside
) -> Iterator[Document]:
    for one, title_rank in zip(ordered, title_ranks, strict=True):
        give_way()
        entry = _entry(one)
        row = UpdateRow.of(entry.update, entry.summary, entry.withdrawn, entry.history)
        beside.rows.add(row, entry.body)
        beside.meanings.add(entry.update.title, entry.summary)
        document = Document()
        document.add_text(ID, clean(entry.update.id).casefold())
        document.add_unsigned(TITLE_RANK, title_rank)
        _describe(document, entry, vocabulary)
        if entry.withdrawn is None:
            document.add_unsigned(LABEL, LIVE)
            beside.words.update(set(spellings("\n".join((entry.update.title, entry.summary, *entry.update.products)))))
        yield document


def _entry(stored: StoredUpdate) -> _Entry:
    body = to_markdown(stored.update.description)
    withdrawn = stored.withdrawn.isoformat() if stored.withdrawn else None
    return _Entry(stored.update, withdrawn, _changed(stored), history_document(stored.history), body, summary(body))


def _changed(stored: StoredUpdate) -> int:
    """Return the time when a sync last found a change to this update. If no sync has found a change, return the feed's
    `modified` time.
    """
    return ticks(stored.history[0].seen.isoformat() if stored.history else stored.update.modified)


def _describe(document: Document, entry: _Entry, vocabulary: UpdateVocabulary) -> None:
    update = entry.update
    for text in _texts(entry):
        document.add_text(TEXT, text)
    document.add_unsigned(MODIFIED, ticks(update.modified))
    document.add_unsigned(CREATED, ticks(update.created))
    document.add_unsigned(CHANGED, entry.changed)
    for kind in KINDS:
        for value in values_of(update, kind):
            if number := vocabulary.find(kind, value):
                document.add_unsigned(LABEL, number)
    _add_dates(document, update, vocabulary)


def _add_dates(document: Document, update: Update, vocabulary: UpdateVocabulary) -> None:
    _date(document, ANY_RING, update.availabilities)
    for ring in values_of(update, RING):
        its = [availability for availability in update.availabilities if availability.ring == ring]
        if number := vocabulary.find(RING, ring):
            _date(document, number, its)


def _texts(entry: _Entry) -> Iterator[str]:
    update, products = entry.update, entry.update.products
    yield from [as_words(clean(update.title))] * _TITLES
    yield as_words(clean(entry.summary))
    yield as_words(clean(plain(entry.body)))
    yield as_words(clean("\n".join([*update.tags, *update.product_categories, *products])))
    names = acronyms(update.title).union(*map(initials, products), *map(other_names, products))
    yield as_words(clean("\n".join(sorted(names))))
    yield "\n".join(sorted(beginnings_of_versions(f"{update.title}\n{entry.body}")))


def _date(document: Document, ring: int, availabilities: Iterable[Availability]) -> None:
    months = sorted({month for availability in availabilities for month in _months(availability)})
    for month in months:
        document.add_unsigned(MONTH, month_of_ring(ring, month))
    if months:
        document.add_unsigned(earliest(ring), months[0])
        document.add_unsigned(latest(ring), months[-1])


def _months(availability: Availability) -> list[int]:
    """Return the month of a date, or all months of its year if the month is unknown."""
    if availability.year is None:
        return []
    months = range(1, 13) if availability.month is None else [availability.month]
    return [month_number(availability.year, month) for month in months]


def _write_words(folder: Path, counts: Mapping[str, int]) -> None:
    """Write the frequent words to the index, most frequent first. Spelling suggestions are searched in this order."""
    usual = [word for word, count in counts.items() if count >= _FEWEST_USES and len(word) >= _SHORTEST]
    words = sorted(usual, key=lambda word: (-counts[word], word))
    write_folder(folder / WORDS, words_schema(), (Document(**{WORD: word}) for word in words))
    (folder / WORD_LIST).write_text("\n".join(words), encoding="utf-8")


def _write(path: Path, value: Facts | Statistics) -> None:
    path.write_bytes(TypeAdapter(type(value)).dump_json(value))
