"""The requests that are allowed if access is restricted to some repositories.

Every other request is rejected, so a new tool has no access until its requests are listed here. Before you list a
request, make sure that its response contains no data of other repositories. Look for such data in entries that do not
name a repository, in plain texts and in counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Maps REST resources to their allowed methods. Each resource belongs to a repository, or its responses name the
# repository.
_ABOUT_REPOSITORIES: Final[Mapping[str, str]] = {
    # The path contains the repository.
    "alert/repositories/*/alerts": "GET",
    "alert/repositories/*/alerts/*": "GET",
    "git/repositories/*": "GET",
    "git/repositories/*/blobs/*": "GET",
    "git/repositories/*/commits": "GET",
    "git/repositories/*/commits/*": "GET",
    "git/repositories/*/commits/*/changes": "GET",
    "git/repositories/*/diffs/commits": "GET",
    "git/repositories/*/items": "GET",
    "git/repositories/*/pullrequests": "GET POST",
    "git/repositories/*/pullrequests/*": "GET PATCH",
    "git/repositories/*/pullrequests/*/iterations": "GET",
    "git/repositories/*/pullrequests/*/iterations/*/changes": "GET",
    "git/repositories/*/pullrequests/*/reviewers/*": "PUT DELETE",
    "git/repositories/*/pullrequests/*/threads": "GET POST",
    "git/repositories/*/pullrequests/*/threads/*": "PATCH",
    "git/repositories/*/pullrequests/*/threads/*/comments": "POST",
    "git/repositories/*/pullrequests/*/threads/*/comments/*": "GET PATCH",
    "git/repositories/*/pullrequests/*/workitems": "GET",
    "git/repositories/*/pushes": "GET POST",
    "git/repositories/*/refs": "GET POST",
    "git/repositories/*/stats/branches": "GET",
    # Each entry of the response names its repository.
    "build/builds": "GET POST",
    "build/builds/*": "GET PATCH",
    "build/builds/*/changes": "GET",
    "build/changes": "GET",
    "build/definitions": "GET",
    "build/definitions/*": "GET PUT",
    "git/policy/configurations": "GET",
    "git/pullrequests": "GET",
    "git/pullrequests/*": "GET",
    "git/repositories": "GET",
    "policy/configurations": "GET",
    "policy/configurations/*": "GET",
    "policy/evaluations": "GET",
    "search/codesearchresults": "POST",
    "wiki/wikis": "GET",
    "wiki/wikis/*": "GET",
    # A parent names the repository: the build, the pipeline or the wiki. For a new pipeline, the request names it.
    "build/builds/*/artifacts": "GET",
    "build/builds/*/logs": "GET",
    "build/builds/*/logs/*": "GET",
    "build/builds/*/stages/*": "PATCH",
    "build/builds/*/timeline": "GET",
    "build/workitems": "GET",
    "pipelines": "POST",
    "pipelines/*/runs": "POST",
    "pipelines/approvals": "GET PATCH",
    "pipelines/approvals/*": "GET",
    # An existing test run belongs to a build. A new test run has no build yet, so test runs cannot be created.
    "test/runs": "GET",
    "test/runs/*": "GET",
    "test/runs/*/results": "GET",
    "wiki/wikis/*/pages": "GET PUT DELETE",
    "wiki/wikis/*/pagesbatch": "POST",
}
# Maps REST resources to their allowed methods. These resources have nothing to do with the content of repositories.
_APART_FROM_REPOSITORIES: Final[Mapping[str, str]] = {
    "connectiondata": "GET",
    "dashboard/dashboards": "GET",
    "dashboard/dashboards/*": "GET",
    "distributedtask/variablegroups": "GET",
    "distributedtask/variablegroups/*": "GET",
    "identities": "GET",
    "notification/subscriptions": "GET",
    "packaging/feeds": "GET",
    "packaging/feeds/*": "GET",
    "packaging/feeds/*/packages": "GET",
    "packaging/feeds/*/packages/*": "GET",
    "packaging/feeds/*/packages/*/versions": "GET",
    "projects": "GET",
    "projects/*": "GET",
    "projects/*/teams": "GET",
    "projects/*/teams/*/members": "GET",
    "search/workitemsearchresults": "POST",
    "security/permissionevaluationbatch": "POST",
    "serviceendpoint/endpoints": "GET",
    "serviceendpoint/endpoints/*": "GET",
    "testplan/plans": "GET POST",
    "testplan/plans/*": "GET",
    "testplan/plans/*/suites": "GET POST",
    "testplan/plans/*/suites/*": "GET",
    "testplan/plans/*/suites/*/testcase": "GET POST",
    "wit/attachments": "POST",
    "wit/attachments/*": "GET",
    "wit/classificationnodes/*": "GET POST",
    "wit/classificationnodes/*/*": "POST",
    "wit/queries": "GET",
    "wit/queries/*": "GET",
    "wit/wiql": "POST",
    "wit/wiql/*": "GET",
    "wit/workitems/$*": "POST",
    "wit/workitems/*": "GET PATCH DELETE",
    "wit/workitems/*/comments": "GET POST",
    "wit/workitems/*/comments/*": "GET PATCH",
    "wit/workitems/*/updates": "GET",
    "wit/workitemsbatch": "POST",
    "wit/workitemtypes": "GET",
    "wit/workitemtypes/*": "GET",
    "work/backlogconfiguration": "GET",
    "work/backlogs": "GET",
    "work/backlogs/*/workitems": "GET",
    "work/boards": "GET",
    "work/boards/*": "GET",
    "work/boards/*/columns": "GET",
    "work/boards/*/rows": "GET",
    "work/teamsettings/iterations": "GET POST",
    "work/teamsettings/iterations/*/capacities": "GET",
    "work/teamsettings/iterations/*/capacities/*": "PATCH",
    "work/teamsettings/iterations/*/teamdaysoff": "GET",
    "work/teamsettings/iterations/*/workitems": "GET",
    "work/teamsettings/teamfieldvalues": "GET",
    "work/workitemsorder": "PATCH",
}
ALLOWED: Final = {
    f"{method} {resource}"
    for resource, methods in (*_ABOUT_REPOSITORIES.items(), *_APART_FROM_REPOSITORIES.items())
    for method in methods.split()
}


def is_of_repositories(resource: str) -> bool:
    """Whether access to a REST resource depends on its repository."""
    return resource in _ABOUT_REPOSITORIES


def tells_repositories_apart(method: str, resource: str) -> bool:
    """Whether a request, and its response, can be limited to some repositories."""
    return f"{method} {resource}" in ALLOWED
