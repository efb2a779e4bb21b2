"""The toolset `monitor`: logs, metrics, what was done, how healthy things are, and what alerts say."""

from tools.azure.monitor import activity, alerts, app_errors, health, logs, metrics

parts = (logs.part, app_errors.part, metrics.part, activity.part, health.part, alerts.part)
