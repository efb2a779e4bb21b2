"""The sections of docs/benchmarks.md about agents: which tools agents find, and how many tokens they read and send."""

from __future__ import annotations

import asyncio
from typing import Final

from scripts.benchmarks import azure, azure_devops, intents, questions, stories
from scripts.benchmarks.measure import shown

_ABOUT_SENTENCES: Final = """\
Each sentence in this benchmark is something that a user could say to ask for a tool, for example “Which releases wait
for my approval?”. The benchmark passes each sentence to the tool `azure`, which finds all other tools. A result is
right if it is a tool that can do what the sentence asks for. If no tool can do it, the right answer is that no tool
matches. The columns are:

- *kind*: how the sentences are written, as described below
- *sentences*: the number of sentences of this kind in the file
- *first*: the number of sentences for which the first result is right, or `azure` correctly finds nothing
- *in three*: the number of sentences for which one of the first three results is right, or `azure` correctly finds
  nothing

The kinds are:

- *plain*: in the usual words for the task
- *other*: in less usual words, for example jargon
- *vague*: without saying exactly what is wanted
- *typo*: with typing errors
- *french*, *german*: in French, in German
- *foreign*: in any language other than English
- *none*, *impossible*: a request that no tool can handle (the files use different names for this kind)
- *all with a tool*: all sentences in the file, except those that no tool can handle

The sentences come from these files in `tests/intents`:"""
_ABOUT_FIRST_RUN: Final = """\
Results are better for sentences that we used to improve the search than for new sentences. The next table shows the
first run with the sentences in `fresh_c`, which were new at that time. This result is the best estimate for new
users."""
_ABOUT_TARGETS: Final = """\
For the sentences with a tool, the targets were 80 % for *first* (measured: 81 %) and 93 % for *in three* (measured:
86 %). For the impossible sentences, the target was 95 % (measured: 62 %). An earlier version of the search did not
consider the meaning of words. With that version, *first* was 49 and *in three* was 68 for the same 95 sentences.

The next table quotes the sentences in `fresh_c` for which the first result is currently wrong. *Found* lists the tools
that `azure` found, with the best match first. Some of these sentences are of the kind *impossible*, so `azure`
should have found nothing. The sentences fail because they use words that are not in the example sentences of the tools,
or because several tools match them."""
_ABOUT_PARTS: Final = """\
The search model learns from example sentences, which are stored for each tool in `tools/examples`. It learns from the
words of these sentences and from the meanings of the words. The next table shows how much each of these parts
helps:

- The row *words and meanings* shows the normal model.
- The rows *words only* and *meanings only* show models that learn from only one of the two.
- The other rows show how well the model finds the tools of a new toolset (a group of related tools). For these rows,
  each tool of the toolset has only five examples. The result with all examples is in parentheses.

The benchmark uses the sentences in `fresh_a`, `fresh_b` and `fresh_c` for which a tool exists. A row with a toolset
includes only the sentences that ask for a tool of this toolset. *First* counts the sentences for which the best match
is right. Do not compare these numbers with the tables above, because in this test, the model always names a tool."""


_ABOUT_QUESTIONS: Final = """\
The program from [Everyday stories](#everyday-stories) also answers questions about a fake Azure. People who had not
seen the tools wrote the first forty questions in the table. The table quotes all questions unchanged, so some contain
typing errors, and some are not in English."""
_ABOUT_FOUND_BY: Final = """\
*Found by* says how the program found the tools that it needed:

- *the question*: the program passed the question unchanged to the tool `azure`, which finds other tools
- *other words*: with the unchanged question, `azure` finds no tool or a wrong tool, so the program described the task
  in other words. Only these calls are counted
- *learning*: the program read the descriptions of all tools in a toolset (a group of related tools)

*Calls* includes the calls that find tools. *Longest answer* is the number of tokens in the longest answer. *Together*
is the number of tokens in all calls and answers. Four bytes count as one token."""


_ABOUT_DEVOPS: Final = f"""\
Each operation is measured in four ways, as the column *how* says:

- *a REST request, without MCP*: the benchmark itself sends the request to Azure DevOps, for comparison
- *ours, in process*: the benchmark calls our server without HTTP, in the same process
- *ours, over HTTP* and *official, over stdio*: the same Python MCP client calls a server in another process

The other columns are:

- *time*: the median time of {azure_devops.ROUNDS} calls, from the request to the parsed answer. The four ways alternate
- *requests*: how many requests a call sends to Azure DevOps. The official server sends more requests, because it looks
  up the URLs of the service in every call
- *connections*: how many new connections a call opens to Azure DevOps. 0 means that the call reuses an open one
- *tokens*: the length of the answer's text. Four bytes count as one token

Requests and connections take little time here, because there is no network latency or TLS."""


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

| what is read | how | time | requests | connections | tokens |
|---|---|---|---|---|---|
{calls}
The next table shows the size of the tool list. A model reads this list before its first call. If the caller does not
select a toolset, our server lists only a few tools. One of these tools, `azure`, finds and describes all other tools.

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

Our server and the official server (`{azure.official_version()}`) read from the same fake Azure. Both servers sign in
with the Azure CLI. Each server offers only some of its tools:

- Our server runs over HTTP with the toolsets `account`, `resource` and `storage`, including the tools that change
  something.
- The official server runs over stdio with the namespaces `subscription`, `group` and `storage`, in read-only mode.

The first table shows the start of each server, until the client has received the list of tools. Four bytes count as one
token.

| server | time from the start to the list of tools | memory after the list | tools | tokens in the list |
|---|---|---|---|---|
{servers}
The next table compares calls that read the same data. *Requests* counts the requests to Azure that a server sends for
the first call. For the repeated calls, the official server takes some data from its cache instead of sending requests.
Our server caches only the data that it needs to find the ID for a name, and reads all other data again. *Tokens* is the
length of the answer.

| what is read | server | median time of {azure.ROUNDS} calls | requests | tokens |
|---|---|---|---|---|
{calls}"""


def intents_section() -> str:
    print("measuring intents ...", flush=True)
    measured = intents.measured()
    rows, blind = _found_rows(measured.found), _found_rows(intents.BLIND)
    missed = "".join(f"| “{sentence}” | {found} |\n" for sentence, found in measured.missed.items())
    writers = "".join(f"\n- `{file}`: {who}" for file, who in intents.FILES.items())
    return f"""## Finding the tool

{_ABOUT_SENTENCES}
{writers}

| file | kind | sentences | first | in three |
|---|---|---|---|---|
{rows}
{_ABOUT_FIRST_RUN}

| file | kind | sentences | first | in three |
|---|---|---|---|---|
{blind}
{_ABOUT_TARGETS}

| sentence | found |
|---|---|
{missed}
{_ABOUT_PARTS}

| what the model learns from | sentences | first |
|---|---|---|
{intents.ABLATION}
With only five examples per tool, the model finds the tools of a new toolset less often. Write about
twenty examples for each tool that you [add](adding-a-tool.md).

{_cost_of_intents(measured)}"""


def _cost_of_intents(measured: intents.IntentFigures) -> str:
    tokens = "".join(f"| {name} | {count:,.0f} |\n" for name, count in measured.tokens.items())
    return f"""Finding the tools for a sentence takes {measured.milliseconds:.1f} ms of CPU time. The first
sentence after the start takes {measured.first_milliseconds:.0f} ms more, because the server loads the search model.

The next table shows the length of the answers of `azure`. Four bytes count as one token.

| answer | tokens |
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
announcements about Azure ([updates](updates.md)). At first, it knows only the tools that this server lists by default
(the list has {measured.surface:,.0f} tokens). It calls other tools only after an answer has mentioned them. It uses
only parameters from schemas that it has read, and only values from the task or from answers. Unlike a real model, the
program does not make mistakes.

*Calls* counts all calls for a task, including the calls to `azure` that find or explain tools. *Tokens sent* is the
length of the calls, and *tokens read* is the length of the answers. *Together* is the sum of *tokens sent* and *tokens
read*. Four bytes count as one token.

| task | calls | tokens sent | tokens read | together |
|---|---|---|---|---|
{rows}"""


def questions_section() -> str:
    print("asking questions about Azure ...", flush=True)
    report = questions.measured()
    answered = sum(one.is_answered for one in report)
    rows = "".join(
        f"| “{one.question.ask}” | {one.question.found_by} | {one.model.calls} | {one.model.longest_answer_tokens:,.0f}"
        f" | {one.model.tokens:,.0f} | {'yes' if one.is_answered else 'no'} |\n"
        for one in report
    )
    return f"""## Questions about Azure

{_ABOUT_QUESTIONS}

A question counts as answered if the answers of the tools contain all facts that `tests/questions/azure.yaml` lists for
this question, and no secret values. In addition, the program may use at most {questions.MOST_CALLS} calls, and no
answer may be longer than {questions.MOST_TOKENS:,} tokens. Two questions have no facts to find: one is about S3 buckets
in AWS, and the other is about a web app that does not exist. They count as answered if the answer says that no tool or
no app was found. The program answered {answered} of the {len(report)} questions.

{_ABOUT_FOUND_BY}

| question | found by | calls | longest answer | together | answered |
|---|---|---|---|---|---|
{rows}"""


def _found_rows(found: dict[tuple[str, str], intents.FoundShares]) -> str:
    return "".join(
        f"| {file} | {kind} | {each.sentences} | {each.first} | {each.in_three} |\n"
        for (file, kind), each in found.items()
    )
