"""The toolset `devops-test-plans`, of several files."""

from mcp_server.declarations.toolset import Toolset
from tools.azure_devops.provider import provider
from tools.azure_devops.test_plans import cases, plans

toolset = Toolset(
    "devops-test-plans",
    "Read, write and run Azure DevOps tests: plans, suites, cases and results.",
    parts=(plans.part, cases.part),
    needs=(provider,),
)
