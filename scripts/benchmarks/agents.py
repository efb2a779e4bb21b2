"""The sections of docs/benchmarks.md about agents: which tools agents find, and how many tokens they read and send."""

from __future__ import annotations

import asyncio
from typing import Final

from scripts.benchmarks import azure, azure_devops, intents, questions, stories
from scripts.benchmarks.measure import shown

_ABOUT_SENTENCES: Final = """\
Engineers and the developer of this server wrote sentences with which a user could ask for a tool. This benchmark passes
each sentence to `azure`, and checks whether `azure` finds a tool that is right for the sentence. *First* counts the
sentences for which the first result is right. *In three* counts the sentences for which one of the first three results
is right.

*Kind* says how a sentence is written:

- *plain*: in the usual words for the task
- *other*: in less usual words, for example jargon
- *vague*: without saying exactly what is wanted
- *typo*: with typing errors
- *french*, *german*, *foreign*: in another language than English
- *none*, *impossible*: asks for something that no tool can do. For these sentences, *first* and *in
  three* count the answers that say that no tool matches

*All with a tool* is the sum of the kinds for which a tool exists. The sentences come from these files, with these
authors:"""
_ABOUT_PARTS: Final = """\
The search model learns from the words of the examples and from the meanings of these words. The next table shows what
each part contributes. *First* counts the sentences in the files `fresh_a`, `fresh_b` and `fresh_c` for which the first
result is right. The rows with the names of toolsets show how well `azure` finds the tools of a toolset if each of these
tools has only five examples. *With all* is the number with all examples."""


def azure_devops_section() -> str:
    print("measuring Azure DevOps ...", flush=True)
    found = asyncio.run(azure_devops.measured())
    calls = "".join(_cost_row(call, who, cost) for call, costs in found.calls.items() for who, cost in costs.items())
    listings = "".join(
        f"| {who} | {listing.tools} | {listing.tokens:,.0f} |\n" for who, listing in found.listings.items()
    )
    return f"""## Azure DevOps

Our server and the official server (`{azure_devops.official_version()}`) read from the same fake Azure DevOps on the
same machine. The same Python client calls both servers. The columns are:

- *time*: the median time of {azure_devops.ROUNDS} calls, from the request to the parsed answer. Calls to the servers
  alternate
- *requests*, *connections*: how many requests a call sends to Azure DevOps, and how many connections it opens. Requests
  and connections take little time here, because there is no network latency or TLS. The official server sends more
  requests, because it looks up the URLs of the service in every call
- *tokens*: the length of the answer's text. Four bytes count as one token

| what is read | how | time | requests | connections | tokens |
|---|---|---|---|---|---|
{calls}
The next table shows the number of tokens in the tool list, which a model reads before its first call. If the caller
does not select a toolset of our server, the list has only a few tools. One of these tools, `azure`, finds and describes
all other tools.

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
with `az`. Our server runs over HTTP. The official server runs over stdio, in read-only mode, with three of its groups
of tools (namespaces).

*Requests* counts the requests that the first call sends to Azure. If a call is repeated, the official server returns
some answers from its cache, without sending requests. Our server caches only the data with which it finds the ID for a
name.

| server | time from start to first list | memory after the first list | tools | tokens in the list |
|---|---|---|---|---|
{servers}
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
Sentences that were used for tuning score better than new sentences. The next table shows the first run with the
sentences in `fresh_c`, which were new at that time. This result is the best estimate for new users. An earlier version
of the search did not consider the meaning of words. In that version, the first result was right for 49 of these 95
sentences, and one of the first three results was right for 68 sentences.

| file | kind | sentences | first | in three |
|---|---|---|---|---|
{blind}
The targets were 80 % for *first*, 93 % for *in three*, and 95 % for the sentences that no tool can handle.

The next table lists the sentences in `fresh_c` for which the first result is currently wrong, exactly as their authors
wrote them. *Found* lists the tools that `azure` found, with the best match first. The sentences fail because they use
words that are not in the examples, or because several tools match them.

| sentence | found |
|---|---|
{missed}
{_ABOUT_PARTS}

| what the model learns from | sentences | first |
|---|---|---|
{intents.ABLATION}
With only five examples per tool, `azure` finds the tools of a new toolset less often. Write about twenty examples per
tool.

{_cost_of_intents(measured)}"""


def _cost_of_intents(measured: intents.IntentFigures) -> str:
    tokens = "".join(f"| {name} | {count:,.0f} |\n" for name, count in measured.tokens.items())
    return f"""An intent takes {measured.milliseconds:.1f} ms of CPU time. The first intent takes
{measured.first_milliseconds:.0f} ms more, because it loads the search model.

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

A program simulates a model that performs an engineer's tasks, with a fake Azure DevOps and made-up Azure updates. At
first, the program knows only the tools that are listed by default ({measured.surface:,.0f} tokens). It calls other
tools only after an answer has mentioned them. It uses only parameters from schemas that it has read, and only values
from the task or from answers. Unlike a real model, the program does not make mistakes.

The table quotes the tasks. *Calls* includes the calls that find and explain tools. *Tokens sent* counts the arguments
of the calls, and *tokens read* counts the answers. *Together* is the sum of both.

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

The program from [Everyday stories](#everyday-stories) also answers {len(report)} questions about a fake Azure. For each
question, a list says which facts the answer must contain. People who had not seen the tools wrote the first forty
questions. The table quotes all questions exactly as they were asked, some with typing errors and some in other
languages.

The program answers {answered} of the {len(report)} questions, each in at most {questions.MOST_CALLS} calls, and with
answers of at most {questions.MOST_TOKENS:,} tokens. Two questions ask for something that does not exist. They count as
answered if the answer says so.

*Found by* says how the program found the tools that it needed:

- *the question*: the program passed the question to `azure` unchanged
- *other words*: the question found no tool or a wrong tool, so the program used other words
- *learning*: the program read the descriptions of a whole toolset

*Longest answer* and *together* are numbers of tokens. *Together* includes all calls and all answers.

| question | found by | calls | longest answer | together | answered |
|---|---|---|---|---|---|
{rows}"""


def _found_rows(found: dict[tuple[str, str], intents.FoundShares]) -> str:
    return "".join(
        f"| {file} | {kind} | {each.sentences} | {each.first} | {each.in_three} |\n"
        for (file, kind), each in found.items()
    )
