"""What is found in logs, of whatever size and by whatever pattern, on a service that remembers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import overload

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as each
from hypothesis import strategies as st

from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.sweeps import examples
from tests.tools.azure_devops.calling import calling
from tests.tools.azure_devops.given import given

STAMP = "2026-03-04T05:06:07.1234567Z "
MEGABYTE = 1024 * 1024


class Endless(Sequence[str]):
    """A log of any length that is nowhere kept."""

    def __init__(self, length: int, line: Callable[[int], str]) -> None:
        self._numbers, self._line = range(1, length + 1), line

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._line(number) for number in self._numbers[index]]
        return self._line(self._numbers[index])


def failed(azure_devops: FakeAzureDevOps, log: Sequence[str]) -> int:
    builds = azure_devops.builds
    number = builds.add(builds.define("Web", "Web CI"))
    builds.finish(number, "Compile", [["cloned"], log])
    return number


def asked_of_logs(azure_devops: FakeAzureDevOps) -> int:
    return sum("/logs/" in asked.path for asked in azure_devops.asked)


async def told_of(caller: Caller, build: int, **more: int) -> str:
    [failure] = (await given(caller, "get_build_failures", buildId=build, **more))["failures"]
    return str(failure["content"])


async def test_what_went_wrong_is_shown_wherever_it_stands(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    log = [f"{STAMP}Compiled module {index} with 0 errors" for index in range(1, 3001)]
    log[1499] = f"{STAMP}src/door.cs(12,5): \x1b[31merror CS1002: ; expected\x1b[0m"
    for index in range(2000, 2300):
        log[index] = f"{STAMP}System.TimeoutException: No answer after {index} ms"
    log[2990] = f"{STAMP}##[error]Process completed with exit code 1."
    content = await told_of(caller, failed(azure_devops, log))
    lines = content.splitlines()
    assert "1500:src/door.cs(12,5): error CS1002: ; expected" in lines
    assert "1499-Compiled module 1499 with 0 errors" in lines
    assert "2001:System.TimeoutException: No answer after 2000 ms (and 299 like it)" in lines
    assert "2991:##[error]Process completed with exit code 1." in lines
    assert len(lines) <= 40
    assert len(content) / 4 < 500


@pytest.mark.parametrize(
    "line",
    [
        "##[error]It does not fit",
        "FAIL src/door.test.ts",
        "--- FAIL: TestDoor (0.00s)",
        "Error: no hinge",
        "java.lang.NullPointerException: hinge",
        "Traceback (most recent call last):",
        "npm ERR! missing script: build",
        "fatal: repository not found",
        "E   assert 1 == 2",
        "panic: runtime error",
        "2 tests failed",
    ],
)
async def test_a_line_that_tells_is_known(caller: Caller, azure_devops: FakeAzureDevOps, line: str) -> None:
    log = [*["fine"] * 300, line, *["fine"] * 300]
    assert f"\n301:{line}\n" in await told_of(caller, failed(azure_devops, log))


@pytest.mark.parametrize(
    "line",
    [
        "0 Error(s)",
        "Build succeeded with no errors",
        "Failed: 0, Passed: 12",
        "##[debug]error handling is on",
        "##[command]run --fail-on-error",
        "compiled src/errors.py",
        "continueOnError: true",
        "all is well",
    ],
)
async def test_a_line_that_tells_nothing_is_not_taken_for_a_failure(
    caller: Caller, azure_devops: FakeAzureDevOps, line: str
) -> None:
    content = await told_of(caller, failed(azure_devops, [line, *["fine"] * 300]), lines=3)
    assert content == "299-fine\n300-fine\n301-fine"


async def test_long_lines_do_not_make_a_long_answer(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    kinds = "abcdefghijklmnopqrstuvwxyz"
    log = [f"{STAMP}error: {kind * 5000}" for kind in kinds for _ in range(20)]
    content = await told_of(caller, failed(azure_devops, log))
    assert "1:error: aaa" in content
    assert "(and 19 like it)" in content
    assert len(content) / 4 < 1500
    assert (await told_of(caller, failed(azure_devops, log), lines=1)).startswith("1:error: aaa")


async def test_half_a_gigabyte_is_read_at_both_ends_only(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    errors = {5: "error: the first", 4_999_000: "error: the last"}
    build = failed(azure_devops, Endless(5_000_000, lambda number: errors.get(number, "x" * 100)))
    answer = await given(caller, "get_build_failures", buildId=build)
    [failure] = answer["failures"]
    assert "5:error: the first" in failure["content"]
    assert "4999000:error: the last" in failure["content"]
    assert failure["unread"].endswith(" to 4998000")
    assert "get_build_logs" in answer["next"]
    assert asked_of_logs(azure_devops) <= 6


async def test_a_search_of_half_a_gigabyte_ends_and_says_where_to_go_on(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    build = failed(azure_devops, Endless(5_000_000, lambda number: f"{number} " + "x" * 100))
    log = {"buildId": build, "logId": 2, "pattern": "^4999999 "}
    first = await given(caller, "get_build_logs", **log)
    assert first["found"] == 0
    following = int(first["more"].rpartition("=")[2].rstrip("."))
    assert 100_000 < following < 400_000
    last = await given(caller, "get_build_logs", **log, startLine=4_900_000)
    assert (last["found"], "more" in last) == (1, False)
    assert last["content"].splitlines()[2].startswith("4999999:4999999 xx")


async def test_a_line_of_fifty_megabytes_holds_nothing_up(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    huge = "y" * 1_000_000 + "needle" + "z" * (49 * MEGABYTE)
    build = failed(azure_devops, ["before", huge, "error: after"])
    content = await told_of(caller, build)
    assert content.splitlines()[0] == "1-before"
    assert content.splitlines()[-1] == "3:error: after"
    assert len(content) < 1000
    found = await given(caller, "get_build_logs", buildId=build, logId=2, pattern="needle", context=1)
    [_, middle, _] = found["content"].splitlines()
    assert "needle" in middle
    assert len(middle) < 500
    assert (await given(caller, "get_build_logs", buildId=build, logId=2, pattern="error: AFTER"))["found"] == 1


async def test_lines_are_found_by_text_and_by_expression_in_any_case(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    log = [f"{STAMP}\x1b[1mStep {index}\x1b[0m\x00" for index in range(1, 101)]
    log[39] = f"{STAMP}##[error]No \x1b[31mhinge\x1b[0m at C:\\agent\\_work\r"
    build = failed(azure_devops, log)

    async def found(pattern: str, **more: int) -> str:
        about = {"buildId": build, "logId": 2, "pattern": pattern, "context": 0}
        return str((await given(caller, "get_build_logs", **(about | more))).get("content"))

    here = "40:##[error]No hinge at C:\\agent\\_work"
    for pattern in ("##[error]", "no hinge", "HINGE|nothing", r"^##.*_work$", "##[error]|##[warning]", STAMP + "##"):
        assert await found(pattern) == here, pattern
    assert await found("(?-i:HINGE)") == "None"
    assert await found("hinge", context=1) == f"39-Step 39\n{here}\n41-Step 41"
    assert await found(r"Step [12]$", context=1) == "1:Step 1\n2:Step 2\n3-Step 3"
    assert await found(r"step 1$|step 4$", context=1) == "1:Step 1\n2-Step 2\n3-Step 3\n4:Step 4\n5-Step 5"
    assert await found(r"step 1$|step 9$") == "1:Step 1\n--\n9:Step 9"
    assert await found("step", startLine=99, endLine=99) == "99:Step 99"


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(.*a){20}$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a{0,20}){20}!"]
)
async def test_no_pattern_goes_back_for_ever(caller: Caller, azure_devops: FakeAzureDevOps, pattern: str) -> None:
    build = failed(azure_devops, ["a" * 5000 + "\u00a7"] * 5)
    assert (await given(caller, "get_build_logs", buildId=build, logId=2, pattern=pattern))["found"] == 0


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("door (", "at character 6, '(': unclosed group"),
        ("[z-a]", "at character 2, 'z-a]': invalid character class range"),
        ("a\\", "incomplete escape sequence"),
        ("(?=door)", "look-around"),
        (r"(door)\1", "backreferences are not supported"),
        ("((a{100}){100}){100}", "has 1000000 parts. The limit is 500"),
        (r"\w{60}", "has 600 parts"),
        (r"[\w-]{60}", "has 600 parts"),
        ("a\nb", "must be a single line"),
        ("a\x00b", "must be a single line"),
        (" ", "must be a single line"),
        ("x" * 201, "pattern"),
    ],
)
async def test_a_wrong_pattern_is_told_its_mistake_before_anything_is_read(
    caller: Caller, azure_devops: FakeAzureDevOps, pattern: str, told: str
) -> None:
    assert told in await caller.told("get_build_logs", buildId=101, logId=2, pattern=pattern)
    assert azure_devops.asked == []


async def test_a_heavy_pattern_reads_less_at_once(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    build = failed(azure_devops, ["x" * 100] * 40_000)
    light = await given(caller, "get_build_logs", buildId=build, logId=2, pattern="needle")
    heavy = await given(caller, "get_build_logs", buildId=build, logId=2, pattern="n{400}")
    assert ("more" in light, "more" in heavy) == (False, True)


async def test_all_finds_are_read_by_going_on(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    build = failed(azure_devops, [f"line {index}" for index in range(1, 501)])
    seen: list[int] = []
    start: int | None = 1
    while start:
        found = await given(
            caller, "get_build_logs", buildId=build, logId=2, pattern=r"line \d*7$", context=0, startLine=start
        )
        numbers = [int(line.partition(":")[0]) for line in found["content"].splitlines() if line != "--"]
        assert len(numbers) == min(found["found"], 50)
        seen += numbers
        start = int(found["more"].rpartition("=")[2].rstrip(".")) if "more" in found else None
    assert seen == [number for number in range(1, 501) if number % 10 == 7]


async def test_all_logs_of_a_build_are_searched_in_one_call(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    builds = azure_devops.builds
    build = builds.add(builds.define("Web", "Web CI"))
    builds.finish(build, "", [["cloned"], ["one", "a hinge"], ["hinges", *["fits"] * 9]])
    answer = await given(caller, "get_build_logs", buildId=build, pattern="hinge", context=0)
    assert (answer["searched"], answer["count"]) == (3, 2)
    assert [(log["step"], log["content"]) for log in answer["items"]] == [
        ("Build > Linux > Compile", "2:a hinge"),
        ("Build > Linux > Test", "1:hinges"),
    ]
    run = {"pipelineId": 1, "runId": build, "pattern": "hinge", "context": 0}
    assert await given(caller, "get_pipeline_logs", **run) == answer
    builds.logs[build] = {index: ["hinge " + "x" * 300] * 200 for index in (1, 2, 3)}
    much = await given(caller, "get_build_logs", buildId=build, pattern="hinge")
    assert len(json.dumps(much)) / 4 < 5000
    assert much["items"][-1]["more"] == "The matches do not fit here: request this log alone."


async def test_a_log_that_is_gone_leaves_the_others(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    build = failed(azure_devops, ["no hinge"])
    azure_devops.builds.gone_logs = {2}
    [failure] = (await given(caller, "get_build_failures", buildId=build))["failures"]
    assert failure["errors"] == ["Compile went wrong"]
    assert "BuildLogNotFoundException" in failure["unread"]
    [gone] = (await given(caller, "get_build_logs", buildId=build, pattern="cloned|hinge"))["items"][1:]
    assert (gone["logId"], "The log does not exist" in gone["more"]) == (2, True)
    assert "does not exist" in await caller.told("get_build_logs", buildId=build, logId=2, pattern="hinge")


async def test_logs_of_a_deployment_are_searched(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    definition = azure_devops.releases.define("Shop CD", "Test")
    made = await given(caller, "create_release", definitionId=definition)
    azure_devops.releases.finish(made["id"], "Test", "failed", "one", "no hinge", after=20)
    place = {"releaseId": made["id"], "environmentId": made["environments"][0]["id"]}
    found = await given(caller, "get_release_logs", **place, pattern="hinge|nothing", context=1)
    assert [(task["taskId"], task["content"]) for task in found["tasks"]] == [(7, "1-one\n2:no hinge")]
    assert found["searched"] == 21
    one = await given(caller, "get_release_logs", **place, taskId=7, pattern="hinge")
    assert one["content"] == "1-one\n2:no hinge"
    assert "unclosed group" in await caller.told("get_release_logs", **place, pattern="(")


TEXTS = st.text(st.sampled_from("ab\x00\x1b[m\r\u2028\ufeff é😀"), max_size=12)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@each(lines=st.lists(TEXTS, min_size=1, max_size=20), needle=st.sampled_from(["a", "ab", "é", "😀"]))
async def test_what_is_found_is_what_is_there(lines: list[str], needle: str) -> None:
    azure_devops = FakeAzureDevOps()
    build = failed(azure_devops, lines)
    async with azure_devops.serving() as url, calling(Elsewhere(url), url, project="Web") as caller:
        answer = await given(caller, "get_build_logs", buildId=build, logId=2, pattern=needle, context=0)
    content = answer.get("content", "")
    shown = [int(line.partition(":")[0]) for line in content.split("\n") if line not in {"--", ""}]
    assert len(shown) == answer["found"]
    assert {number for number, line in enumerate(lines, 1) if needle in line} <= set(shown)


def test_the_endless_log_is_a_sequence() -> None:
    log = Endless(3, str)
    assert (list(_all(log)), log[1:], len(log)) == (["1", "2", "3"], ["2", "3"], 3)


def _all(log: Sequence[str]) -> Iterator[str]:
    yield from log
