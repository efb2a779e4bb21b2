"""An environment of azd is deployed by the pipeline that deploys it, and by no other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given
from tests.tools.azure_devops.team import team


def pipeline(azure_devops: FakeAzureDevOps, name: str, environment: str = "", file: str = "ci.yml") -> int:
    variables = {"AZURE_ENV_NAME": {"value": environment}} if environment else {}
    more: dict[str, Any] = {"process": {"type": 2, "yamlFilename": file}, "variables": variables}
    return azure_devops.builds.define("Web", name, **more)


async def test_the_pipeline_of_an_environment_is_started_and_followed(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    pipeline(azure_devops, "Shop test", "shop-test")
    wanted = pipeline(azure_devops, "Shop", "shop-dev")
    async with team(azure_devops) as crew:
        told = await crew.member("ada").told("run_azd_pipeline", environment="Shop-Dev", branch="main")
        preview = (await crew.approvals.kept().shown(await crew.shown(told))).preview
        assert preview.what == "A new run of Shop, which deploys Shop-Dev"
        assert preview.places["environment"] is None
        await crew.decides("ada", told, is_yes=True)
        run = await given(crew.member("ada"), "run_azd_pipeline", environment="Shop-Dev", branch="main")
        assert run["follow"] == f"get_pipeline_run(pipelineId={wanted}, runId={run['runId']})"
        followed = await given(crew.member("ada"), "get_pipeline_run", pipelineId=wanted, runId=run["runId"])
    assert followed["id"] == run["runId"]


async def test_production_takes_another_person(azure_devops: FakeAzureDevOps) -> None:
    pipeline(azure_devops, "Shop", "shop-prod")
    async with team(azure_devops) as crew:
        told = await crew.member("ada").told("run_azd_pipeline", environment="shop-prod")
        assert (await crew.shown(told)).asks.value == "another"


@pytest.mark.parametrize(
    ("environments", "words"),
    [
        ([], "No pipeline in Web has the variable AZURE_ENV_NAME set to 'shop-dev'"),
        (
            ["shop-dev", "shop-dev"],
            "Several pipelines deploy this environment: P0 (1), P1 (2). Start one of them with run_pipeline",
        ),
        ([""], "These azd pipelines do not set an environment: P0 (1)"),
    ],
)
async def test_where_nobody_can_tell_which_it_is_none_is_started(
    caller: Caller, azure_devops: FakeAzureDevOps, environments: list[str], words: str
) -> None:
    for number, environment in enumerate(environments):
        pipeline(azure_devops, f"P{number}", environment, ".azdo/pipelines/azure-dev.yml")
    assert words in await caller.told("run_azd_pipeline", environment="shop-dev")
    assert azure_devops.builds.builds == {}
