"""The toolset `devops-builds`: builds, their logs, failures and artifacts."""

from tools.azure_devops.builds import build_changes, builds, failed_tests, results

parts = (builds.part, build_changes.part, failed_tests.part, results.part)
