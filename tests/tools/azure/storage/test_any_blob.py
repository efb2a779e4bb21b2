"""Whatever a blob is called, and whatever it says."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.azure.stored.service import FakeStorage
from tests.sweeps import examples
from tests.tools.azure.storage.place import fake_place

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(lambda name: name not in {".", ".."})


@settings(max_examples=examples(30), deadline=None, suppress_health_check=list(HealthCheck))
@given(name=NAMES, content=st.text("abc é☃\n", max_size=80), start=st.integers(0, 60), length=st.integers(16, 50))
async def test_any_name_comes_back_and_a_range_is_the_slice(name: str, content: str, start: int, length: int) -> None:
    raw = content.encode()
    async with fake_place(FakeStorage()) as place:
        await place.put(name, raw)
        listed = await place.call("list_blobs", container=place.name, recursive=True)
        assert [blob["name"] for blob in listed["items"]] == [name]
        if start < len(raw):
            found = await place.call("download_blob", container=place.name, blob=name, start=start, length=length)
            end = found.get("next_start", len(raw))
            assert raw[found.get("start", 0) : end].decode() == found["text"]
            assert start <= found.get("start", 0) < start + 4
            assert end <= start + length
