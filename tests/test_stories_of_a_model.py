"""Everyday stories come to their end by few calls and few tokens, for a model that has only the default surface."""

from __future__ import annotations

from typing import Final

import pytest

from scripts.benchmarks.model import Model
from scripts.benchmarks.stories import STORIES, played
from scripts.benchmarks.stories_world import world

# The most calls and tokens of each, a little above what is reached.
BARS: Final = {
    "Find out why the last build of main failed (its log has 3,000 lines)": (3, 700),
    "List the open work items in my sprint and their owners, and move these items to the next sprint": (4, 1230),
    "Review a pull request: read the diff, comment on a line, and vote": (5, 940),
    "Open a pull request for a branch, and link the related work items": (4, 900),
    "Search all repositories for the file that defines a function, and read the file": (4, 860),
    "List the pull requests in the whole organization that wait for my review": (2, 660),
    "Find a wiki page by its text, and change one section of the page": (5, 1000),
    "Find which of our Azure services retire by the end of next year, and create a task": (5, 860),
}
# With the instructions; what is required of the firewall tool takes some seventy of them.
SURFACE: Final = 1350


@pytest.mark.parametrize("question", STORIES)
async def test_a_story_comes_to_its_end_within_its_bar(question: str) -> None:
    model, (calls, tokens) = await played(question), BARS[question]
    assert model.calls <= calls
    assert model.tokens <= tokens
    assert model.surface_tokens <= SURFACE


async def test_the_model_calls_only_what_it_was_told_of() -> None:
    async with world() as place:
        model = Model(place.caller)
        await model.look_around()
        with pytest.raises(RuntimeError, match="has not read about list_builds"):
            await model.do("list_builds")
        await model.want("list the builds")
        with pytest.raises(RuntimeError, match=r"has not read about .*colour"):
            await model.do("list_builds", colour="red")
        with pytest.raises(RuntimeError, match="maxResults"):
            await model.do("list_builds", maxResults=0)
