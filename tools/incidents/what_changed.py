"""The tool that shows what changed before an incident, in one ranked answer from all available sources."""

from __future__ import annotations

import asyncio
from typing import Annotated

from clients.answers import Json, present
from incidents.composing import composed, of_itself
from incidents.inquiry import Inquiry
from incidents.neighbourhood import Neighbourhood, around
from incidents.patience import MOST_SECONDS, SECONDS, Patience
from incidents.question import IncidentQuestion, written
from incidents.ranking import IncidentRanking
from incidents.subject import found
from incidents.trouble import clue_of, signs_of, trouble_of
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from mcp_server.visit import Context
from tools.azure.shared.actors import Actors, actors_of
from tools.azure.shared.parameters import Subscription, Until
from tools.incidents import answer
from tools.incidents.allowed_sources import Permitted
from tools.incidents.gathering import Gathered, gathered

part = Part()


@part.tool(Access.READ)
async def what_changed(
    context: Context,
    resource: Annotated[
        str,
        Field(min_length=1, max_length=2048, description="Id, name, host name, resource group or azd environment"),
    ],
    since: Annotated[str, Field(max_length=40, description="7d before the failure, or an ISO date or time")] = "24h",
    until: Until = None,
    broke_at: Annotated[str | None, Field(max_length=40, description="Default: inferred from alerts")] = None,
    subscription: Subscription = None,
    max_results: Annotated[int, Field(ge=1, le=100, description="Limit")] = 12,
    wait_seconds: Annotated[int, Field(ge=1, le=MOST_SECONDS, description="Limit")] = SECONDS,
) -> Json:
    """Find what changed before an app or resource broke, most likely cause first, with time, author and relation.

    Reads settings, deployments, activity log, health, alerts, vaults, builds, releases, merged code, Azure updates.
    """
    asked = IncidentQuestion.of(resource, since, until, broke_at)
    permitted = Permitted.of(context)
    azure = await permitted.azure()
    patience = Patience.of(wait_seconds)
    near = await around(azure, await found(azure, asked.resource, subscription, patience), patience)
    findings = await gathered(permitted, Inquiry(azure, asked, near, patience))
    answer = _answer(asked, near, findings, permitted, max_results)
    try:
        async with asyncio.timeout(patience.left):
            actors = await actors_of(azure, (item.get("by") for item in answer["items"]))
    except TimeoutError:
        actors = Actors(note="The names of apps could not be looked up in time.")
    return {**answer, **present({"note": actors.note}), "items": actors.named(answer["items"])}


def _answer(asked: IncidentQuestion, near: Neighbourhood, findings: Gathered, permitted: Permitted, limit: int) -> Json:
    signs = signs_of(near, findings.events)
    own = of_itself(near, findings.events)
    trouble = trouble_of(asked, signs, own)
    near.show_symptom(sign.event.target for sign in signs)
    own_resources = near.subject.resources if near.subject.is_one else ()
    names = frozenset(one.id.name.lower() for one in own_resources)
    ranking = IncidentRanking(trouble, asked.until, clue_of(signs, own), names)
    ranked = composed(near, findings.events, ranking)
    shown = [entry for entry in ranked if not entry.is_folded]
    rest = [*shown[limit:], *(entry for entry in ranked if entry.is_folded)]
    items = answer.entries(shown, ranking, limit)
    said = {
        "about": answer.about(near.subject, near.groups),
        "brokeAt": written(ranking.trouble.at) if ranking.trouble.at else None,
        "brokeAtFrom": ranking.trouble.told_by,
        "since": written(asked.since),
        "signs": answer.signs(signs),
        **answer.sources(findings.counts),
        "failed": [*findings.failed, *near.unread],
        "notConfigured": [f"{', '.join(names)}: {why}" for why, names in permitted.absent.items()],
        "notGranted": [source.name for source in permitted.closed],
        "notLookedAt": answer.not_looked_at(asked, findings.left_out),
        "more": f"Not listed: {folded}. Raise max_results to see more." if (folded := answer.folded(rest)) else None,
        "idsBeginWith": items.get("idsBeginWith"),
    }
    notice = {"untrusted": answer.UNTRUSTED}
    return {**notice, "count": len(items["items"]), **present(said), "items": items["items"]}
