"""Whatever the size of what is sent: the work grows with it at most as it does, and the answer stays short."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from app.build import App
from identity.access import Access
from mcp_server.bounds import DEEPEST, MOST_NAMES, MOST_VALUES, excess
from mcp_server.declarations.toolset import Toolset
from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpAnswer
from mcp_server.visit import Context
from refusal import Refusal
from tests.mcp_server.caller import Caller, Json, message, post
from tests.mcp_server.endpoints import new_endpoint
from tests.offline import app_of, offline
from tests.sweeps import share

# Of an answer, whatever was sent; and of memory, as so many times the request beside what any request takes.
LARGEST_ANSWER = 100_000
TIMES, BESIDES = 60, 8_000_000


def many_names(size: int) -> Json:
    return {f"n{number}": number for number in range(size // 10)}


def many_values(size: int) -> Json:
    return [{"a": number} for number in range(size // 10)]


def nested(size: int) -> Json:
    node: Json = []
    for _ in range(min(size // 4, 150)):
        node = [node, *[{}] * 20]
    return node


def long_text(size: int) -> Json:
    return "," * size


HOSTILE = [many_names, many_values, nested, long_text]
hostile = pytest.mark.parametrize("made", HOSTILE, ids=lambda made: made.__name__)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    folder: Path = tmp_path_factory.mktemp("app")
    return app_of({**offline(folder), "ADO_ORG_URL": "https://dev.azure.com/acme"})


async def measured(endpoint: Endpoint, method: str, params: Json) -> tuple[HttpAnswer, int, int]:
    """The answer, how large the request was, and how much memory it took at most."""
    request = message(method, params)
    tracemalloc.start()
    try:
        answer = await endpoint.handle(request, "all")
        return answer, len(request.body), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def assert_bounded(answer: HttpAnswer, size: int, memory: int) -> None:
    assert answer.status in (200, 400, 404, 413)
    assert len(answer.body) < LARGEST_ANSWER
    assert memory < TIMES * size + BESIDES


def everywhere(app: App, value: Json) -> Iterator[tuple[str, Json]]:
    """The value in every parameter of each tool of a share, beside one that is wrong: so nothing is done with it."""
    for tool in share([tool for toolset in app.catalog.toolsets for tool in toolset.tools], every=12):
        yield tool.qualified_name, dict.fromkeys([*tool.parameter_names, "no_such_parameter"], value)


async def test_arguments_of_tools(app: App) -> None:
    value = [many_names(1_000), many_values(1_000), nested(100), long_text(1_000)]
    for name, arguments in everywhere(app, value):
        params = {"name": name, "arguments": arguments}
        assert_bounded(*await measured(app.endpoint, "tools/call", params))


@hostile
@pytest.mark.parametrize("name", ["search_azure_updates", "new_azure_firewall_rules", "azure", "create_work_item"])
async def test_one_argument_of_great_size(app: App, made: Callable[[int], Json], name: str) -> None:
    for arguments in ({"filters": made(100_000), "no": 1}, {"intent": "", "parameters": made(100_000), "no": 1}):
        assert_bounded(*await measured(app.endpoint, "tools/call", {"name": name, "arguments": arguments}))
    if isinstance(names := made(100_000), dict):
        assert_bounded(*await measured(app.endpoint, "tools/call", {"name": name, "arguments": names}))


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "TEXT", "arguments": {}}),
        ("tools/call", {"name": "azure", "arguments": {"tool": "TEXT", "command": "TEXT", "parameters": {}}}),
        ("tools/call", {"name": "azure", "arguments": {"tool": "azure-updates", "command": "TEXT"}}),
        ("tools/call", {"name": "azure", "arguments": {"learn": True, "intent": "TEXT"}}),
        ("prompts/get", {"name": "TEXT"}),
        ("prompts/get", {"name": "whats_new", "arguments": {"since": "TEXT", "products": "TEXT"}}),
        ("prompts/get", {"name": "whats_new", "arguments": {"TEXT": "TEXT"}}),
        ("resources/read", {"uri": "azure-updates://update/TEXT"}),
        ("resources/read", {"uri": "TEXT"}),
        *(
            (
                "completion/complete",
                {"ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": argument, "value": "TEXT"}},
            )
            for prompt, argument in [("whats_new", "products"), ("retirement_review", "categories"), ("TEXT", "TEXT")]
        ),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/resource", "uri": "azure-updates://update/{id}"},
                "argument": {"name": "id", "value": "TEXT"},
            },
        ),
        ("completion/complete", {"ref": {"type": "TEXT"}, "argument": {"TEXT": "TEXT"}}),
        ("TEXT", {}),
    ],
)
@pytest.mark.parametrize("text", ["," * 100_000, "azure," * 20_000], ids=["commas", "words"])
async def test_texts_of_great_size(app: App, method: str, params: Json, text: str) -> None:
    filled = json.loads(json.dumps(params).replace("TEXT", text))
    await app.endpoint.handle(message(method, params), "all")
    assert_bounded(*await measured(app.endpoint, method.replace("TEXT", text), filled))


async def test_a_prompt_with_many_arguments(app: App) -> None:
    arguments = {f"n{number}": "x" for number in range(20_000)}
    assert_bounded(*await measured(app.endpoint, "prompts/get", {"name": "whats_new", "arguments": arguments}))


@hostile
@pytest.mark.parametrize("where", ["tool", "arguments", "more"])
async def test_plain_http(app: App, made: Callable[[int], Json], where: str) -> None:
    document = {"tool": "search_azure_updates", "arguments": {}, where: made(100_000)}
    body = json.dumps(document if where != "more" else {**document, **many_names(100_000)}).encode()
    tracemalloc.start()
    try:
        answer = await rest.execute(app.endpoint, post(body))
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answer.status in (400, 422)
    assert len(answer.body) < LARGEST_ANSWER
    assert memory < TIMES * len(body) + BESIDES


class Strict(BaseModel):
    """Every name in it that it does not know is a mistake of its own, which costs far more than the name."""

    model_config = ConfigDict(extra="forbid")

    a: int = 0


greedy = Toolset("greedy", "Takes whatever comes, and says too much of it.")


@greedy.tool(Access.READ)
async def take(things: list[Strict], more: Strict | None = None) -> str:
    """Take things."""
    raise Refusal(f"These are wrong: {things} {more}")


@greedy.prompt()
def repeat(what: str) -> str:
    """Say it again, and again."""
    return what * 10


@greedy.completion("repeat", "what")
async def after_each(value: str, _context: Context) -> list[str]:
    return [value[:end] + value for end, letter in enumerate(value) if letter == ","]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "take", "arguments": {"things": [], "more": many_names(1_000_000)}}),
        ("tools/call", {"name": "take", "arguments": {"things": [{"b": 1}] * 50_000}}),
        ("tools/call", {"name": "take", "arguments": {"things": [{"a": 1}] * 9_000}}),
        ("prompts/get", {"name": "repeat", "arguments": {"what": "," * 50_000}}),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "repeat"}, "argument": {"name": "what", "value": "," * 2_000}},
        ),
    ],
    ids=["names", "mistakes", "refusal", "prompt", "completion"],
)
async def test_what_a_tool_or_a_completion_forgets_to_bound(method: str, params: Json) -> None:
    endpoint = new_endpoint(toolsets=[greedy])
    await endpoint.handle(message("tools/list"), "all")
    assert_bounded(*await measured(endpoint, method, params))


@pytest.mark.parametrize("header", ["x-mcp-tools", "x-mcp-toolsets"])
async def test_names_in_headers_are_repeated_in_part(app: App, header: str) -> None:
    for chosen in ("x" * 8000, ",".join(f"n{number}" for number in range(1200)), "," * 8000):
        answer = await Caller(app.endpoint, headers={header: chosen}).send("tools/list")
        assert answer.status == 400
        assert len(answer.body) < 3000


class Counted(dict[str, Json]):
    """An object that counts how often it was looked into."""

    looks = 0

    def values(self) -> Json:
        Counted.looks += 1
        return super().values()


def test_what_is_too_much_is_not_looked_at_to_its_end() -> None:
    Counted.looks = 0
    assert "more than" in excess([Counted(a=[Counted()]) for _ in range(MOST_VALUES + 1)])
    assert Counted.looks == 0
    for _ in range(3):
        assert excess([Counted(a=1) for _ in range(MOST_VALUES // 2)]) == ""
    assert Counted.looks == 3 * (MOST_VALUES // 2)


def test_what_is_not_too_much_is_taken() -> None:
    assert excess({f"n{number}": [] for number in range(MOST_NAMES)}) == ""
    assert f"{MOST_NAMES + 1} names" in excess({f"n{number}": [] for number in range(MOST_NAMES + 1)})
    node: Json = 1
    for _ in range(DEEPEST):
        node = [node]
    assert excess(node) == ""
    assert "deeper" in excess([node])
    assert "name in an object is longer" in excess({"x" * 1001: 1})
