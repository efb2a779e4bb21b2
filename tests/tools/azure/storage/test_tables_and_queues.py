"""Tables and queues, as Microsoft's emulator and our fake have them."""

from __future__ import annotations

from base64 import b64encode

from tests.sweeps import Sweep
from tests.tools.azure.storage.place import Place


async def _orders(place: Place) -> None:
    for number in range(5):
        row = {"PartitionKey": "bread", "RowKey": f"{number:03}", "Price": number, "Note": "käse's"}
        await place.add_entity(**row)
    await place.add_entity(PartitionKey="cake", RowKey="001", Big="9007199254740993", **{"Big@odata.type": "Edm.Int64"})


async def test_entities_come_with_all_that_they_have(place: Place) -> None:
    await _orders(place)
    found = await place.call("query_storage_table", table=place.name)
    assert found["count"] == 6
    first = {name: value for name, value in found["items"][0].items() if name != "Timestamp"}
    assert first == {"PartitionKey": "bread", "RowKey": "000", "Price": 0, "Note": "käse's"}
    assert found["items"][-1]["Big"] == "9007199254740993"


@Sweep(
    ("text", "rows"),
    [
        ("PartitionKey eq 'cake'", ["001"]),
        ("PartitionKey eq 'bread' and Price gt 2", ["003", "004"]),
        ("Price eq 1 or Price eq 3", ["001", "003"]),
        ("not (Price lt 4) and PartitionKey eq 'bread'", ["004"]),
        ("Note eq 'käse''s' and Price le 0", ["000"]),
        ("PartitionKey ne 'bread'", ["001"]),
    ],
    every=2,
)
async def test_a_filter_chooses(place: Place, text: str, rows: list[str]) -> None:
    await _orders(place)
    found = await place.call("query_storage_table", table=place.name, filter=text, select=["RowKey"])
    assert found["items"] == [{"RowKey": row} for row in rows]


async def test_entities_go_on_where_they_ended(place: Place) -> None:
    await _orders(place)
    first = await place.call("query_storage_table", table=place.name, max_results=4)
    rest = await place.call("query_storage_table", table=place.name, max_results=4, next=first["next"])
    assert [len(first["items"]), len(rest["items"])] == [4, 2]
    assert "next" not in rest


async def test_long_values_are_cut_unless_one_entity_is_asked_for(place: Place) -> None:
    await place.add_entity(PartitionKey="a", RowKey="1", Text="x" * 3000)
    several = await place.call("query_storage_table", table=place.name)
    assert several["items"][0]["Text"] == "x" * 1000 + "... (3000 characters)"
    one = await place.call("query_storage_table", table=place.name, max_results=1)
    assert one["items"][0]["Text"] == "x" * 3000


async def test_a_mistake_in_a_filter_shows_how_one_looks(place: Place) -> None:
    told = await place.told("query_storage_table", table=place.name, filter="Price is 3")
    assert "400 InvalidInput" in told
    assert "PartitionKey eq" in told


async def test_what_is_not_there_says_where_to_look(place: Place) -> None:
    assert "list_storage_tables" in await place.told("query_storage_table", table="nothingHere")
    assert "list_storage_queues" in await place.told("peek_storage_queue", queue="nothing-here")
    assert "`next`" in await place.told("query_storage_table", table=place.name, next="$filter=x")


async def test_tables_and_queues_are_listed(place: Place) -> None:
    assert place.name in (await place.call("list_storage_tables", max_results=1000))["items"]
    assert (await place.call("list_storage_queues", prefix=place.name))["items"] == [place.name]


async def test_messages_are_counted_and_stay(place: Place) -> None:
    for text in ("first", '{"order": 7}', b64encode("käse ☃".encode()).decode()):
        await place.add_message(text)
    for _ in range(2):
        found = await place.call("peek_storage_queue", queue=place.name)
        assert found["waiting_about"] == 3
        assert [message["text"] for message in found["items"]] == ["first", '{"order": 7}', "käse ☃"]
        assert [message.get("base64") for message in found["items"]] == [None, None, True]
    few = await place.call("peek_storage_queue", queue=place.name, max_results=1)
    assert (few["count"], few["waiting_about"]) == (1, 3)


async def test_an_empty_queue_has_no_messages(place: Place) -> None:
    found = await place.call("peek_storage_queue", queue=place.name)
    assert (found["waiting_about"], found["items"]) == (0, [])


async def test_a_long_message_is_cut(place: Place) -> None:
    await place.add_message("word " * 1000)
    found = await place.call("peek_storage_queue", queue=place.name)
    assert found["items"][0]["cut"] == "of 5000 characters"
    assert len(found["items"][0]["text"]) == 2000
