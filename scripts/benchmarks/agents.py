"""The sections of docs/benchmarks.md about agents: which tools agents find, and how many tokens they read and send."""

from __future__ import annotations

import asyncio
from typing import Final

from scripts.benchmarks import azure, azure_devops, intents, questions, stories
from scripts.benchmarks.measure import shown

_ABOUT_SENTENCES: Final = """\
The benchmark passes sentences such as “Which releases wait for my approval?” to the tool `azure`, which lists the
matching tools. The table counts right results:

- *first*: the first tool in the list can handle the request
- *in three*: one of the first three tools can handle the request

Some kinds of sentences are:

- *other*: sentences with unusual words, such as jargon
- *none*, *impossible*: requests that no tool can handle. The right result is that no tool matches
- *all with a tool*: all sentences in the file that at least one tool can handle

The sentences come from these files in `tests/intents`:

- `open`, `more`: written by engineers. We used these sentences to improve the search
- `own`, `second`, `third`, `fourth`: written by the developer of this server
- `fresh_a`, `fresh_b`: written by people who had not seen any tool. We used these sentences to improve the
  search
- `fresh_c`: written by people who had not seen any tool"""
_ABOUT_FIRST_RUN: Final = """\
The best estimate for new users is the result of the first run with `fresh_c`. We had not read the sentences in
`fresh_c` before this run:"""
_ABOUT_TARGETS: Final = """\
The percentages for the first run are:

- sentences with a tool, *first*: 81 % (target: 80 %)
- sentences with a tool, *in three*: 86 % (target: 93 %)
- impossible sentences: 62 % (target: 95 %)

An earlier version of the search ignored the meaning of words. With that version, the first
tool was right for 49 of the 95 sentences. For 68 sentences, one of the first three tools was right.

The next table quotes the sentences in `fresh_c` that currently get a wrong first result. Some of these sentences
ask for something that no tool can do."""
_ABOUT_PARTS: Final = """\
The tool `azure` uses a text classifier, which learns from the words of the sentences in `tools/examples`, and from the
meanings of these words. The next table shows for how many sentences the classifier finds the right tool first.
The sentences are from the three `fresh` files, without the sentences that no tool can handle. Unlike `azure`, the
classifier alone always names a tool."""


_ABOUT_QUESTIONS: Final = """\
The program from [Everyday stories](#everyday-stories) also answers questions about a fake Azure. People who had not
seen the tools wrote the first forty questions."""
_ABOUT_FOUND_BY: Final = """\
*Found by* says how the program found the tools:

- *the question*: the program passed the question to `azure`. For the question about S3 buckets, the right answer is
  that no tool matches
- *other words*: `azure` finds no right tool for the question, so the program passed other words. The failed attempt is
  not counted
- *learning*: the program read the descriptions of all tools in a toolset"""


_ABOUT_DEVOPS: Final = """\
The official server sends more requests, because it looks up the URLs of Azure DevOps in every call."""


def azure_devops_section() -> str:
    print("measuring Azure DevOps ...", flush=True)
    found = asyncio.run(azure_devops.measured())
    calls = "".join(_cost_row(call, who, cost) for call, costs in found.calls.items() for who, cost in costs.items())
    listings = "".join(
        f"| {who} | {listing.tools} | {listing.tokens:,.0f} |\n" for who, listing in found.listings.items()
    )
    return f"""## Azure DevOps

Our server and Microsoft's official server (`{azure_devops.official_version()}`) read from the same fake Azure DevOps.
{_ABOUT_DEVOPS}

| what is read | how | median time of {azure_devops.ROUNDS} calls | requests | new connections | answer in tokens |
|---|---|---|---|---|---|
{calls}
If the caller does not select a toolset, our server lists only a few tools. One of them, `azure`, finds all other tools.

| server | tools | tokens |
|---|---|---|
{listings}"""


def _cost_row(call: str, who: str, cost: azure_devops.DevOpsCost) -> str:
    figures = f"{shown(cost.timing.median)} | {cost.requests} | {cost.connections} | {cost.tokens:,.0f}"
    return f"| {call} | {who} | {figures} |\n"


def azure_section() -> str:
    print("measuring Azure ...", flush=True)
    found = asyncio.run(azure.measured())
    servers = "".join(
        f"| {who} | {shown(one.seconds)} | {one.megabytes:.0f} MB | {one.tools} | {one.tokens:,.0f} |\n"
        for who, one in found.servers.items()
    )
    calls = "".join(
        f"| {call} | {who} | {shown(cost.timing.median)} | {cost.requests} | {cost.tokens:,.0f} |\n"
        for call, costs in found.calls.items()
        for who, cost in costs.items()
    )
    return f"""## Azure

Our server and the official server (`{azure.official_version()}`) read from the same fake Azure, and sign in with the
Azure CLI. Each server offers only some of its tools:

- *ours*: the toolsets `account`, `resource` and `storage`, including tools that change something
- *official*: the namespaces `subscription`, `group` and `storage`, in read-only mode

The time for our server includes the start of `scripts/serve`.

| server | time from the start to the list of tools | memory after the list | tools | tokens in the list |
|---|---|---|---|---|
{servers}
In repeated calls, the official server takes some data from its cache. Our server reads the data again.

| what is read | server | median time of {azure.ROUNDS} calls | requests in the first call | answer in tokens |
|---|---|---|---|---|
{calls}"""


def intents_section() -> str:
    print("measuring intents ...", flush=True)
    measured = intents.measured()
    rows, blind = _found_rows(measured.found), _found_rows(intents.BLIND)
    missed = "".join(f"| “{sentence}” | {found} |\n" for sentence, found in measured.missed.items())
    return f"""## Finding the tool

{_ABOUT_SENTENCES}

| file | kind | sentences | first | in three |
|---|---|---|---|---|
{rows}
{_ABOUT_FIRST_RUN}

| file | kind | sentences | first | in three |
|---|---|---|---|---|
{blind}
{_ABOUT_TARGETS}

| sentence | found, best match first |
|---|---|
{missed}
{_ABOUT_PARTS}

| what the classifier uses | sentences | right tool first |
|---|---|---|
{intents.ABLATION}
Each tool has many example sentences. The next table shows what happens if the classifier learns only five sentences for
each tool of one toolset:

| toolset | sentences | right with five examples | right with all examples |
|---|---|---|---|
{intents.ABLATION_OF_TOOLSETS}
{_cost_of_intents(measured)}"""


def _cost_of_intents(measured: intents.IntentFigures) -> str:
    tokens = "".join(f"| {name} | {count:,.0f} |\n" for name, count in measured.tokens.items())
    return f"""Finding the tools for a sentence takes {measured.milliseconds:.1f} ms of CPU time. The first sentence
after the start takes {measured.first_milliseconds:.0f} ms more.

A model can find a tool with the help of `azure`. The next table shows the length of the answers. `learn` and `intent`
are parameters of `azure`.

| answer of `azure` | tokens |
|---|---|
{tokens}"""


def stories_section() -> str:
    print("playing stories ...", flush=True)
    measured = stories.measured()
    rows = "".join(
        f"| {question} | {model.calls} | {model.sent_tokens:,.0f} | {model.read_tokens:,.0f} | {model.tokens:,.0f} |\n"
        for question, model in measured.models.items()
    )
    return f"""## Everyday stories

A program simulates a model that performs an engineer's tasks with a fake Azure DevOps and made-up
[updates](updates.md). Unlike a real model, the program makes no mistakes. At first, it knows only the tools that this
server lists by default ({measured.surface:,.0f} tokens, including spaces in the JSON). *Calls* includes the calls to
`azure` that find or explain tools.

| task | calls | tokens sent | tokens read | all tokens |
|---|---|---|---|---|
{rows}"""


def questions_section() -> str:
    print("asking questions about Azure ...", flush=True)
    report = questions.measured()
    answered = sum(one.is_answered for one in report)
    rows = "".join(
        f"| “{one.question.ask}” | {one.question.found_by} | {one.model.calls} | {one.model.longest_answer_tokens:,.0f}"
        f" | {one.model.tokens:,.0f} |\n"
        for one in report
    )
    return f"""## Questions about Azure

{_ABOUT_QUESTIONS}

The program answered {answered} of the {len(report)} questions. For each answered question, the program found all
facts that `tests/questions/azure.yaml` requires, read no secret values, and needed at most {questions.MOST_CALLS} calls
and at most {questions.MOST_TOKENS:,} tokens per answer.

{_ABOUT_FOUND_BY}

| question | found by | calls | tokens in the longest answer | all tokens |
|---|---|---|---|---|
{rows}"""


def _found_rows(found: dict[tuple[str, str], intents.FoundShares]) -> str:
    return "".join(
        f"| {file} | {kind} | {each.sentences} | {each.first} | {each.in_three} |\n"
        for (file, kind), each in found.items()
    )
