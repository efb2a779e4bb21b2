"""The sections of docs/benchmarks.md about agents: which tools agents find, and how many tokens they read and send."""

from __future__ import annotations

import asyncio

from scripts.benchmarks import azure, azure_devops, intents, questions, stories
from scripts.benchmarks.measure import shown


def azure_devops_section() -> str:
    print("measuring Azure DevOps ...", flush=True)
    found = asyncio.run(azure_devops.measured())
    calls = "".join(_cost_row(call, who, cost) for call, costs in found.calls.items() for who, cost in costs.items())
    listings = "".join(
        f"| {who} | {listing.tools} | {listing.tokens:,.0f} |\n" for who, listing in found.listings.items()
    )
    return f"""## Azure DevOps

Our server and the official server read from a fake Azure DevOps on the same machine. The official server is
`{azure_devops.official_version()}`. Times are the median of {azure_devops.ROUNDS} alternating calls, measured by the
same Python client, from the request to the parsed answer. For each call, *requests* and *connections* count the
requests and connections to Azure DevOps. Requests and connections cost little in this setup, because there is no
network latency or TLS. The official server looks up the URLs of the service in every call, and the fake returns only
the URLs that the official server needs. A token is four bytes of the answer's text.

| read | by | time | requests | connections | tokens |
|---|---|---|---|---|---|
{calls}
This table shows the number of tokens in the tool list, which a model reads before its first call. If the caller does
not select a toolset of our server, the list has only a few tools. One of these tools finds and describes all other
tools on request.

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

Our server (over HTTP) and the official server {azure.official_version()} (over stdio, read-only, with three of its
namespaces) read from the same fake Azure. Both servers sign in with `az`. *Requests* counts the requests that the first
call sends. The official server caches some answers, and sends no request when such a call is repeated. Our server
caches only the data that it needs to distinguish names from ids.

| server | start to its first list | memory then | tools | tokens in the list |
|---|---|---|---|---|
{servers}
| read | server | median of {azure.ROUNDS} | requests | tokens |
|---|---|---|---|---|
{calls}"""


def intents_section() -> str:
    print("measuring intents ...", flush=True)
    measured = intents.measured()
    rows, blind = _found_rows(measured.found), _found_rows(intents.BLIND)
    missed = "".join(f"| {sentence} | {found} |\n" for sentence, found in measured.missed.items())
    writers = "".join(f"\n- `{file}`: {who}" for file, who in intents.FILES.items())
    return f"""## Finding the tool

The table shows how many sentences by engineers find their tool through `azure`, as the first result (*first*) and
among the first three results (*in three*). No tool can handle sentences of the kinds *none* and *impossible*: for
these, both columns count the answers that say that no tool matches. The files have these authors:
{writers}

| file | kind | sentences | first | in three |
|---|---|---|---|---|
{rows}
Sentences that were used for tuning score better than new sentences. The next table has the results of the first
run with new sentences, which is the best estimate for other users. Before the search considered the meaning of words,
49 of these 95 sentences found their tool first, and 68 found it among the first three.

| file | kind | sentences | first | in three |
|---|---|---|---|---|
{blind}
The targets were 80 % first, 93 % among the first three, and 95 % of the sentences that no tool can handle.
Failed sentences use words that are not in the examples, or could match several tools. These sentences of the last file
fail:

| sentence | found |
|---|---|
{missed}
This table shows how much each part of the model contributes: for how many sentences in the last three files the right
tool ranks first. Only sentences with a single request count.

| learned with | sentences | first |
|---|---|---|
{intents.ABLATION}
The tools of a new toolset with five examples per tool are found less often than tools with forty examples. Write
about twenty examples per tool.

{_cost_of_intents(measured)}"""


def _cost_of_intents(measured: intents.IntentFigures) -> str:
    tokens = "".join(f"| {name} | {count:,.0f} |\n" for name, count in measured.tokens.items())
    return f"""An intent takes {measured.milliseconds:.1f} ms of CPU time.
The first intent takes {measured.first_milliseconds:.0f} ms more, because it loads the model.

| what a model reads | tokens |
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

A program that simulates a model carries out an engineer's tasks, with a fake Azure DevOps and Azure updates. The
program knows the tools that are listed by default ({measured.surface:,.0f} tokens). The program calls only tools that
an answer mentioned. The program uses only parameters from schemas that it has read, and only values from the task or
from answers. Unlike a model, the program does not make mistakes. *Calls* also counts the calls that find and explain
tools. *Tokens sent* are the arguments of the calls.

| story | calls | tokens sent | tokens read | together |
|---|---|---|---|---|
{rows}"""


def questions_section() -> str:
    print("asking questions about Azure ...", flush=True)
    report = questions.measured()
    answered = sum(one.is_answered for one in report)
    rows = "".join(
        f"| {one.question.ask} | {one.question.found_by} | {one.model.calls} | {one.model.longest_answer_tokens:,.0f}"
        f" | {one.model.tokens:,.0f} | {'yes' if one.is_answered else 'no'} |\n"
        for one in report
    )
    return f"""## Questions about Azure

There are {len(report)} questions. For each question, we list the facts that an answer must contain. The author wrote
the first forty questions before seeing any tool. The program from [Everyday stories](#everyday-stories) simulates the
model, with a fake Azure. The program answers {answered} questions, each in at most {questions.MOST_CALLS} calls, with
answers of at most {questions.MOST_TOKENS:,} tokens. Two questions ask for something that the fake Azure does not have:
they count as answered if the answer says so. *Found by* says how the program found its tools: with the question itself;
with other words, because the question found no tool or a wrong tool; or by reading a whole toolset.

| question | found by | calls | longest answer | together | answered |
|---|---|---|---|---|---|
{rows}"""


def _found_rows(found: dict[tuple[str, str], intents.FoundShares]) -> str:
    return "".join(
        f"| {file} | {kind} | {each.sentences} | {each.first} | {each.in_three} |\n"
        for (file, kind), each in found.items()
    )
