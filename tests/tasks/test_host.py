"""What host.json says of queues is what tasks count on, and what the platform takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from local_host.queue_settings import QueueSettings
from local_host.settings import AppFolder
from local_host.timers import time_span
from tasks.worker import MOST_TRIES, SECONDS_OF_A_STEP

ROOT: Final = Path(__file__).parents[2]
SETTINGS: Final = QueueSettings.of(AppFolder(ROOT).queues)
# The platform waits so long at most before it looks for messages again, and `/health` need not tell of older ones.
LONGEST_PAUSE: Final = 60.0
# Steps mostly wait for services; more of them at once would hold up the requests of an instance of 2 GB.
MOST_AT_ONCE: Final = 8


def test_a_message_is_read_in_the_encoding_in_which_it_is_sent() -> None:
    assert SETTINGS.is_encoded


def test_no_step_is_stopped_by_the_platform() -> None:
    longest = time_span(json.loads((ROOT / "host.json").read_text(encoding="utf-8"))["functionTimeout"])
    assert longest
    # Half a minute is left to keep what came of it.
    assert longest.total_seconds() >= SECONDS_OF_A_STEP + 30


def test_a_task_has_failed_before_its_message_is_put_aside() -> None:
    assert SETTINGS.most_tries > MOST_TRIES


def test_a_storage_that_is_away_for_a_while_puts_no_message_aside() -> None:
    """Each try that fails is followed by a pause: without one, a message would be aside within a second."""
    assert SETTINGS.seconds_after_failure * (SETTINGS.most_tries - 1) >= 120


def test_an_instance_does_so_much_at_once_that_it_still_answers() -> None:
    assert SETTINGS.batch + SETTINGS.threshold <= MOST_AT_ONCE


def test_a_message_is_found_while_somebody_still_waits_for_it() -> None:
    assert SETTINGS.longest_pause <= LONGEST_PAUSE / 2
