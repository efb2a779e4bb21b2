"""Previews deployments and approval decisions, and recognizes production environments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from changes.preview import Fact, Preview
from changes.undo import by_hand, never
from clients.azure_devops.client import AzureDevOps
from tools.azure_devops.shared.answers import Json, at, person
from tools.azure_devops.shared.build_records import definition_request
from tools.azure_devops.shared.git_references import short_name

# Usual names of production environments. Teams that use other names need their own approval rule.
_PRODUCTION: Final = re.compile(r"(?:^|[^a-z])(?:prod|prd|production|live)(?:$|[^a-z])", re.IGNORECASE)
_GRAVE: Final = "The run deploys to production."
_DECISIONS: Final = {"approved": "Approve", "rejected": "Reject"}


def is_production(name: str) -> bool:
    return bool(_PRODUCTION.search(name))


def grave_by_name(*names: str) -> str:
    """Return why the run requires another person's approval, or an empty string if none of these names indicates
    production.
    """
    return _GRAVE if any(map(is_production, names)) else ""


def may_deploy(_meant: Mapping[str, Any]) -> bool:
    """Return True for every call, because the arguments do not show whether a run deploys to production."""
    return True


async def start_preview(devops: AzureDevOps, project: str, definition: int, ref: str | None) -> Preview:
    """Preview a new run of a pipeline."""
    found = await devops.json(definition_request(project, definition))
    branch = ref or at(found, "repository.defaultBranch")
    name, grave = str(found.get("name")), grave_by_name(str(found.get("name")), str(found.get("path")))
    return Preview(
        what=f"A new run of {name}",
        sentence=f"Start a run of {name}" + (f" on {short_name(str(branch))}" if branch else ""),
        undo=by_hand("cancel_pipeline_run with the returned id stops the run; what the run has already done stays"),
        facts={
            "folder": found.get("path"),
            "branch": branch,
            "revision": found.get("revision"),
            "paused or disabled": found.get("queueStatus") if found.get("queueStatus") != "enabled" else None,
        },
        # The environment is unknown: each stage in the YAML file can have a different environment with its own
        # approvals. The environment of azd is not one of these.
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
    """Preview an approval decision about a pipeline run."""
    stage = str(approval.get("stage") or at(approval, "resource.name") or "")
    grave = _GRAVE if decision == "approved" and is_production(f"{stage} {shown.get('pipeline')}") else ""
    run = f"run {shown.get('run')} of {shown.get('pipeline')}"
    return Preview(
        what=f"R{run[1:]}",
        sentence=f"{_DECISIONS[decision]} {stage or 'the next stage'} of {run}",
        undo=never("a decision is final; if the run continues, cancel_pipeline_run can stop it"),
        facts={
            "decision": decision,
            "stage": stage or None,
            "instructions": shown.get("instructions"),
            "created": shown.get("created"),
            "approvers": [str(step.get("approver")) for step in shown.get("approvers") or ()],
        },
        # The environment is unknown: a stage can deploy to an environment of another name, and approvals also protect
        # other resources.
        places={"project": project, "environment": None},
        grave=grave,
        destroys=decision == "approved",
    )


def new_release_preview(project: str, definition: Json, *, is_draft: bool) -> Preview:
    """Preview a new release and the deployments that it starts automatically."""
    starting = [] if is_draft else [one for one in definition.get("environments") or () if _starts_by_itself(one)]
    names = [str(one.get("name")) for one in starting]
    grave = grave_by_name(*names)
    return Preview(
        what=f"A new release of {definition.get('name')}",
        sentence=f"Create a release of {definition.get('name')}"
        + (f", which deploys automatically to {', '.join(names)}" if names else ""),
        facts={"folder": definition.get("path"), "auto-starts in": names, "revision": definition.get("revision")},
        places={"project": project, "environment": names},
        grave=grave,
        destroys=bool(grave),
        interrupts=bool(names),
        undo=never("the release and its deployments stay; deploy_release deploys an earlier release"),
        effects=[f"Users of {name} get the deployed version" for name in names],
    )


def following(environments: Sequence[Json], name: str) -> list[str]:
    """Return the environments of a release that the service deploys to after this one, without a manual approval."""
    reached = [name]
    for before in reached:
        after = [str(one.get("name")) for one in environments if _starts_after(one, before)]
        reached += [one for one in after if one not in reached]
    return reached[1:]


def _starts_after(environment: Json, name: str) -> bool:
    is_after = any(str(one.get("name")).casefold() == name.casefold() for one in environment.get("conditions") or ())
    approvals = environment.get("preApprovalsSnapshot") or {}
    # With this option, the service skips the approval if the same person approved the previous environment.
    is_skipped = at(approvals, "approvalOptions.autoTriggeredAndPreviousEnvironmentApprovedCanBeSkipped")
    return is_after and (bool(is_skipped) or all(one.get("isAutomated") for one in approvals.get("approvals") or ()))


def _starts_by_itself(environment: Json) -> bool:
    """Check whether deployments to an environment run automatically, without a manual start or approval."""
    asked = [one for one in at(environment, "preDeployApprovals.approvals") or () if not one.get("isAutomated")]
    return bool(environment.get("conditions")) and not asked


def release_preview(
    project: str,
    environment: Json,
    facts: dict[str, Fact],
    sentence: str,
    *,
    is_deploying: bool = True,
    after: Sequence[str] = (),
) -> Preview:
    """Preview a deployment of a release and those that follow it, or an approval decision about a deployment."""
    name = str(environment.get("name"))
    grave = grave_by_name(name, *after) if is_deploying else ""
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
        places={"project": project, "environment": [name, *after] if after else name},
        grave=grave,
        destroys=bool(grave),
        effects=[f"Users of {one} get the deployed version" for one in (name, *after)] if is_deploying else [],
        undo=by_hand(f"deploy_release deploys an earlier release to {name} again")
        if is_deploying
        else never("a decision is final; deploy_release requests a new one"),
    )


def run_preview(project: str, run: Json, what: str, facts: dict[str, Any], *, grave: str = "") -> Preview:
    """Preview a change to a pipeline run or build."""
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
        undo=by_hand("cancel_pipeline_run stops the run; what the run has already done stays"),
    )


def cancellation_preview(project: str, run: Json, kind: str) -> Preview:
    """Preview the cancellation of a pipeline run or build."""
    shown = run_preview(project, run, kind, {"is stopped": "completed steps stay; all other steps are skipped"})
    undo = never("a canceled run cannot be resumed; run_pipeline or queue_build starts a new one")
    return replace(shown, sentence=f"Cancel {shown.what[:1].lower()}{shown.what[1:]}", undo=undo)
