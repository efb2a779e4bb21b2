"""The toolset `devops-builds`, of several files."""

from tools.azure_devops.builds import builds, changes, failed_tests, results

parts = (builds.part, changes.part, failed_tests.part, results.part)
