"""Measures how well `azure` finds the tool that a sentence asks for, and how many tokens a model reads to find it."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from time import process_time
from typing import Any, Final

import yaml

from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.catalog.intent import Index
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from tests.mcp_server.caller import Caller
from tools import SURFACE, TOOLSETS
from tools.vocabulary import VOCABULARY

SENTENCES: Final = Path(__file__).resolve().parent.parent.parent / "tests" / "intents"
FILES: Final = ("open", "more", "own", "second", "third", "fourth", "fresh_a", "fresh_b", "fresh_c")
_IN: Final = 3

Sentence = dict[str, Any]


@dataclass(frozen=True)
class FoundShares:
    """Counts of sentences: all sentences, those whose tool ranks first, and those whose tool ranks among the first
    three.
    """

    sentences: int
    first: int
    in_three: int


# The results from the first run with these sentences, before anybody had read the sentences.
BLIND: Final = {
    ("fresh_c", "all with a tool"): FoundShares(95, 77, 82),
    ("fresh_c", "impossible"): FoundShares(13, 8, 8),
}
LAST: Final = "fresh_c"
# The output of `scripts/understanding --ablate`.
ABLATION: Final = """\
| words and meanings | 280 | 220 |
| words only | 280 | 216 |
| meanings only | 280 | 124 |
"""
ABLATION_OF_TOOLSETS: Final = """\
| `storage` | 11 | 5 | 11 |
| `roles` | 10 | 6 | 8 |
| `servicebus` | 9 | 2 | 4 |
| `devops-pull-requests` | 11 | 3 | 8 |
| `devops-work-items` | 11 | 5 | 8 |
"""


@dataclass(frozen=True)
class IntentFigures:
    found: dict[tuple[str, str], FoundShares]
    tokens: dict[str, float]
    # The failed sentences of the last example file, each with the wrong tool that ranks first.
    missed: dict[str, str]
    # CPU times in milliseconds: the average per intent, and the additional time of the first intent.
    milliseconds: float
    first_milliseconds: float


def measured() -> IntentFigures:
    started = process_time()
    index = Index(TOOLSETS, VOCABULARY)
    index.best("list my bugs", _IN)
    first = process_time() - started
    sentences = {file: _sentences(file) for file in FILES}
    found = {
        (file, kind): _found(index, [each for each in those if kind in (each["kind"], _sort(each))])
        for file, those in sentences.items()
        for kind in ("all with a tool", *dict.fromkeys(each["kind"] for each in those))
    }
    each = _seconds(index, sentences["open"])
    tokens, missed = asyncio.run(_tokens(sentences["open"])), _missed(index, sentences[LAST])
    return IntentFigures(found, tokens, missed, 1000 * each, 1000 * (first - each))


def _seconds(index: Index, sentences: list[Sentence]) -> float:
    started = process_time()
    for each in sentences:
        index.best(each["say"], _IN)
    return (process_time() - started) / len(sentences)


def _missed(index: Index, sentences: list[Sentence]) -> dict[str, str]:
    names = {each["say"]: [match.tool.name for match in index.best(each["say"], _IN)] for each in sentences}
    return {
        each["say"]: ", ".join(names[each["say"]]) or "nothing" for each in sentences if not _is_found(index, each, 1)
    }


def _sentences(file: str) -> list[Sentence]:
    known = {tool.name for toolset in TOOLSETS for tool in toolset.tools}
    sentences: list[Sentence] = yaml.safe_load((SENTENCES / f"{file}.yaml").read_text(encoding="utf-8"))
    return [
        each for each in sentences if each["kind"] != "compound" and (not each["tools"] or known & set(each["tools"]))
    ]


def _sort(sentence: Sentence) -> str:
    return "all with a tool" if sentence["tools"] else "none"


def _found(index: Index, sentences: list[Sentence]) -> FoundShares:
    return FoundShares(
        len(sentences),
        sum(_is_found(index, each, 1) for each in sentences),
        sum(_is_found(index, each, _IN) for each in sentences),
    )


def _is_found(index: Index, sentence: Sentence, limit: int) -> bool:
    names = {match.tool.name for match in index.best(sentence["say"], limit)}
    return bool(names & set(sentence["tools"])) if sentence["tools"] else not names


async def _tokens(sentences: list[Sentence]) -> dict[str, float]:
    catalog = Catalog(TOOLSETS, SURFACE, vocabulary=VOCABULARY)
    server = McpServer(ServerInfo("bench", "Bench", "1", "Bench."), nullcontext, [])
    caller = Caller(Endpoint(server, Catalogs(catalog), Reception(Gate.of(LOCAL_HOSTS, ()))))
    toolsets = [await _read(caller, learn=True, tool=toolset.name) for toolset in TOOLSETS]
    intents = [await _read(caller, intent=each["say"]) for each in sentences if each["tools"]]
    return {
        "the list of all toolsets (`azure` with `learn`)": await _read(caller, learn=True),
        "the list of tools in the largest toolset (`azure` with `learn` and the toolset's name)": max(toolsets),
        "the tools that match a sentence (`azure` with `intent`), on average": mean(intents),
        "the message that no tool matches a sentence": await _read(caller, intent="what is the weather tomorrow"),
    }


async def _read(caller: Caller, **arguments: Any) -> float:
    result = await caller.call("azure", **arguments)
    return _size(result["content"][0]["text"])


def _size(text: str) -> float:
    return len(text.encode()) / 4
