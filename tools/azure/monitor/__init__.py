"""The toolset `monitor`: logs, metrics, what was done, how healthy things are, alerts, and marks of deployments."""

from tools.azure.monitor import activity, alerts, app_errors, health, logs, marks, metrics

parts = (logs.part, app_errors.part, metrics.part, activity.part, health.part, alerts.part, marks.part)
