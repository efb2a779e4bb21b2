"""The toolset `monitor`: logs, metrics, activity log, health, alerts and release annotations."""

from tools.azure.monitor import activity, alerts, app_errors, health, logs, metrics, release_annotations

parts = (logs.part, app_errors.part, metrics.part, activity.part, health.part, alerts.part, release_annotations.part)
