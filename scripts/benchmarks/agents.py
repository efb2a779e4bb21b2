"""The sections of docs/benchmarks.md about agents: which tools agents find, and how many tokens they read and send."""

from __future__ import annotations

import asyncio
from typing import Final

from scripts.benchmarks import azure, azure_devops, intents, questions, stories
from scripts.benchmarks.measure import shown

_ABOUT_SENTENCES: Final = """\
Each sentence in this benchmark is a request, for example “Which releases wait for my approval?”. The benchmark passes
the sentence to the tool `azure`, which lists the tools that match the sentence. The table counts right results:

- *first*: the first tool in the list can handle the request
- *in three*: one of the first three tools can handle the request

If no tool can handle the request, the right result is that no tool matches. The kinds of sentences are:

- *plain*: in the usual words for the task
- *other*: in less usual words, such as jargon
- *french*, *german*, *foreign*: not in English
- *typo*: with spelling mistakes
- *vague*: without details, for example “what's new”
- *none*, *impossible*: requests that no tool can handle. `fresh_a` and `fresh_b` also have a few in the other kinds
- *all with a tool*: all sentences in the file that one tool can handle

The sentences come from these files in `tests/intents`:

- `open`, `more`: written by engineers, and used to improve the search
- `own`, `second`, `third`, `fourth`: written by the developer of this server
- `fresh_a`, `fresh_b`, `fresh_c`: written by people who had not seen any tool. `fresh_a` was used to write examples for
  the tools, `fresh_b` to choose the search's thresholds, and `fresh_c` only to test the search"""
_ABOUT_FIRST_RUN: Final = """\
Results are better for sentences that we used to improve the search. The best estimate for new users is the first run
with `fresh_c`, before we had read its sentences:"""
_ABOUT_TARGETS: Final = """\
The same results as percentages:

- sentences with a tool, *first*: 81 % (target: 80 %)
- sentences with a tool, *in three*: 86 % (target: 93 %)
- impossible sentences: 62 % (target: 95 %)

An earlier version of the search ignored the meaning of words. For 49 of the 95 sentences, the first tool was right, and
for 68, one of the first three.

The next table quotes the sentences in `fresh_c` for which the first result is currently wrong."""
_ABOUT_PARTS: Final = """\
The tool `azure` finds tools with a text classifier. The classifier has learned from the words of the example sentences
in `tools/examples`, and from the meanings of these words. In the last five rows of the next table, the tools of one
toolset have only five examples each. These rows count only sentences that ask for a tool of this toolset.

All sentences are from `fresh_a`, `fresh_b` and `fresh_c`. Do not compare the numbers with the tables above: the
classifier alone never answers that no tool matches."""


_ABOUT_QUESTIONS: Final = """\
The program from [Everyday stories](#everyday-stories) also answers questions about a fake Azure. People who had not
seen the tools wrote the first forty questions in the table."""
_ABOUT_FOUND_BY: Final = """\
*Found by* says how the program found the tools that it needed:

- *the question*: the program passed the question unchanged to the tool `azure`, which finds other tools
- *other words*: for the unchanged question, `azure` finds no right tool, so the program used other words. The calls
  with the unchanged question are not counted
- *learning*: the program read the descriptions of all tools in a toolset"""


_ABOUT_DEVOPS: Final = """\
In the rows with HTTP and stdio, the same Python MCP client calls a server in another process.

The official server sends more requests to Azure DevOps, because it looks up the URLs of the service in every call. With
network latency and TLS, these requests take longer than in this benchmark."""


def azure_devops_section() -> str:
    print("measuring Azure DevOps ...", flush=True)
    found = asyncio.run(azure_devops.measured())
    calls = "".join(_cost_row(call, who, cost) for call, costs in found.calls.items() for who, cost in costs.items())
    listings = "".join(
        f"| {who} | {listing.tools} | {listing.tokens:,.0f} |\n" for who, listing in found.listings.items()
    )
    return f"""## Azure DevOps

Our server and Microsoft's official server (`{azure_devops.official_version()}`) read from the same fake Azure DevOps on
the same machine. {_ABOUT_DEVOPS}

| what is read | how | median time of {azure_devops.ROUNDS} calls | requests | new connections | answer in tokens |
|---|---|---|---|---|---|
{calls}
A model reads the list of tools before its first call. If the caller does not select a toolset, our server lists only a
few tools. One of these tools, `azure`, finds and describes all other tools.

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
Azure CLI. Only our list includes tools that change something. Each server offers only some of its tools:

- *ours*: the toolsets `account`, `resource` and `storage`
- *official*: the namespaces `subscription`, `group` and `storage`, in read-only mode

| server | time from the start to the list of tools | memory after the list | tools | tokens in the list |
|---|---|---|---|---|
{servers}
The next table compares calls that read the same data. For repeated calls, the official server takes some data from its
cache. Our server caches only the IDs of subscriptions and resources that callers pass by name.

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

| what the classifier learned from | sentences | first |
|---|---|---|
{intents.ABLATION}
{_cost_of_intents(measured)}"""


def _cost_of_intents(measured: intents.IntentFigures) -> str:
    tokens = "".join(f"| {name} | {count:,.0f} |\n" for name, count in measured.tokens.items())
    return f"""Finding the tools for a sentence takes {measured.milliseconds:.1f} ms of CPU time. The first sentence
after the start takes {measured.first_milliseconds:.0f} ms more, because the server loads the classifier.

To find a tool, a model reads some of these answers. `learn` and `intent` are parameters of the tool `azure`.

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

A program simulates a model that performs an engineer's tasks. The program uses a fake Azure DevOps and made-up
[updates](updates.md). At first, the program knows only the tools that this server lists by default
({measured.surface:,.0f} tokens, counted with the spaces in the JSON). It uses other tools, parameters and values only
after it has read them in the task or in an answer. Unlike a real model, the program does not make mistakes.

*Calls* includes the calls to `azure` that find or explain tools. *All tokens* is the sum of the tokens sent and read,
before rounding.

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

The program answered {answered} of the {len(report)} questions. A question counts as answered if the answers of the
tools contain all facts that `tests/questions/azure.yaml` lists for the question, and no secret values. In addition, the
program may use at most {questions.MOST_CALLS} calls, and no answer may be longer than {questions.MOST_TOKENS:,} tokens.

{_ABOUT_FOUND_BY}

| question | found by | calls | tokens in the longest answer | all tokens |
|---|---|---|---|---|
{rows}"""


def _found_rows(found: dict[tuple[str, str], intents.FoundShares]) -> str:
    return "".join(
        f"| {file} | {kind} | {each.sentences} | {each.first} | {each.in_three} |\n"
        for (file, kind), each in found.items()
    )
