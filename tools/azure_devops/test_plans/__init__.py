"""The toolset `devops-test-plans`, of several files."""

from tools.azure_devops.test_plans import cases, plans

parts = (plans.part, cases.part)
