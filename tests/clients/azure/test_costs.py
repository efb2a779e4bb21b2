"""Costs are read in few questions and few bytes, and their sums are those of all rows, however many there are."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure.client import Azure
from clients.azure.cloud import CLOUDS, Service
from clients.azure.cost.questions import CLIENT_TYPE, CostQuestion, Grouping
from clients.azure.cost.reading import MOST_ROWS, Costs, costs, series
from clients.azure.cost.rows import CostRow, rows_in
from clients.azure.cost.steps import step_in
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.kept import Kept
from refusal import Refusal

MANAGER: Final = CLOUDS["public"].manager
SHOP: Final = ResourceId.of_subscription("11111111-1111-1111-1111-111111111111")
ASKED: Final = CostQuestion(SHOP, date(2026, 10, 1), date(2026, 10, 31), by=Grouping("Dimension", "ResourceId"))
NAMED: Final = [
    {"name": "Cost", "type": "Number"},
    {"name": "ResourceId", "type": "String"},
    {"name": "Currency", "type": "String"},
]
MANY: Final = 500_000


@dataclass
class Bill:
    """An exchange that has so many rows, in pages of the largest size that the service has."""

    rows: Sequence[Sequence[Any]]
    page: int = 5000
    # What all of them come to, where adding them up would take long.
    total: float | None = None
    asked: list[AzureRequest] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        """No time passes here."""

    async def admit(self, service: Service) -> None:
        """Nothing is read without it here."""

    async def send(
        self, _service: Service, request: AzureRequest, _authorization: str, _most: int | None = None
    ) -> AzureAnswer:
        self.asked.append(request)
        assert request.method == "POST"
        assert request.headers["ClientType"] == CLIENT_TYPE
        if "grouping" not in request.body["dataset"]:
            if self.total is not None:
                return _answer(NAMED[::2], [[self.total, "EUR"]])
            sums: dict[str, float] = {}
            for amount, _, currency in self.rows:
                sums[currency] = sums.get(currency, 0) + amount
            return _answer(NAMED[::2], [[amount, currency] for currency, amount in sums.items()])
        start = int(request.query.get("$skiptoken", 0))
        link = f"{MANAGER.base_url}{request.path}?api-version={request.version}&$skiptoken={start + self.page}"
        has_more = start + self.page < len(self.rows)
        return _answer(NAMED, self.rows[start : start + self.page], link if has_more else None)


def _answer(columns: Sequence[Any], rows: Sequence[Any], link: str | None = None) -> AzureAnswer:
    document = {"properties": {"nextLink": link, "columns": list(columns), "rows": list(rows)}}
    return AzureAnswer(200, {"Content-Type": "application/json"}, json.dumps(document).encode())


@dataclass(frozen=True)
class Falling(Sequence[Sequence[Any]]):
    """So many rows, the dearest first, of which only those exist that somebody looks at."""

    number: int

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(self.number))]
        return [self.number - place, resource(place), "EUR"]


async def token(_scope: str) -> str:
    return "Bearer token"


def reached(bill: Bill, kept: Kept | None = None, caller: str = "ada") -> Azure:
    return Azure(bill, CLOUDS["public"], token).remembering(kept or Kept(), caller)


def resource(number: int) -> str:
    return f"{SHOP.text}/resourcegroups/till/providers/microsoft.compute/disks/disk{number}"


async def test_half_a_million_rows_take_two_questions_little_memory_and_have_a_true_sum() -> None:
    bill = Bill(Falling(MANY), total=MANY * (MANY + 1) // 2)
    tracemalloc.start()
    try:
        found = await costs(reached(bill), ASKED)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(bill.asked) == 2
    assert len(found.rows) == MOST_ROWS
    assert found.totals == {"EUR": Decimal(MANY * (MANY + 1) // 2)}
    assert most < 20 * 1024 * 1024
    assert found.others is None


async def test_what_is_not_in_order_is_read_further_and_said_to_be_so() -> None:
    bill = Bill([[number % 977, resource(number), "EUR"] for number in range(60_000)])
    found = await costs(reached(bill), ASKED)
    assert len(bill.asked) == 6
    assert not found.is_ordered
    assert found.totals == {"EUR": Decimal(sum(number % 977 for number in range(60_000)))}


async def test_days_that_are_more_than_can_be_read_are_refused() -> None:
    bill = Bill([[1, resource(number), "EUR"] for number in range(60_000)])
    with pytest.raises(Refusal, match="query has too many rows"):
        await series(reached(bill), ASKED)
    assert len(bill.asked) <= 5


async def test_a_page_that_comes_again_is_refused() -> None:
    class Again(Bill):
        async def send(self, service: Service, request: AzureRequest, *more: Any) -> AzureAnswer:
            await super().send(service, request, *more)
            return _answer(NAMED, [[1, "a", "EUR"]], f"{MANAGER.base_url}{request.path}?$skiptoken=1")

    with pytest.raises(Refusal, match="keeps returning the same page of costs"):
        await costs(reached(Again([])), ASKED)


async def test_a_next_page_of_somebody_else_is_not_followed() -> None:
    class Elsewhere(Bill):
        async def send(self, service: Service, request: AzureRequest, *more: Any) -> AzureAnswer:
            await super().send(service, request, *more)
            return _answer(NAMED, [[1, "a", "EUR"]], "https://elsewhere.example/x")

    bill = Elsewhere([])
    with pytest.raises(Refusal, match="another host"):
        await costs(reached(bill), ASKED)
    assert len(bill.asked) == 1


async def test_what_was_read_is_kept_for_hours_and_for_its_caller_alone() -> None:
    now = [0.0]
    kept, bill = Kept(lambda: now[0]), Bill([[1, "a", "EUR"]])
    first = await costs(reached(bill, kept), ASKED)
    now[0] = 3.9 * 3600
    assert (await costs(reached(bill, kept), ASKED)).read == first.read
    assert len(bill.asked) == 1
    await costs(reached(bill, kept, "eve"), ASKED)
    assert len(bill.asked) == 2
    now[0] = 4.1 * 3600
    await costs(reached(bill, kept), ASKED)
    assert len(bill.asked) == 3


async def test_ids_that_are_spelled_in_several_ways_are_one_and_currencies_are_never_mixed() -> None:
    bill = Bill([[2, "/A/b", "EUR"], [3, "/a/B", "EUR"], [4, "/a/b", "USD"]])
    found = await costs(reached(bill), ASKED)
    assert sorted((row.currency, row.amount) for row in found.rows) == [("EUR", Decimal(5)), ("USD", Decimal(4))]
    assert found.totals == {"EUR": 5, "USD": 4}


AMOUNTS: Final = st.decimals(-10_000, 10_000, places=6)
ROWS: Final = st.lists(
    st.builds(CostRow, AMOUNTS, st.sampled_from(["EUR", "USD"]), st.text(max_size=3)), unique_by=lambda row: row.key
)


@given(rows=ROWS, number=st.integers(0, 8), more=ROWS)
def test_sums_are_those_of_all_rows_however_few_are_kept(rows: list[CostRow], number: int, more: list[CostRow]) -> None:
    whole = (Costs(rows) + Costs(more).dearest(number)).dearest(number)
    assert len(whole.rows) <= number
    for currency in ("EUR", "USD"):
        total = sum((row.amount for row in [*rows, *more] if row.currency == currency), Decimal(0))
        assert whole.totals.get(currency, Decimal(0)) == total


@pytest.mark.parametrize(
    ("one", "other", "both"), [(0, 0, 0), (1, 2, 3), (None, 2, None), (1, None, None), (None, None, None)]
)
def test_the_number_of_other_rows_is_known_if_it_is_known_of_both(
    one: int | None, other: int | None, both: int | None
) -> None:
    assert (Costs([], others=one) + Costs([], others=other)).others == both


@pytest.mark.parametrize(("one", "other", "both"), [(True, True, True), (True, False, False), (False, True, False)])
def test_rows_are_ordered_if_both_parts_are(*, one: bool, other: bool, both: bool) -> None:
    assert (Costs([], is_ordered=one) + Costs([], is_ordered=other)).is_ordered is both


@pytest.mark.parametrize(
    ("others", "number", "kept", "left"), [(0, 3, 3, 0), (0, 2, 2, 1), (4, 0, 0, 7), (None, 1, 1, None)]
)
def test_rows_that_are_not_kept_count_as_others(others: int | None, number: int, kept: int, left: int | None) -> None:
    rows = [CostRow(Decimal(amount), "EUR", str(amount)) for amount in (1, -3, 2)]
    found = Costs(rows, others=others).dearest(number)
    assert [row.amount for row in found.rows] == [-3, 2, 1][:kept]
    assert found.others == left


@pytest.mark.parametrize("document", [{}, {"properties": None}, {"properties": {"columns": [], "rows": []}}, [], None])
def test_an_answer_without_rows_has_none(document: Any) -> None:
    assert rows_in(document) == []


@pytest.mark.parametrize("amount", ["1", None, True, float("nan"), float("inf"), [1]])
def test_what_is_no_amount_is_refused(amount: Any) -> None:
    with pytest.raises(Refusal, match="not numbers"):
        rows_in({"properties": {"columns": NAMED, "rows": [[amount, "a", "EUR"]]}})


def test_columns_are_read_by_name_and_days_as_numbers() -> None:
    columns = [{"name": name} for name in ("Currency", "UsageDate", "ResourceId", "PreTaxCost")]
    rows = [["EUR", 20261031, "a", 2], ["EUR", "20261101", "b", 1.5]]
    found = rows_in({"properties": {"columns": columns, "rows": rows}})
    assert [(row.day, row.name, row.amount) for row in found] == [
        ("2026-10-31", "a", Decimal(2)),
        ("2026-11-01", "b", Decimal("1.5")),
    ]
    months = {"columns": [{"name": "Cost"}, {"name": "BillingMonth"}], "rows": [[1, "2026-10-01T00:00:00"]]}
    assert rows_in({"properties": months})[0].day == "2026-10-01"


@given(
    before=st.lists(st.floats(8, 12), min_size=3, max_size=40),
    since=st.lists(st.floats(28, 32), min_size=3, max_size=40),
)
def test_the_day_on_which_something_got_dearer_is_found(before: list[float], since: list[float]) -> None:
    found = step_in([*before, *since])
    assert found
    assert found.place == len(before)
    assert found.before <= 12
    assert found.since >= 27.9


@given(course=st.lists(st.floats(9.9, 10.1), max_size=60))
def test_what_costs_the_same_has_no_such_day(course: list[float]) -> None:
    assert step_in(course) is None


def test_what_grew_little_by_little_or_fell_has_no_such_day() -> None:
    assert step_in([30.0] * 7 + [10.0] * 7) is None
    assert step_in([10.0, 10.0]) is None
