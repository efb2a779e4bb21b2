"""Polls until something is ready or a time limit is reached."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from web import WebAnswer

SHORTEST_PAUSE = 0.1
SECONDS_BETWEEN_WORDS = 30.0


class Clock:
    """The clock of this machine."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


@dataclass(frozen=True)
class Wait:
    """What to wait for, the time limit in seconds, and the number of seconds between two polls."""

    what: str
    seconds: float
    pause: float


def ask_until(
    is_done: Callable[[WebAnswer], bool], ask: Callable[[], WebAnswer], wait: Wait, clock: Clock
) -> WebAnswer:
    """Poll until `is_done` accepts a response, or until the time limit is reached.

    Return the last response, which the caller must check.
    """
    began = clock.now()
    speak_at = 0.0
    while True:
        answer = ask()
        seconds = clock.now() - began
        pause = _pause(answer, wait)
        if is_done(answer) or seconds + pause > wait.seconds:
            return answer
        if seconds >= speak_at:
            speak_at = seconds + SECONDS_BETWEEN_WORDS
            state = "not yet" if answer.is_good else answer.said
            print(f"Waiting for {wait.what}, at most {wait.seconds - seconds:.0f} more seconds: {state}", flush=True)
        clock.sleep(pause)


def _pause(answer: WebAnswer, wait: Wait) -> float:
    return wait.pause if answer.pause is None else max(answer.pause, SHORTEST_PAUSE)
