"""Plays an engineer's everyday tasks with a simulated model that has only the listed tools. Counts calls and tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from scripts.benchmarks.model import Model
from scripts.benchmarks.stories_world import LAST_YEAR, USED, WIKI, World, world

Play = Callable[[Model, World], Awaitable[bool]]


@dataclass(frozen=True)
class StoryFigures:
    """The simulated model that played each story, and the number of tokens in the tool list."""

    surface: float
    models: dict[str, Model]


def measured() -> StoryFigures:
    return asyncio.run(_play_all())


async def _play_all() -> StoryFigures:
    models = {question: await played(question) for question in STORIES}
    [surface] = {model.surface_tokens for model in models.values()}
    return StoryFigures(surface, models)


async def played(question: str) -> Model:
    """Play a story to its end in a new fake environment. Return the model."""
    async with world() as place:
        model = Model(place.caller)
        await model.look_around()
        if not await STORIES[question](model, place):
            raise RuntimeError(f"The story did not finish: {question}")
        return model


async def _why_it_failed(model: Model, _: World) -> bool:
    await model.want("why did the last build of main fail?")
    [last] = (await model.do("list_builds", branch="main", maxResults=1))["items"]
    [failure] = (await model.do("get_build_failures", buildId=last["id"]))["failures"]
    return "'basket' undeclared" in failure["content"] and failure["lines"] == 3000


async def _sprint(model: Model, place: World) -> bool:
    await model.want("what is left in my sprint, and who has it?")
    open_items = await model.do("list_iteration_items", states=["not done"])
    ids = [item["id"] for item in open_items["items"]]
    await model.want("move work items that are not done to the next sprint")
    await model.do("update_work_item", id=ids, iterationPath="next")
    moved = [place.azure_devops.work_items.latest(number)["fields"]["System.IterationPath"] for number in ids]
    return len(open_items["totals"]["people"]) == 3 and moved == ["Web\\Sprint 3"] * 4


async def _review(model: Model, place: World) -> bool:
    await model.want("review pull request 1 of shop")
    pull_request = {"repository": "shop", "pullRequestId": 1}
    [change] = (await model.do("get_pull_request_diff", **pull_request))["items"]
    where = {"filePath": change["path"], "lineNumber": _line(change["diff"], "1.2")}
    await model.do("add_pull_request_comment", **pull_request, content="Is that the tax? Name it.", **where)
    await model.want("approve a pull request")
    await model.do("vote_pull_request", **pull_request, vote="approveWithSuggestions")
    [thread] = place.azure_devops.pull_requests.threads[1]
    location = thread["threadContext"]["filePath"], thread["threadContext"]["rightFileStart"]["line"]
    return location == ("/src/total.py", 2) and place.azure_devops.pull_requests.opened[0]["reviewers"][-1]["vote"] == 5


def _line(diff: str, text: str) -> int:
    """Find the added line that contains a text, and return its line number in the new version of the file."""
    _, header, hunk = diff.split("@@")
    start = int(header.partition("+")[2].partition(",")[0])
    new = [line for line in hunk.splitlines()[1:] if not line.startswith("-")]
    return start + next(at for at, line in enumerate(new) if text in line)


async def _open(model: Model, place: World) -> bool:
    await model.want("find work items about refunds")
    about = (await model.do("search_work_items", searchText="refund"))["items"]
    await model.want("open a pull request for the branch refunds with linked work items")
    branches = {"repository": "shop", "sourceBranch": "refunds", "targetBranch": "main"}
    ids = [item["id"] for item in about]
    opened = await model.do("create_pull_request", **branches, title="Pay refunds back", workItemIds=ids)
    pull_request = place.azure_devops.pull_requests.opened[opened["id"] - 1]
    return pull_request["sourceRefName"] == "refs/heads/refunds" and len(opened["linkedWorkItems"]) == 2


async def _function(model: Model, _: World) -> bool:
    await model.want("find where a function is defined, over all repositories")
    found = (await model.do("search_code", searchText="calibrate_oven", project="*"))["items"]
    [defined] = [file for file in found if any(line["text"].startswith("def ") for line in file["lines"])]
    await model.want("read a file of a repository")
    file = {"project": defined["project"], "repository": defined["repository"], "path": defined["path"]}
    return "return heat(reading - offset)" in (await model.do("get_file_content", **file))["content"]


async def _waiting(model: Model, _: World) -> bool:
    await model.want("which pull requests wait for my review in the whole organization?")
    waiting = await model.do("list_pull_requests", project="*", reviewerId="@Me", awaitsVote=True)
    return {item["id"] for item in waiting["items"]} == {1, 2, 3}


async def _wiki(model: Model, place: World) -> bool:
    await model.want("update the section Rollback of the wiki page How we release")
    await model.want("find a wiki page by its text")
    [found] = (await model.do("search_wiki", searchText="Rollback"))["items"]
    page = {"wikiId": found["wiki"], "path": found["path"]}
    read = await model.do("get_wiki_page", **page, section="Rollback")
    text = read["content"].replace("of last night", "of the last hour")
    await model.do("update_wiki_section", **page, section="Rollback", content=text, eTag=read["eTag"])
    now = place.azure_devops.wikis.pages[WIKI][found["path"]].content
    return "of the last hour.\n\n## After" in now and "Tell everybody." in now


async def _retirements(model: Model, place: World) -> bool:
    retiring = []
    for product in USED:
        when = {"availabilityRing": "Retirement", "dateTo": f"{LAST_YEAR}-12", "products": [product]}
        retiring += (await model.do("search_azure_updates", filters=when))["results"]
    await model.want("create a work item")
    first = retiring[0]
    made = await model.do(
        "create_work_item", type="Task", title=first["title"], description=f"Azure update {first['id']}"
    )
    title = place.azure_devops.work_items.latest(made["id"])["fields"]["System.Title"]
    return len(retiring) == 2 and title == first["title"]


STORIES: Final[dict[str, Play]] = {
    "Find out why the last build of main failed (its log has 3,000 lines)": _why_it_failed,
    "List the open work items in my sprint and their owners, and move these items to the next sprint": _sprint,
    "Review a pull request: read the diff, comment on a line, and vote": _review,
    "Open a pull request for a branch, and link the related work items": _open,
    "Search all repositories for the file that defines a function, and read the file": _function,
    "List the pull requests in the whole organization that wait for my review": _waiting,
    "Find a wiki page by its text, and change one section of the page": _wiki,
    "Find which of our Azure services retire by the end of next year, and create a task": _retirements,
}
