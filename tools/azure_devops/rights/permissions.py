"""The Azure DevOps permissions that changes require: how they are stored and displayed, and which groups have them.

Namespaces and bits come from `_apis/securitynamespaces`; names come from the project settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_GIT: Final = "2e9eb7ed-3c0a-47d4-87c1-0ffdd275fd87"
_BUILD: Final = "33344d9c-fc72-4d6f-aba5-fa317101a7e9"
_RELEASES: Final = "c788c23e-1b46-4162-8f5e-d7585343b5de"
_AREAS: Final = "83e28ad4-2d72-4ceb-97b0-c7726d5502c3"
_ITERATIONS: Final = "bf7bfa03-b2b7-47db-8113-fa2e002cc5b1"
_PROJECT: Final = "52d39943-cb85-4d7f-8fa8-c6baac873819"

_CONTRIBUTORS: Final = "Contributors"
_BUILD_ADMINISTRATORS: Final = "Build Administrators"
_RELEASE_ADMINISTRATORS: Final = "Release Administrators"
_ADMINISTRATORS: Final = "Project Administrators"


@dataclass(frozen=True, slots=True)
class DevOpsPermission:
    """A permission. `group` is the group that has this permission by default in each project. For some permissions,
    there is no such group.
    """

    namespace: str
    bit: int
    name: str
    group: str = ""


CONTRIBUTE: Final = DevOpsPermission(_GIT, 4, "Contribute", _CONTRIBUTORS)
FORCE_PUSH: Final = DevOpsPermission(_GIT, 8, "Force push (rewrite history, delete branches and tags)")
CREATE_BRANCH: Final = DevOpsPermission(_GIT, 16, "Create branch", _CONTRIBUTORS)
CONTRIBUTE_TO_PULL_REQUESTS: Final = DevOpsPermission(_GIT, 16384, "Contribute to pull requests", _CONTRIBUTORS)
BYPASS_POLICIES: Final = DevOpsPermission(_GIT, 32768, "Bypass policies when completing pull requests")

QUEUE_BUILDS: Final = DevOpsPermission(_BUILD, 128, "Queue builds", _CONTRIBUTORS)
STOP_BUILDS: Final = DevOpsPermission(_BUILD, 512, "Stop builds", _BUILD_ADMINISTRATORS)
EDIT_PIPELINE: Final = DevOpsPermission(_BUILD, 2048, "Edit build pipeline", _CONTRIBUTORS)

CREATE_RELEASES: Final = DevOpsPermission(_RELEASES, 64, "Create releases", _CONTRIBUTORS)
MANAGE_DEPLOYMENTS: Final = DevOpsPermission(_RELEASES, 2048, "Manage deployments", _RELEASE_ADMINISTRATORS)

EDIT_ITEMS: Final = DevOpsPermission(_AREAS, 32, "Edit work items in this node", _CONTRIBUTORS)
MANAGE_TEST_PLANS: Final = DevOpsPermission(_AREAS, 64, "Manage test plans", _CONTRIBUTORS)
MANAGE_TEST_SUITES: Final = DevOpsPermission(_AREAS, 128, "Manage test suites", _CONTRIBUTORS)
EDIT_COMMENTS: Final = DevOpsPermission(_AREAS, 512, "Edit work item comments in this node", _CONTRIBUTORS)

CREATE_ITERATIONS: Final = DevOpsPermission(_ITERATIONS, 4, "Create child nodes", _ADMINISTRATORS)

CREATE_TEST_RUNS: Final = DevOpsPermission(_PROJECT, 8, "Create test runs", _CONTRIBUTORS)
DELETE_ITEMS: Final = DevOpsPermission(_PROJECT, 8192, "Delete and restore work items", _CONTRIBUTORS)
MOVE_ITEMS: Final = DevOpsPermission(_PROJECT, 16384, "Move work items out of this project", _ADMINISTRATORS)
DESTROY_ITEMS: Final = DevOpsPermission(_PROJECT, 32768, "Permanently delete work items", _ADMINISTRATORS)
