"""What a caller sees is what they would see if only their sources existed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.documents.devops import FakeDocs
from tests.folders import new_folder
from tests.tools.documents.world import World, answer, world, written

_WORDS: Final = ("oven", "dough", "flour", "grate", "night", "salt")
_NAMES: Final = ("first", "second", "third", "fourth")
_TEXTS = st.lists(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=3)
_SOURCES = st.fixed_dictionaries(dict.fromkeys(_NAMES, _TEXTS))
_QUERIES = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4).map(" ".join)
_TRIES: Final = int(os.environ.get("FUZZ_DOCUMENTS", "3"))
_ASKED: Final[Sequence[tuple[str, Mapping[str, Any]]]] = (
    ("docs_search", {}),
    ("docs_search", {"max_results": 1}),
    ("docs_search", {"path": "1.md"}),
    ("docs_search", {"path": "*.md", "source": "first"}),
    ("docs_search", {"source": "second"}),
)


def _file(folder: Path, names: Sequence[str]) -> str:
    """The first two are opened by roles, the others by Azure DevOps."""
    lines = {
        "first": f"{{folder: 'file://{folder}/first', roles: [first]}}",
        "second": f"{{folder: 'file://{folder}/second', roles: [second]}}",
        "third": "{repository: Shop/third, roles: [everyone]}",
        "fourth": "{repository: Shop/fourth, roles: [everyone]}",
    }
    return "sources:\n" + "".join(f"  {name}: {lines[name]}\n" for name in names)


async def _all_told(opened: World, query: str, visible: Sequence[str]) -> list[Any]:
    who = opened.person("ada", *visible)
    told = [await who.call(tool, query=query, **more) for tool, more in _ASKED]
    told += [await who.call("read_document", file_path=f"{name}/1.md") for name in _NAMES]
    listed = await answer(who, "list_document_sources")
    return [*told, [{key: one[key] for key in ("source", "documents")} for one in listed["sources"]]]


async def _told(texts: Mapping[str, list[str]], names: Sequence[str], visible: Sequence[str], query: str) -> list[Any]:
    folder = new_folder()
    try:
        fake = FakeDocs()
        for name, said in texts.items():
            files = {f"{number}.md": f"# {text}\n\n{text}\n" for number, text in enumerate(said, 1)}
            for path in written(folder / name, files).iterdir():
                os.utime(path, (1_700_000_000, 1_700_000_000))
            fake.repositories[f"Shop/{name}"] = {path: text.encode() for path, text in files.items()}
        fake.readers = {f"Shop/{name}": {"ada"} for name in visible}
        async with world(folder, _file(folder, names), fake) as opened:
            await opened.read()
            return await _all_told(opened, query, visible)
    finally:
        shutil.rmtree(folder)


@settings(max_examples=_TRIES, deadline=None)
@given(_SOURCES, st.sets(st.sampled_from(_NAMES), min_size=1, max_size=3), _QUERIES)
def test_what_is_hidden_changes_nothing_of_what_is_shown(
    texts: Mapping[str, list[str]], visible: set[str], query: str
) -> None:
    seen = [name for name in _NAMES if name in visible]
    with_all = anyio.run(_told, texts, _NAMES, seen, query)
    with_theirs = anyio.run(_told, texts, seen, seen, query)
    assert with_all == with_theirs
