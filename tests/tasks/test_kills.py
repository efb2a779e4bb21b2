"""Two workers at a real queue, killed at any moment: what was begun is done, and its result is there once."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

from local_host.process import LISTENING
from local_host.queue_settings import SETTING
from tests.fakes.azurite import connection_string_of_azurite
from tests.warm.app import start

APP = Path(__file__).parent / "app"
KILLS = int(os.environ.get("KILLS_OF_WORKERS", "4"))
STEPS = 4
# Each kill comes upon some of these.
TASKS = 3 * KILLS


class Host:
    """A host of the app, which may be killed and started anew."""

    def __init__(self, settings: dict[str, str]) -> None:
        self._settings = settings
        self._begin()

    def ask(self, method: str, path: str) -> Any:
        with urlopen(Request(self.url + path, method=method), timeout=60) as answer:  # noqa: S310 - what was just started
            return json.loads(answer.read())

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def kill_and_begin_anew(self) -> None:
        self.kill()
        self._begin()

    def _begin(self) -> None:
        self._process = start(APP, ["--port", "0"], settings=self._settings, stdout=subprocess.PIPE, stderr=-3)
        assert self._process.stdout
        lines = map(bytes.decode, self._process.stdout)
        self.url = next(line for line in lines if line.startswith(LISTENING)).removeprefix(LISTENING).strip() + "/"


@contextmanager
def hosts(count: int, settings: dict[str, str]) -> Iterator[list[Host]]:
    begun = [Host(settings) for _ in range(count)]
    try:
        yield begun
    finally:
        for host in begun:
            host.kill()


def test_whoever_is_killed_when_everything_that_was_begun_is_done_once(tmp_path: Path) -> None:
    chance = random.Random(20261122)  # noqa: S311 - no secret: the same kills each time
    world = tmp_path / "world"
    settings = {
        "STORE": connection_string_of_azurite(),
        "NAME": f"tasks{uuid4().hex[:20]}",
        "WORLD": str(world),
        SETTING: "3",
    }
    with hosts(2, settings) as (one, other):
        begun = one.ask("POST", f"begin/{TASKS}")
        for _ in range(KILLS):
            # A moment at random, in which workers are anywhere in a step.
            time.sleep(chance.random() / 3)
            chance.choice([one, other]).kill_and_begin_anew()
        told = one.ask("GET", "finished")
        results = one.ask("GET", "results")
    assert set(told) == set(begun)
    assert Counter(state for state, _ in told.values()) == {"completed": TASKS}
    assert all(result == {"counted": list(range(STEPS))} for result in results.values())
    done = Counter(world.read_text(encoding="utf-8").split("\n")[:-1])
    assert set(done) == {f"{task} {step}" for task in begun for step in range(STEPS)}
