"""Everyday stories come to their end by few calls and few tokens, for a model that has only the default surface."""

from __future__ import annotations

from typing import Final

import pytest

from scripts.benchmarks.model import Model
from scripts.benchmarks.stories import STORIES, played
from scripts.benchmarks.stories_world import world

# The most calls and tokens of each, a little above what is reached.
BARS: Final = {
    "Why did the last build of main fail? Its log has 3,000 lines": (3, 700),
    "What is left in my sprint, and who has it? Move it to the next one": (4, 1230),
    "Review a pull request: what changed, a comment on a line, a vote": (5, 940),
    "Open a pull request for a branch, with the work items about it": (4, 900),
    "Where is that function defined, over all repositories? Read it": (4, 860),
    "Which pull requests wait for my review, in the whole organization?": (2, 660),
    "Change one section of a wiki page, found by its text": (5, 1000),
    "Which Azure services of ours retire until the end of next year? File a task": (5, 860),
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
