"""Sections of docs/benchmarks.md about agents: which tools they find, and how many tokens they read and send."""

from __future__ import annotations

import asyncio

from scripts.benchmarks import azure, azure_devops, intents, questions, stories
from scripts.benchmarks.measure import shown


def azure_devops_section() -> str:
    print("measuring Azure DevOps ...", flush=True)
    found = asyncio.run(azure_devops.measured())
    calls = "".join(_cost_row(what, who, cost) for what, costs in found.calls.items() for who, cost in costs.items())
    listings = "".join(
        f"| {who} | {listing.tools} | {listing.tokens:,.0f} |\n" for who, listing in found.listings.items()
    )
    return f"""## Azure DevOps

Reads of an invented Azure DevOps on the same machine, by our server and by the official one,
`{azure_devops.official_version()}`: the median of {azure_devops.ROUNDS} that take turns, from the request of the same
Python client to the parsed answer. *Requests* are those that a call sends to Azure DevOps, and *connections* those that
it opens for them. Both cost little here: there is neither a distance nor TLS, and the official server, which asks anew
at each call where things are, is told only of those it needs. A token is four bytes of the answer's text.

| read | by | time | requests | connections | tokens |
|---|---|---|---|---|---|
{calls}
What a model is told of the tools before it calls one. Where no toolset of ours is chosen, one of the tools listed finds
all others, and tells of them when they are wanted.

| server | tools | tokens |
|---|---|---|
{listings}"""


def _cost_row(what: str, who: str, cost: azure_devops.DevOpsCost) -> str:
    figures = f"{shown(cost.timing.median)} | {cost.requests} | {cost.connections} | {cost.tokens:,.0f}"
    return f"| {what} | {who} | {figures} |\n"


def azure_section() -> str:
    print("measuring Azure ...", flush=True)
    found = asyncio.run(azure.measured())
    servers = "".join(
        f"| {who} | {shown(one.seconds)} | {one.megabytes:.0f} MB | {one.tools} | {one.tokens:,.0f} |\n"
        for who, one in found.servers.items()
    )
    calls = "".join(
        f"| {what} | {who} | {shown(cost.timing.median)} | {cost.requests} | {cost.tokens:,.0f} |\n"
        for what, costs in found.calls.items()
        for who, cost in costs.items()
    )
    return f"""## Azure

Of the same invented Azure, by our server over HTTP and by {azure.official_version()} over stdio with three of its
namespaces, read-only. Both are signed in by `az`. The requests are those of the first call; the official server keeps
some answers, and sends none for them later, while ours keeps only what tells names from ids.

| server | start to its first list | memory then | tools | tokens of the list |
|---|---|---|---|---|
{servers}
| read | server | median of {azure.ROUNDS} | requests | tokens |
|---|---|---|---|---|
{calls}"""


def intents_section() -> str:
    print("measuring intents ...", flush=True)
    measured = intents.measured()
    rows, blind = _found_rows(measured.found), _found_rows(intents.BLIND)
    missed = "".join(f"| {say} | {found} |\n" for say, found in measured.missed.items())
    writers = "; ".join(f"`{file}` by {who}" for file, who in intents.FILES.items())
    return f"""## Finding the tool

Sentences of engineers put to `azure` as intent ({writers}): how many lead to the tool meant first, and among the first
three. Of the kind *none* are those that no tool does; there both columns count the answers that say so.

| file | kind | sentences | first | in three |
|---|---|---|---|---|
{rows}
Whoever tunes with sentences finds them. These were found when they were read for the first time; they tell best what a
stranger finds. Before tools were found by meaning, 49 of the 95 led to their tool first, and 68 in three.

| file | kind | sentences | first | in three |
|---|---|---|---|---|
{blind}
The aims were 80 % first, 93 % in three, and 95 % of what no tool does. What is missed is said in words that nobody used
in an example, or means several tools. These sentences of the last file are missed:

| sentence | found |
|---|---|
{missed}
What each part of what is learned is worth, over the sentences of the last three files that ask for one thing: how many
find their tool first, among all.

| learned with | sentences | first |
|---|---|---|
{intents.ABLATION}
A toolset that is new is found less well by five examples than by forty, where others have forty: write some twenty.

{_cost_of_intents(measured)}"""


def _cost_of_intents(measured: intents.IntentFigures) -> str:
    tokens = "".join(f"| {what} | {count:,.0f} |\n" for what, count in measured.tokens.items())
    return f"""An intent takes {measured.milliseconds:.1f} ms of the processor.
The first takes {measured.first_milliseconds:.0f} ms more: what was learned is read then.

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

What an engineer asks for, on an invented Azure DevOps with a default project and the updates, played to its end by a
program that stands for a model. It knows the tools listed where none are chosen ({measured.surface:,.0f} tokens), calls
only what answers named to it, with parameters whose schema it read, and values that were asked with or answered. It
makes no mistakes, which models do. *Calls* are all, finding and learning among them; *sent* are their arguments.

| story | calls | tokens sent | tokens read | together |
|---|---|---|---|---|
{rows}"""


def questions_section() -> str:
    print("asking questions about Azure ...", flush=True)
    asked = questions.measured()
    answered = sum(one.is_answered for one in asked)
    rows = "".join(
        f"| {one.question.ask} | {one.question.found_by} | {one.model.calls} | {one.model.longest_answer_tokens:,.0f}"
        f" | {one.model.tokens:,.0f} | {'yes' if one.is_answered else 'no'} |\n"
        for one in asked
    )
    return f"""## Questions about Azure

{len(asked)} questions, each with the facts that an answer must have. The first forty were written before their writer
had seen a tool.
{answered} of them are answered, on an invented Azure, in at most {questions.MOST_CALLS} calls of at most
{questions.MOST_TOKENS:,} tokens each. The last three nobody can answer, and they count where that is said. The
model is the same program as above. *Found by* tells how it found its tools: by the question as it stands; by
other words, since the question led elsewhere or nowhere; or by learning a whole toolset.

| question | found by | calls | longest answer | together | answered |
|---|---|---|---|---|---|
{rows}"""


def _found_rows(found: dict[tuple[str, str], intents.FoundShares]) -> str:
    return "".join(
        f"| {file} | {kind} | {each.sentences} | {each.first} | {each.in_three} |\n"
        for (file, kind), each in found.items()
    )
