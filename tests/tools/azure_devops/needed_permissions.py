"""The permissions that each tool needs at which resource, as the documentation of Azure DevOps has it."""

from __future__ import annotations

from tests.fakes.azure_devops.permissions import NODE, Held
from tests.tools.azure_devops.everything import Everything


def letters(name: str) -> str:
    """The name of a branch as it stands in a token."""
    return "/".join(part.encode("utf-16-le").hex() for part in name.split("/"))


def expected(scene: Everything) -> dict[str, list[Held]]:
    """On what each tool needs which permission, as the documentation of Azure DevOps has it."""
    return {
        **_of_work_items(scene),
        **_of_code(scene),
        **_of_pipelines(scene),
        **_of_wikis(scene),
        **_of_tests(scene),
    }


def _area(scene: Everything, *names: str) -> str:
    return ":".join(scene.projects.area_token("Web", names))


def _of_work_items(scene: Everything) -> dict[str, list[Held]]:
    project = f"$PROJECT:vstfs:///Classification/TeamProject/{scene.id_of('Web')}"
    writing = [Held("area", 32, _area(scene, "Kitchen", "Oven"))]
    commenting = [*writing, Held("area", 512, _area(scene, "Kitchen", "Oven"))]
    begun = scene.sprint.identifier
    return {
        "create_work_item": [Held("area", 32, _area(scene, "Hall"))],
        "update_work_item": writing,
        "delete_work_item": [Held("project", 8192, project)],
        "add_work_item_comment": commenting,
        "update_work_item_comment": commenting,
        "link_work_items": writing,
        "remove_work_item_link": [Held("area", 32, _area(scene))],
        "add_work_item_artifact_link": writing,
        "remove_work_item_artifact_link": writing,
        "add_work_item_attachment": writing,
        "add_work_item_attachment_from_url": writing,
        "remove_work_item_attachment": writing,
        "move_board_card": writing,
        "link_pull_request_work_item": writing,
        "create_iteration": [Held("iteration", 4, f"{NODE}{scene.id_of('Web root')}:{NODE}{begun}")],
    }


def _of_code(scene: Everything) -> dict[str, list[Held]]:
    oven = f"repoV2/{scene.id_of('Web')}/{scene.oven.id}"
    reviewing = [Held("git", 16384, oven)]
    arranging = [*reviewing, Held("git", 4, oven)]
    return {
        "create_branch": [Held("git", 16, f"{oven}/refs/heads/{letters('new/one')}")],
        "delete_branch": [Held("git", 8, f"{oven}/refs/heads/6f006c006400")],
        "push_changes": [Held("git", 4, f"{oven}/refs/heads/6d00610069006e00")],
        "create_pull_request": reviewing,
        "update_pull_request": arranging,
        "complete_pull_request": [Held("git", 4, f"{oven}/refs/heads/6d00610069006e00")],
        "add_pull_request_reviewer": arranging,
        "remove_pull_request_reviewer": arranging,
        "vote_pull_request": reviewing,
        "add_pull_request_comment": reviewing,
        "update_pull_request_thread": reviewing,
        "update_pull_request_comment": reviewing,
    }


def _of_pipelines(scene: Everything) -> dict[str, list[Held]]:
    own = scene.id_of("Web")
    pipeline, release = f"{own}/Shop/Doors/{scene.pipeline}", f"{own}/Shop/{scene.release}"
    queuing, stopping = [Held("build", 128, pipeline)], [Held("build", 512, pipeline)]
    return {
        "run_pipeline": queuing,
        "queue_build": queuing,
        "run_azd_pipeline": queuing,
        "cancel_pipeline_run": stopping,
        "cancel_build": stopping,
        "retry_pipeline_stage": queuing,
        "rename_pipeline": [Held("build", 2048, pipeline)],
        "create_release": [Held("release", 64, release)],
        "deploy_release": [Held("release", 2048, f"{release}/Environment/11")],
    }


def _of_wikis(scene: Everything) -> dict[str, list[Held]]:
    wiki = f"repoV2/{scene.id_of('Web')}/{scene.id_of('Web.wiki')}"
    pages = [Held("git", 4, f"{wiki}/refs/heads/{letters('wikiMaster')}")]
    return {
        "create_wiki_page": pages,
        "update_wiki_page": pages,
        "update_wiki_section": pages,
        "delete_wiki_page": pages,
    }


def _of_tests(scene: Everything) -> dict[str, list[Held]]:
    project = f"$PROJECT:vstfs:///Classification/TeamProject/{scene.id_of('Web')}"
    return {
        "create_test_case": [Held("area", 32, _area(scene))],
        "update_test_case_steps": [Held("area", 32, _area(scene))],
        "create_test_plan": [Held("area", 64, _area(scene, "Kitchen"))],
        "create_test_suite": [Held("area", 128, _area(scene, "Kitchen"))],
        "add_test_cases": [Held("area", 128, _area(scene, "Kitchen"))],
        "record_test_results": [Held("project", 8, project)],
    }
