"""The toolset `devops-test-plans`: test plans, suites, cases and results."""

from tools.azure_devops.test_plans import cases, plans

parts = (plans.part, cases.part)
