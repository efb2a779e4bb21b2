"""What deployments, and decisions about them, would do, and which environments are those of production."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from changes.preview import Fact, Preview
from changes.undo import by_hand, never
from clients.azure_devops.client import AzureDevOps
from tools.azure_devops.shared.answers import Json, at, person
from tools.azure_devops.shared.build_records import definition_request
from tools.azure_devops.shared.git_references import short_name

# By what people call it; who calls it otherwise, says so by a rule.
_PRODUCTION: Final = re.compile(r"(?:^|[^a-z])(?:prod|prd|production|live)(?:$|[^a-z])", re.IGNORECASE)
_GRAVE: Final = "It deploys to production."
_DECISIONS: Final = {"approved": "Approve", "rejected": "Reject"}


def is_production(name: str) -> bool:
    return bool(_PRODUCTION.search(name))


def grave_by_name(*names: str) -> str:
    """Why another person has to agree to what runs under one of these names; nothing where none says production."""
    return _GRAVE if any(map(is_production, names)) else ""


def may_deploy(_meant: Mapping[str, Any]) -> bool:
    """Whether a run deploys to production is told by what it is called, and not by the arguments."""
    return True


async def start_preview(devops: AzureDevOps, project: str, definition: int, ref: str | None) -> Preview:
    """What a new run of a pipeline would be of."""
    found = await devops.json(definition_request(project, definition))
    branch = ref or at(found, "repository.defaultBranch")
    name, grave = str(found.get("name")), grave_by_name(str(found.get("name")), str(found.get("path")))
    return Preview(
        what=f"A new run of {name}",
        sentence=f"Start a run of {name}" + (f" on {short_name(str(branch))}" if branch else ""),
        undo=by_hand("cancel_pipeline_run stops it by the id that the answer tells; what it has done by then stays"),
        facts={
            "folder": found.get("path"),
            "branch": branch,
            "revision": found.get("revision"),
            "paused or disabled": found.get("queueStatus") if found.get("queueStatus") != "enabled" else None,
        },
        # In which environments its stages deploy is written in its YAML, and checked by their own approvals.
        places={
            "project": at(found, "project.name") or project,
            "repository": at(found, "repository.name"),
            "branch": short_name(str(branch)) if branch else None,
            "environment": None,
        },
        grave=grave,
        destroys=bool(grave),
    )


def approval_preview(project: str, approval: Json, shown: Json, decision: str) -> Preview:
    """What a decision about a run of a pipeline would let pass."""
    stage = str(approval.get("stage") or at(approval, "resource.name") or "")
    grave = _GRAVE if decision == "approved" and is_production(f"{stage} {shown.get('pipeline')}") else ""
    run = f"run {shown.get('run')} of {shown.get('pipeline')}"
    return Preview(
        what=f"R{run[1:]}",
        sentence=f"{_DECISIONS[decision]} {stage or 'the next stage'} of {run}",
        undo=never("a decision is final; cancel_pipeline_run stops a run that goes on"),
        facts={
            "decision": decision,
            "stage": stage or None,
            "instructions": shown.get("instructions"),
            "created": shown.get("created"),
            "approvers": [str(step.get("approver")) for step in shown.get("approvers") or ()],
        },
        places={"project": project, "environment": stage or None},
        grave=grave,
        destroys=decision == "approved",
    )


def new_release_preview(project: str, definition: Json, *, is_draft: bool) -> Preview:
    """Where a new release would go by itself."""
    starting = [] if is_draft else [one for one in definition.get("environments") or () if _starts_by_itself(one)]
    names = [str(one.get("name")) for one in starting]
    grave = grave_by_name(*names)
    return Preview(
        what=f"A new release of {definition.get('name')}",
        sentence=f"Create a release of {definition.get('name')}"
        + (f", which deploys to {', '.join(names)} by itself" if names else ""),
        facts={"folder": definition.get("path"), "starts by itself in": names, "revision": definition.get("revision")},
        places={"project": project, "environment": names},
        grave=grave,
        destroys=bool(grave),
        interrupts=bool(names),
        undo=never("a release stays, and so does what it has deployed; deploy_release deploys an earlier one"),
        effects=[f"Users of {name} get what is deployed" for name in names],
    )


def _starts_by_itself(environment: Json) -> bool:
    """Whether nobody has to start or approve what goes there."""
    asked = [one for one in at(environment, "preDeployApprovals.approvals") or () if not one.get("isAutomated")]
    return bool(environment.get("conditions")) and not asked


def release_preview(
    project: str, environment: Json, facts: dict[str, Fact], sentence: str, *, is_deploying: bool = True
) -> Preview:
    """What a deployment of a release, or a decision about one, would do."""
    name = str(environment.get("name"))
    release = at(environment, "release.name") or at(environment, "release.id")
    owner = at(environment, "release.createdBy") or environment.get("owner")
    return Preview(
        what=f"Release {release} to {name}",
        sentence=sentence.format(f"release {release} to {name}"),
        facts={
            "definition": at(environment, "releaseDefinition.name"),
            "status of the environment": environment.get("status"),
            **facts,
        },
        affected=[str(person(owner))] if owner else [],
        places={"project": project, "environment": name},
        grave=_GRAVE if is_deploying and is_production(name) else "",
        destroys=is_deploying and is_production(name),
        effects=[f"Users of {name} get what is deployed"] if is_deploying else [],
        undo=by_hand(f"deploy_release deploys an earlier release to {name} again")
        if is_deploying
        else never("a decision is final; deploy_release asks for another"),
    )


def run_preview(project: str, run: Json, what: str, facts: dict[str, Any], *, grave: str = "") -> Preview:
    """What becomes of a run of a pipeline, or of a build."""
    who = run.get("requestedFor") or run.get("requestedBy")
    return Preview(
        what=f"{what} {run.get('buildNumber') or run.get('id')} of {at(run, 'definition.name')}",
        facts={
            "id": run.get("id"),
            "status": run.get("status"),
            "branch": run.get("sourceBranch"),
            "commit": run.get("sourceVersion"),
            "started": run.get("startTime"),
            "reason": run.get("reason"),
            **facts,
        },
        affected=[str(person(who))] if who else [],
        places={
            "project": at(run, "project.name") or project,
            "branch": short_name(str(branch)) if (branch := run.get("sourceBranch")) else None,
        },
        grave=grave,
        undo=by_hand("cancel_pipeline_run stops it; what it has done by then stays"),
    )


def cancellation_preview(project: str, run: Json, kind: str) -> Preview:
    """What is lost when a run or a build stops."""
    shown = run_preview(project, run, kind, {"is stopped": "what it has done so far stays, the rest is not done"})
    undo = never("nothing resumes it; run_pipeline or queue_build starts a new one")
    return replace(shown, sentence=f"Cancel {shown.what[:1].lower()}{shown.what[1:]}", undo=undo)
