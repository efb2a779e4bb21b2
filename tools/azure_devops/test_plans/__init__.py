"""The toolset `devops-test-plans`."""

from tools.azure_devops.test_plans import cases, plans

parts = (plans.part, cases.part)
