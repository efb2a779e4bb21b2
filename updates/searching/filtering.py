"""Translates search filters into clauses of an index query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tantivy import FieldType, Occur, Schema
from tantivy import Query as IndexQuery

from refusal import Refusal
from updates.searching.dates import Period, period
from updates.searching.index_format import ANY_RING, CHANGED, CREATED, LIVE, MODIFIED, MONTH, month_of_ring
from updates.searching.matching import Clause, labelled, unscored
from updates.searching.search import SearchFilters
from updates.searching.vocabulary import CATEGORIES, PRODUCTS, RING, STATUS, TAGS, UpdateVocabulary

AVAILABILITY = "availability"
DATE_FIELDS = (MODIFIED, CREATED, AVAILABILITY)
EVER = Period(period("0001-01", "").first, period("9999-12", "").last)


class Filtering:
    """Translates filters with the vocabulary of one index."""

    def __init__(self, schema: Schema, vocabulary: UpdateVocabulary) -> None:
        self._schema = schema
        self._vocabulary = vocabulary

    def clauses(self, filters: SearchFilters) -> list[Clause]:
        """Return a query clause for each filter. Raise a Refusal if a value or a date is invalid."""
        # An update must match all values, so each value has its own clause. Different spellings of a value share a
        # clause.
        asked = [(TAGS, value) for value in filters.tags]
        asked += [(CATEGORIES, value) for value in filters.product_categories]
        asked += [(PRODUCTS, value) for value in filters.products]
        asked += [(STATUS, filters.status)] if filters.status is not None else []
        asked += [(RING, filters.availability_ring)] if filters.availability_ring is not None else []
        labels = [labelled(self._schema, self._labels(*one)) for one in asked]
        return [*labels, *self._dates(filters), self._current(filters)]

    def _current(self, filters: SearchFilters) -> Clause:
        """Match current updates or, with `changed_since`, all updates that changed since this time, including withdrawn
        updates.
        """
        if filters.changed_since is None:
            return labelled(self._schema, [LIVE])
        return unscored(self._range(CHANGED, period(filters.changed_since, "changedSince").first, EVER.last))

    def rings(self, filters: SearchFilters) -> list[int]:
        """Return the labels of the rings that the date filters refer to."""
        return [ANY_RING] if filters.availability_ring is None else self._labels(RING, filters.availability_ring)

    def _labels(self, kind: str, asked: str) -> list[int]:
        return [self._vocabulary.number(kind, value) for value in self._vocabulary.resolve(kind, asked)]

    def _dates(self, filters: SearchFilters) -> Iterator[Clause]:
        by = filters.date_field or (MODIFIED if filters.availability_ring is None else AVAILABILITY)
        if by not in DATE_FIELDS:
            raise Refusal(f"Unknown date field {by[:40]!r}. Valid: {', '.join(DATE_FIELDS)}.")
        start = None if filters.date_from is None else period(filters.date_from, "dateFrom")
        end = None if filters.date_to is None else period(filters.date_to, "dateTo")
        if start and end and end.last < start.first:
            raise Refusal(f"dateTo {filters.date_to} is before dateFrom {filters.date_from}. Swap them.")
        if (start or end) and by == AVAILABILITY:
            yield unscored(self._within_months(self.rings(filters), start or EVER, end or EVER))
        elif start or end:
            yield unscored(self._range(by, (start or EVER).first, (end or EVER).last))

    def _within_months(self, rings: Iterable[int], start: Period, end: Period) -> IndexQuery:
        """Match updates whose month has at least one day in the range."""
        first, last = start.first_month, end.last_month
        ranges = [self._range(MONTH, month_of_ring(ring, first), month_of_ring(ring, last)) for ring in rings]
        return IndexQuery.boolean_query([(Occur.Should, one) for one in ranges])

    def _range(self, field: str, first: int, last: int) -> IndexQuery:
        return IndexQuery.range_query(self._schema, field, FieldType.Unsigned, first, last)
